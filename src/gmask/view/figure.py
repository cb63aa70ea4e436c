"""The paper's Figure 1 drawn: SVG by hand, PNG and PDF through matplotlib."""

from __future__ import annotations

import warnings
from html import escape
from pathlib import Path
from typing import Any

from gmask.explanation import Explanation
from gmask.files import atomic
from gmask.view.colours import DARK, LIGHT, Palette, mix
from gmask.view.layout import BLOCK, FONT, NODE, SMALL, Layout, Link, Node, lay_out
from gmask.view.parts import SIDES, number, phrase, reasons, sides

__all__ = ["FONTS", "figure_style", "save_figure", "to_svg"]

FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
SCALE = 2.0  # pixels of a PNG to a unit of the SVG
# For what matplotlib's own font lacks; used where they are installed.
_MORE_FONTS = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "WenQuanYi Zen Hei", "PingFang SC", "Microsoft YaHei", "Noto Sans Arabic",
    "Noto Sans Thai", "Noto Sans Devanagari", "Noto Emoji", "Segoe UI Symbol", "Symbola",
)  # fmt: skip


def to_svg(e: Explanation, *, inline: bool = False) -> str:
    """The figure as SVG, light or dark as the reader's system is.

    Args:
        e: The explanation.
        inline: For a page that says the verdict and the notes itself and brings the style; default: a file of its own.
    """
    plan = lay_out(e, titled=not inline)
    memberships = {
        row.word: " ".join(str(link.group) for link in plan.links if link.word == row.word) for row in plan.rows
    }
    parts = [] if inline else [_sheet(plan)]
    parts += [_svg_link(plan, link) for link in sorted(plan.links, key=lambda link: link.strength)]
    if not inline:
        parts.append(_text(16, 32, plan.title, "gm-ink", size=20, weight=700))
        parts.append(_text(16, 54, plan.subtitle, "gm-muted", size=FONT))
        parts += [_text(16, plan.foot + 18 * i, line, "gm-ink", size=13) for i, line in enumerate(plan.notes)]
    parts += [_text(x, plan.top - 12, text, "gm-muted", size=SMALL, anchor=end) for x, text, end in plan.heads()]
    for row in plan.rows:
        x = plan.blocks[row.column]
        anchor, at = (("end", x - 8), ("start", x + BLOCK + 8))[row.column]
        side = SIDES[row.sentence]
        if row.word is None:
            parts.append(_text(at, row.y + 5, row.text, "gm-muted", size=SMALL, anchor=anchor))
            continue
        matters = row.shade or memberships[row.word]
        parts.append(
            f'<g data-w="{row.word}" data-in="{memberships[row.word]}">'
            f"<title>{escape(row.full)}: {number(e.attributions[row.word])}</title>"
            f'<rect x="{x:.1f}" y="{row.y - BLOCK / 2:.1f}" width="{BLOCK:g}" height="{BLOCK:g}" rx="3" '
            f'class="gm-{side}" fill="{LIGHT.sentences[row.sentence]}" fill-opacity="{row.shade:.3f}" '
            f'stroke="{LIGHT.sentences[row.sentence]}" stroke-opacity="{max(row.shade, 0.35):.3f}"/>'
            + _text(at, row.y + 5, row.text, "gm-ink" if matters else "gm-muted", size=FONT, anchor=anchor)
            + "</g>"
        )
    parts += [_svg_node(plan, node) for node in plan.nodes]
    size = f'width="{plan.width:.0f}" height="{plan.height:.0f}" viewBox="0 0 {plan.width:.0f} {plan.height:.0f}"'
    style = "" if inline else f"<style>{figure_style()}</style>"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="gm-figure" {size} role="img" '
        f'aria-label="{escape(_spoken(e))}" font-family="{escape(FONTS)}">{style}{"".join(parts)}</svg>'
    )


def figure_style() -> str:
    """The style of the figure where the reader's system is dark; light colours are in the elements themselves."""
    return f"@media (prefers-color-scheme: dark) {{ {_style(DARK)} }}"


def _style(p: Palette) -> str:
    return (
        f".gm-ink {{ fill: {p.ink} }} .gm-muted {{ fill: {p.muted} }} .gm-link {{ stroke: {p.link} }} "
        f".gm-first {{ fill: {p.first}; stroke: {p.first} }} .gm-second {{ fill: {p.second}; stroke: {p.second} }} "
        f".gm-third {{ fill: {p.third}; stroke: {p.third} }} "
        f".gm-group {{ fill: {p.group}; stroke: {p.link} }} .gm-under {{ fill: {p.paper} }}"
    )


def _sheet(plan: Layout) -> str:
    size = f'width="{plan.width:.0f}" height="{plan.height:.0f}" rx="8"'
    return f'<rect {size} class="gm-under" fill="{LIGHT.paper}"/>'


def _text(x: float, y: float, text: str, kind: str, *, size: float, anchor: str = "start", weight: int = 400) -> str:
    fill = LIGHT.ink if kind == "gm-ink" else LIGHT.muted
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" fill="{fill}" font-size="{size:g}" '
        f'text-anchor="{anchor}"{bold}>{escape(text)}</text>'
    )


def _ends(plan: Layout, link: Link) -> tuple[float, float]:
    """Where a line starts, at the word's block, and where it ends, at the group."""
    if link.sentence == 0:
        return plan.blocks[0] + BLOCK, plan.centre - NODE[0] / 2
    return plan.blocks[1], plan.centre + NODE[0] / 2


def _svg_link(plan: Layout, link: Link) -> str:
    start, end = _ends(plan, link)
    bend = (start + end) / 2
    return (
        f'<path data-w="{link.word}" data-g="{link.group}" class="gm-link" fill="none" stroke="{LIGHT.link}" '
        f'stroke-width="2.5" stroke-opacity="{link.strength:.3f}" '
        f'd="M{start:.1f} {link.y:.1f}C{bend:.1f} {link.y:.1f} {bend:.1f} {link.to:.1f} {end:.1f} {link.to:.1f}"/>'
    )


def _svg_node(plan: Layout, node: Node) -> str:
    reason, (width, height) = node.reason, NODE
    box = (
        f'x="{plan.centre - width / 2:.1f}" y="{node.y - height / 2:.1f}" width="{width:g}" height="{height:g}" rx="14"'
    )
    middle = 5 if not node.caption else -3
    return (
        f'<g data-g="{reason.position}"><rect {box} class="gm-under" fill="{LIGHT.paper}"/>'
        f'<rect {box} class="gm-group" fill="{LIGHT.group}" fill-opacity="{reason.share:.3f}" stroke="{LIGHT.link}" '
        f'stroke-opacity="0.6"/>'
        + _text(plan.centre, node.y + middle, node.label, "gm-ink", size=14, anchor="middle", weight=600)
        + _text(plan.centre, node.y + 13, node.caption, "gm-ink", size=11, anchor="middle")
        + "</g>"
    )


def _spoken(e: Explanation) -> str:
    """The figure in words."""
    groups = []
    for reason in reasons(e):
        told = [
            f"“{phrase(e, words)}” in the {side}{' sentence' * (e.over is None)}"
            for words, side in zip(reason.words, sides(e), strict=True)
            if words
        ]
        groups.append(f"group {reason.rank}, importance {number(reason.group.importance)}: {' and '.join(told)}")
    texts = "two sentences" if e.over is None else "three texts"
    return f"Words of the {texts} and the groups they belong to. {'; '.join(groups)}"


def save_figure(e: Explanation, path: Path | str) -> None:
    """Write the figure as a PNG or PDF file, whichever its name ends in; the same figure gives the same bytes."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    plan = lay_out(e)
    figure = Figure(figsize=(plan.width / 72, plan.height / 72), facecolor=LIGHT.paper)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, plan.width), ylim=(plan.height, 0))
    axes.axis("off")
    _paint(axes, plan)
    kind = Path(path).suffix[1:].lower()
    undated = {"CreationDate": None} if kind == "pdf" else {}
    truetype = rc_context({"pdf.fonttype": 42})  # as publishers ask
    with warnings.catch_warnings(record=True) as caught, atomic(path) as temporary, truetype:
        warnings.simplefilter("always")
        figure.savefig(temporary, format=kind, dpi=72 * SCALE, metadata=undated)
    if any("missing from" in str(w.message) for w in caught):
        warnings.warn(
            "no font here has some of the characters, boxes stand for them; save as .svg or .html instead",
            stacklevel=2,
        )


def _paint(axes: Any, plan: Layout) -> None:
    """Draw the layout with matplotlib; a point of text is a unit of the layout."""
    from matplotlib.patches import FancyBboxPatch, PathPatch
    from matplotlib.path import Path as Curve

    family = _families()

    def write(x: float, y: float, text: str, *, size: float, colour: str = LIGHT.ink, **more: Any) -> None:
        axes.text(x, y, text, fontsize=size, color=colour, va="center", parse_math=False, family=family, **more)

    def box(x: float, y: float, size: tuple[float, float], *, radius: int, fill: str, edge: str) -> None:
        """A rounded box around a point at the middle of its height."""
        corner, style = (x, y - size[1] / 2), f"round,pad=0,rounding_size={radius}"
        axes.add_patch(FancyBboxPatch(corner, *size, boxstyle=style, fc=fill, ec=edge, zorder=2))

    write(16, 27, plan.title, size=20, weight="bold")
    write(16, 50, plan.subtitle, size=FONT, colour=LIGHT.muted)
    ends = {"start": "left", "middle": "center", "end": "right"}
    for x, text, anchor in plan.heads():
        write(x, plan.top - 16, text, size=SMALL, colour=LIGHT.muted, ha=ends[anchor])
    for i, line in enumerate(plan.notes):
        write(16, plan.foot - 4 + 18 * i, line, size=13)
    for link in sorted(plan.links, key=lambda link: link.strength):
        start, end = _ends(plan, link)
        bend = (start + end) / 2
        points = [(start, link.y), (bend, link.y), (bend, link.to), (end, link.to)]
        curve = Curve(points, [Curve.MOVETO, Curve.CURVE4, Curve.CURVE4, Curve.CURVE4])
        colour = mix(LIGHT.paper, LIGHT.link, link.strength)
        axes.add_patch(PathPatch(curve, fill=False, edgecolor=colour, linewidth=2.2, zorder=1))
    for row in plan.rows:
        x, colour = plan.blocks[row.column], LIGHT.sentences[row.sentence]
        at, align = ((x - 8, "right"), (x + BLOCK + 8, "left"))[row.column]
        if row.word is None:
            write(at, row.y, row.text, size=SMALL, colour=LIGHT.muted, ha=align)
            continue
        fill, edge = mix(LIGHT.paper, colour, row.shade), mix(LIGHT.paper, colour, max(row.shade, 0.35))
        box(x, row.y, (BLOCK, BLOCK), radius=3, fill=fill, edge=edge)
        matters = row.shade or any(link.word == row.word for link in plan.links)
        write(at, row.y, row.text, size=FONT, colour=LIGHT.ink if matters else LIGHT.muted, ha=align)
    for node in plan.nodes:
        fill = mix(LIGHT.paper, LIGHT.group, node.reason.share)
        box(plan.centre - NODE[0] / 2, node.y, NODE, radius=14, fill=fill, edge=LIGHT.group)
        middle = node.y if not node.caption else node.y - 8
        write(plan.centre, middle, node.label, size=14, ha="center", weight="bold", zorder=3)
        write(plan.centre, node.y + 10, node.caption, size=11, ha="center", zorder=3)


def _families() -> list[str]:
    from matplotlib.font_manager import fontManager

    return ["DejaVu Sans", *(name for name in _MORE_FONTS if name in set(fontManager.get_font_names()))]
