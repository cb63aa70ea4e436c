"""The report as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gmask.explanation import Explanation
from gmask.study.report.collect import Cell
from gmask.study.report.table import Table
from gmask.view.html import sentences, style

__all__ = ["to_page"]

_STYLE = """
:root { --text: #1d2129; --soft: #5a6270; --ground: #fff; --line: #d9dde4; --band: #f3f4f7; color-scheme: light dark }
@media (prefers-color-scheme: dark) {
  :root { --text: #eceff4; --soft: #a3adbb; --ground: #14171c; --line: #3a414c; --band: #20252d }
}
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 76rem; margin: 0 auto; padding: 1rem 1.5rem 4rem }
h1 { font-size: 1.7rem }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .6rem }
h3 { font-size: 1.05rem; margin: 1.8rem 0 .4rem }
nav ul { columns: 18rem; padding-left: 1.2rem }
a { color: inherit }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem }
th, td { padding: .3rem .7rem; text-align: left; vertical-align: top; white-space: nowrap }
thead th { border-bottom: 2px solid var(--text) }
tbody { border-bottom: 1px solid var(--line) }
tbody tr:nth-child(even) { background: var(--band) }
.number { text-align: right } .best { font-weight: 700 }
.note { color: var(--soft); font-size: .85rem; margin: .3rem 0; max-width: 70ch }
figure { margin: 0 0 1rem; overflow-x: auto }
figure svg { max-width: 100%; height: auto; background: #fff }
.examples { display: grid; grid-template-columns: repeat(auto-fill, minmax(23rem, 1fr)); gap: 1rem 1.5rem }
.examples h4 { margin: 0 0 .2rem; font-size: .9rem }
.examples .gmask { background: none; padding: 0; margin: 0; border: 0; box-shadow: none; font-size: .85rem }
.examples .gmask p { margin: 0 0 .3rem; font-size: inherit; padding-block: .1rem }
"""


def to_page(
    cells: Sequence[Cell], tables: Sequence[Table], figures: Sequence[tuple[str, str]], *, examples: int
) -> str:
    """The page.

    Args:
        cells: What was found.
        tables: In their order.
        figures: Titles and SVG texts.
        examples: How many pairs of each cell to show with every method's explanation.
    """
    shown = [(f"figure-{i}", title, svg) for i, (title, svg) in enumerate(figures, start=1)]
    links = [(table.name, table.title) for table in tables] + [(name, title) for name, title, _ in shown]
    links += [("examples", "Examples"), ("runs", "What was run")]
    titles = escape("; ".join(cell.title for cell in cells))
    menu = "".join(f'<li><a href="#{name}">{escape(title)}</a></li>' for name, title in links)
    parts = [
        "<h1>How faithful are the explanations?</h1>",
        f"<p>{titles}. Every figure with its 95 % bootstrap interval; bold: the best method (not what limits it).</p>",
        f"<nav><ul>{menu}</ul></nav>",
        *(table.to_html() for table in tables),
        *(f"<h2 id={name}>{escape(title)}</h2><figure>{_bare(svg)}</figure>" for name, title, svg in shown),
        "<h2 id=examples>Examples</h2>",
        "<p class=note>The stronger the colour, the more a method says the word matters, each by its own measure.</p>",
        *(_example(cell, number) for cell in cells for number in range(examples)),
        "<h2 id=runs>What was run</h2>",
        *(_told(cell) for cell in cells),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>How faithful are the explanations? · gmask</title>\n<style>{style()}{_STYLE}</style>\n</head>\n"
        "<body>\n<main>\n" + "\n".join(parts) + "\n</main>\n</body>\n</html>\n"
    )


def _bare(svg: str) -> str:
    """The element without the declarations of a file."""
    return svg[svg.index("<svg") :]


def _example(cell: Cell, number: int) -> str:
    """One pair with the explanations of all methods below each other."""
    by_method: dict[str, Explanation] = {}
    for method in cell.results:
        explained = [r.explanation for r in cell.results.records(method) if r.explanation is not None]
        if number < len(explained):
            by_method[method] = explained[number]
    if not by_method:
        return ""
    first = next(iter(by_method.values()))
    gold = next((r.gold for m in by_method for r in cell.results.records(m) if r.explanation is first), None)
    said = f"{cell.title}: the model says “{first.label}” ({first.probability:.2f})"
    said += f", people “{gold}”" if gold else ""
    cards = "".join(
        f"<div><h4>{escape(method)}</h4><div class=gmask>{sentences(e)}</div></div>"
        for method, e in by_method.items()
        if (e.first, e.second) == (first.first, first.second)
    )
    return f"<h3>{escape(said)}</h3><div class=examples>{cards}</div>"


def _told(cell: Cell) -> str:
    m = cell.manifests[0]
    model, data = m["model"], m["data"]
    facts = [
        f"Model {model['name']} ({model['kind']}, {model['hash'][:16]})",
        f"data {data.get('title') or data.get('name') or 'pairs'}, {data.get('split') or data.get('file') or ''}",
        f"removal {m['removal']}",
        f"seed {m['seed']}",
        ", ".join(f"{name} {version}" for name, version in m["versions"].items()),
    ]
    settings = "".join(
        f"<li>{escape(name)}: {escape(', '.join(f'{k} {v}' for k, v in settings.items()))}</li>"
        for manifest in cell.manifests
        for name, settings in manifest["methods"].items()
    )
    return (
        f"<h3>{escape(cell.title)}</h3><p class=note>{escape('; '.join(facts))}.</p>"
        f"<details><summary>Methods and their settings</summary><ul class=note>{settings}</ul></details>"
    )
