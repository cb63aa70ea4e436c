"""The page: one explanation as self-contained HTML, whole or as a fragment for a notebook or another page."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from importlib.resources import files

from gmask.explanation import FLOOR, Explanation, Sentence
from gmask.view.colours import DARK, LIGHT, Palette
from gmask.view.figure import FONTS, figure_style, to_svg
from gmask.view.parts import (
    LINKED,
    MARKED,
    SIDES,
    Run,
    classes,
    gist,
    headline,
    is_long,
    measure,
    named,
    number,
    opposing,
    origin,
    phrase,
    proof,
    question,
    ranked_sentences,
    reasons,
    runs,
    shades,
    sides,
    stretches,
    visible,
)

__all__ = ["fragment", "framed", "markup", "script", "sentences", "shielded", "style", "to_html"]

MOST = 60  # words in the table of numbers
# Nothing of the page around a fragment reaches it. SVG keeps what its attributes say, which a revert would undo.
SHIELD = """.gmask { all: initial; display: block }
.gmask :where(:not(svg, svg *)), .gmask :where(:not(svg, svg *))::before { all: revert }"""
HINT = "Point at a word or a reason, or tab to it, to see what belongs together."


def to_html(e: Explanation) -> str:
    """A page that needs nothing from anywhere: no network, no fonts, no libraries."""
    return framed(headline(e), "Explanation", fragment(e))


def framed(title: str, heading: str, body: str) -> str:
    """A whole page around what it shows."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)} · gmask</title>\n"
        f"<style>body {{ margin: 0; background: {LIGHT.paper} }} main {{ max-width: 60rem; margin: 1rem auto }} "
        "h1 { position: absolute; margin: 0; clip-path: inset(50%) } "
        f"@media (prefers-color-scheme: dark) {{ body {{ background: {DARK.paper} }} }}</style>\n"
        f"</head>\n<body>\n<main>\n<h1>{heading}</h1>\n{body}\n</main>\n</body>\n</html>"
    )


def fragment(e: Explanation) -> str:
    """The explanation with its style and script, to be put into any page, also more than one."""
    return f"<style>{shielded()}</style>\n{markup(e)}\n<script>{script()}</script>"


@lru_cache(maxsize=1)
def style() -> str:
    """The style of all explanations on a page."""
    sheet = (files("gmask.view") / "explanation.css").read_text(encoding="utf-8")
    dark = f"@media (prefers-color-scheme: dark) {{ .gmask {{ {_variables(DARK)} }} }}"
    return f".gmask {{ --font: {FONTS}; {_variables(LIGHT)} }}\n{dark}\n{figure_style()}\n{sheet}"


@lru_cache(maxsize=1)
def shielded() -> str:
    """The style for a page of others, such as a notebook: with the weight of an id, its rules win over theirs."""
    return re.sub(r"\.gmask(?![\w-])", ":is(.gmask, #gmask)", f"{SHIELD}\n{style()}")


@lru_cache(maxsize=1)
def script() -> str:
    """The script of all explanations on a page; without it everything is there but the lights."""
    return (files("gmask.view") / "explanation.js").read_text(encoding="utf-8")


def _variables(p: Palette) -> str:
    solid = {"paper": p.paper, "raised": p.raised, "ink": p.ink, "muted": p.muted, "link": p.link, "alert": p.alert}
    channels = {"first": p.first, "second": p.second, "third": p.third, "violet": p.group}
    triples = {name: " ".join(str(int(c[i : i + 2], 16)) for i in (1, 3, 5)) for name, c in channels.items()}
    return " ".join(f"--{name}: {value};" for name, value in {**solid, "group": p.group, **triples}.items())


def markup(e: Explanation) -> str:
    """The explanation itself, for a page that has the style and the script already."""
    hint = HINT + (" Dotted: speaks against it." if opposing(e) else "")
    parts = [
        _verdict(e),
        sentences(e),
        f'<p class="says small" data-hint="{hint}" role="status">{hint}</p>',
        _notes(e),
        f'<div class="parts"><div>{_reasons(e) or _single(e)}</div><div>{_evidence(e)}</div></div>',
        _sentences(e),
        _numbers(e),
        f'<footer class="small">{escape(origin(e))}</footer>',
    ]
    return (
        f'<section class="gmask" aria-label="Explanation: {escape(headline(e))}">\n' + "\n".join(parts) + "\n</section>"
    )


def _verdict(e: Explanation) -> str:
    value = f' <span class="number">{number(e.value)}</span>' if e.against or e.target != e.label else ""
    head = f'<div><h2 dir="auto">{escape(headline(e))}</h2><p dir="auto">{escape(question(e))}{value}</p></div>'
    rows = "".join(
        f'<dt dir="auto"{_said(e, name)}>{escape(name)}</dt><dd class="bar" style="--v:{p:.4f}"></dd>'
        f'<dd class="number"{_said(e, name)}>{number(p)}</dd>'
        for name, p in classes(e)
    )
    bars = f'<dl class="classes">{rows}</dl>' if rows else ""
    return f'<div class="verdict">{head}{bars}</div>'


def _said(e: Explanation, name: str) -> str:
    return ' style="font-weight:700"' if name == visible(e.label) else ""


def sentences(e: Explanation, *, short: bool = False) -> str:
    """The two sentences with the words that matter marked.

    Args:
        e: The explanation.
        short: Of a long sentence, only the gist. Default: every word as it was typed.
    """
    shade, against = shades(e), set(opposing(e))
    inside = [[g for g, group in enumerate(e.groups) if group.memberships[i] >= LINKED] for i in range(len(e.words))]
    marked = {i for i in range(len(e.words)) if shade[i] or inside[i] or i in against}

    def shown(run: Run) -> str:
        text, i = escape(visible(run.text)), run.word
        if run.left_out:
            return f'<span class="small">{text}</span>'
        if i is None or i not in marked:
            return text
        return (
            f'<mark tabindex="0" data-w="{i}" data-in="{" ".join(map(str, inside[i]))}"'
            f'{" class=against" if i in against else ""} style="--s:{shade[i]:.3f}" title="{_told(e, i)}">{text}</mark>'
        )

    found = []
    for sentence, side in enumerate(SIDES[: len(e.texts)]):
        body = "".join(
            _in_sentence(own, "".join(map(shown, part)))
            for own, part in stretches(e, gist(e, sentence, marked) if short else runs(e, sentence))
        )
        kind = f"sentence {side}{' long' * is_long(e, sentence)}"
        label = f"{sides(e)[sentence]}{' sentence' * (e.over is None)}"
        found.append(f'<p class="{kind}" dir="auto" aria-label="{label}">{body}</p>')
    return "".join(found)


def _in_sentence(own: Sentence | None, body: str) -> str:
    """A stretch of a text; of a long one with whether its sentence decides, and what that does."""
    if own is None:
        return body
    said = "" if own.says is None else f", where the model says {visible(own.says)}"
    told = f"alone {number(own.kept)}{said}; without it {number(own.removed)}"
    return f'<span class="{"decisive" if own.decisive else "aside"}" title="{escape(told)}">{body}</span>'


def _told(e: Explanation, i: int) -> str:
    """A word's numbers, in words."""
    parts = [f"attribution {number(e.attributions[i])}"]
    parts += [f"reason {g + 1}: {number(m)}" for g, group in enumerate(e.groups) if (m := group.memberships[i]) >= 0.01]
    return escape(f"{visible(e.words[i].text)}: {', '.join(parts)}")


def _notes(e: Explanation) -> str:
    notes = "".join(f'<li dir="auto">{escape(visible(note))}</li>' for note in e.notes())
    return f'<ul class="notes" aria-label="Read this first">{notes}</ul>' if notes else ""


def _reasons(e: Explanation) -> str:
    items = []
    for reason in reasons(e):
        chips = " ".join(
            f'<mark class="{side}" dir="auto">{escape(phrase(e, words))}</mark>'
            for words, side in zip(reason.words, SIDES, strict=False)
            if words
        )
        told = proof(reason.group) if reason.sure else "its words are uncertain"
        items.append(
            f'<li tabindex="0" data-g="{reason.position}" title="Reason {reason.rank}: {escape(told)}">'
            f'<span class="rank" style="--s:{reason.share:.3f}">{reason.rank}</span>'
            f'<span class="chips">{chips}</span>'
            f'<span class="weight"><span class="bar" style="--v:{reason.share:.3f}"></span>'
            f'<span class="number">importance {number(reason.group.importance)}</span></span>'
            f'<span class="small number">{escape(told)}</span></li>'
        )
    if not items:
        return ""
    figure = f"<figure>{to_svg(e, inline=True)}</figure>"
    return f'<h3>Reasons, most important first</h3><ol class="reasons">{"".join(items)}</ol>{figure}'


def _single(e: Explanation) -> str:
    """The strongest words, for a method that finds no groups."""
    strongest = max(map(abs, e.attributions), default=0.0) or 1.0
    ranked = sorted(range(len(e.words)), key=lambda i: -abs(e.attributions[i]))[: len(e.evidence.kept)]
    ranked = [i for i in ranked if abs(e.attributions[i]) >= max(MARKED * strongest, FLOOR)]
    rows = "".join(
        f"<tr>{_word(e, i, name)}{_cell(abs(e.attributions[i]) / strongest, e.attributions[i])}</tr>"
        for i, name in zip(ranked, named(e, ranked), strict=True)
    )
    table = f'<table class="evidence"><tbody>{rows}</tbody></table>' if rows else "<p>none</p>"
    return f"<h3>Words, strongest first</h3>{table}"


def _evidence(e: Explanation) -> str:
    rows: list[str] = []
    top = e.order()[: len(e.evidence.kept)]
    for i, name, kept, removed in zip(top, named(e, top), e.evidence.kept, e.evidence.removed, strict=False):
        rows.append(f"<tr>{_word(e, i, name, '+ ' * bool(rows))}{_cell(kept, kept)}{_cell(removed, removed)}</tr>")
    head = '<th scope="col">top words</th><th scope="col">only these</th><th scope="col">all but these</th>'
    return (
        f'<h3>Evidence</h3><table class="evidence"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody>'
        f'</table><p class="small">{escape(measure(e))}</p>'
    )


def _word(e: Explanation, i: int, name: str, before: str = "") -> str:
    dot = '<span class="dot"></span>'
    return f'<th scope="row" class="{SIDES[e.words[i].sentence]}">{before}{dot}<bdi>{escape(name)}</bdi></th>'


def _cell(share: float, value: float) -> str:
    against = " against" if value < 0 else ""
    filled = min(max(share, 0.0), 1.0)
    return f'<td class="number"><span class="bar{against}" style="--v:{filled:.4f}"></span>{number(value)}</td>'


def _sentences(e: Explanation) -> str:
    """What each sentence of a long text does."""
    if not e.sentences:
        return ""
    says = any(s.says is not None for s in e.sentences)
    rows = "".join(
        f'<tr{" class=decided" * s.decisive}><th scope="row" class="{SIDES[s.sentence]}">'
        f'<span class="dot"></span><bdi>{escape(visible(s.text))}</bdi></th>'
        f'<td class="number">{number(s.kept)}</td><td class="number">{number(s.removed)}</td>'
        + (f"<td>{escape(visible(s.says or ''))}</td>" if says else "")
        + "</tr>"
        for s in ranked_sentences(e)[:MOST]
    )
    head = "".join(
        f'<th scope="col">{name}</th>' for name in ("sentence", "only it", "all but it", *["only it says"] * says)
    )
    table = f'<table class="sentences"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    scroll = f'<div class="scroll" tabindex="0" role="region" aria-label="The sentences">{table}</div>'
    return f"<details open><summary>Sentences, those that decide first</summary>{scroll}</details>"


def _numbers(e: Explanation) -> str:
    """Every number behind the colours."""
    names = sides(e)
    heads = ["word", "sentence", "attribution", *(f"reason {g + 1}" for g in range(len(e.groups)))]
    rows = "".join(
        f'<tr><th scope="row"><bdi>{escape(visible(e.words[i].text))}</bdi></th><td>{names[e.words[i].sentence]}</td>'
        f"<td>{number(e.attributions[i])}</td>"
        + "".join(f"<td>{number(group.memberships[i])}</td>" for group in e.groups)
        + "</tr>"
        for i in e.order()[:MOST]
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    rest = f'<p class="small">and {len(e.words) - MOST} words more</p>' if len(e.words) > MOST else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}"
    scroll = f'<div class="scroll" tabindex="0" role="region" aria-label="All numbers">{table}</div>'
    return f"<details><summary>All numbers</summary>{scroll}</details>"
