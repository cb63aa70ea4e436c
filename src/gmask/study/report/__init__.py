"""Reports: the paper's tables and figures from runs, and one page with all of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gmask.files import atomic, check_writable, write_text
from gmask.study.progress import say
from gmask.study.report.collect import collect
from gmask.study.report.figures import degradation_figure, post_hoc_figure, to_png, to_svg
from gmask.study.report.page import to_page
from gmask.study.report.tables import figures_csv, tables

__all__ = ["write_report"]


def write_report(runs: Sequence[Path], folder: Path, *, examples: int = 3) -> list[Path]:
    """Write everything about some runs into a folder.

    Args:
        runs: Folders that `gmask evaluate` wrote, finished or not.
        folder: Gets `report.html`, `report.md`, `tables.tex`, `figures.csv`, a CSV a table, and the figures as SVG and
            PNG.
        examples: How many pairs of each model and data set the page shows with every method's explanation.

    Returns:
        The files.
    """
    cells = collect(runs, say)
    check_writable(folder / "report.html")
    made = tables(cells)
    figures = []
    if any("post_hoc_accuracy" in cell.results.metrics() for cell in cells):
        figures.append(("post-hoc-accuracy", "Post-hoc accuracy", post_hoc_figure(cells)))
    figures += [
        (f"degradation-{_slug(cell.title)}", f"Degradation test: {cell.title}", degradation_figure(cell))
        for cell in cells
        if "degradation" in cell.results.metrics()
    ]
    texts = {
        "report.md": "\n".join(["# How faithful are the explanations?\n", *(table.to_markdown() for table in made)]),
        "tables.tex": "\n".join(table.to_latex() for table in made),
        "figures.csv": figures_csv(cells),
        **{f"{table.name}.csv": table.to_csv() for table in made},
        **{f"{name}.svg": to_svg(figure) for name, _, figure in figures},
    }
    drawn = [(title, texts[f"{name}.svg"]) for name, title, _ in figures]
    texts["report.html"] = to_page(cells, made, drawn, examples=examples)
    for name, text in texts.items():
        write_text(folder / name, text)
    for name, _, figure in figures:
        with atomic(folder / f"{name}.png") as temporary:
            temporary.write_bytes(to_png(figure))
    return sorted(folder / name for name in [*texts, *(f"{name}.png" for name, _, _ in figures)])


def _slug(title: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in title.lower()).strip("-")
