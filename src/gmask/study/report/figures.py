"""The figures of a report: post-hoc accuracy by the number of words, and the degradation curves of every method."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gmask.metric.degradation import GRID, Degradation
from gmask.metric.post_hoc_accuracy import V
from gmask.study.report.collect import Cell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["degradation_figure", "post_hoc_figure", "to_png", "to_svg"]

COLUMNS = 4
_SETTINGS: Any = {
    "svg.hashsalt": "gmask",  # the same figure, the same bytes
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
}
# Those the eye should find first have colours of their own; the rest goes round the list.
_STYLES: dict[str, dict[str, Any]] = {
    "gmask": {"color": "#6a3fd0", "linewidth": 2.4, "zorder": 5},
    "gmask:preset=paper": {"color": "#6a3fd0", "linewidth": 1.6, "linestyle": "--", "zorder": 4},
    "gmask:preset=released": {"color": "#6a3fd0", "linewidth": 1.6, "linestyle": "-.", "zorder": 4},
    "optimal": {"color": "#000000", "linewidth": 1.2, "linestyle": ":", "zorder": 3},
    "random": {"color": "#999999", "linewidth": 1.2, "linestyle": ":"},
    "lime": {"color": "#d1495b"},
    "l2x": {"color": "#00798c"},
    "iba": {"color": "#edae49"},
    "imask": {"color": "#2e7d32"},
}
_OTHERS = ("#1f77b4", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf", "#ff7f0e", "#5b8e7d", "#a83279", "#40508a")


def post_hoc_figure(cells: Sequence[Cell]) -> Figure:
    """A panel a cell, a line a method: the share of pairs that keep their label with only the top v words."""
    cells = [c for c in cells if "post_hoc_accuracy" in c.results.metrics()]
    styles = _styles(cells)

    def draw(cell: Cell, axes: Any) -> None:
        for method in cell.results:
            if "post_hoc_accuracy" in cell.results[method]:
                values = cell.results[method]["post_hoc_accuracy"]
                axes.plot(V, [100 * v for v in values], label=method, **styles[method])
        axes.set(title=cell.title, xticks=list(V), xlabel="top words kept", ylim=(0, 102))

    return _panels(cells, draw, "post-hoc accuracy (%)")


def degradation_figure(cell: Cell) -> Figure:
    """A panel a method: the normalised probability as the most, and as the least, relevant words go first."""
    methods = [m for m in cell.results if "degradation" in cell.results[m]]

    def draw(method: str, axes: Any) -> None:
        mean = cell.results.numbers(method, "degradation").mean(axis=0)
        morf, lerf = Degradation().curves(mean)
        axes.fill_between(100 * GRID, morf, lerf, color="#6a3fd0", alpha=0.12, linewidth=0)
        axes.plot(100 * GRID, morf, color="#d1495b", label="most relevant first (MoRF)")
        axes.plot(100 * GRID, lerf, color="#1f77b4", linestyle="--", label="least relevant first (LeRF)")
        axes.axhline(0, color="#999999", linewidth=0.6)
        score = cell.results[method]["degradation"]
        axes.set(title=f"{method}: {score:.3f}", xlabel="words removed (%)", xlim=(0, 100))

    return _panels(methods, draw, "normalised probability", share=True)


def to_svg(figure: Figure) -> str:
    """The figure as an SVG element with its size given by its box, fit for a page."""
    import matplotlib as mpl

    out = io.StringIO()
    with mpl.rc_context(_SETTINGS):
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def to_png(figure: Figure) -> bytes:
    """The figure as a PNG image."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=200, metadata={"Software": None})
    return out.getvalue()


def _styles(cells: Sequence[Cell]) -> dict[str, dict[str, Any]]:
    methods = list(dict.fromkeys(method for cell in cells for method in cell.results))
    plain = iter(_OTHERS * (1 + len(methods) // len(_OTHERS)))
    return {m: {"linewidth": 1.2, **(_STYLES.get(m) or {"color": next(plain), "alpha": 0.9})} for m in methods}


def _panels(items: Sequence[Any], draw: Any, ylabel: str, *, share: bool = False) -> Figure:
    """Panels in rows of four, with one legend for all below."""
    import matplotlib as mpl
    from matplotlib.figure import Figure as Canvas

    columns = min(COLUMNS, len(items))
    rows = -(-len(items) // columns)
    with mpl.rc_context(_SETTINGS):
        figure = Canvas(figsize=(max(2.7 * columns, 4.5), 2.4 * rows + 0.9), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False, sharey=share)
        for axes, item in zip(grid.flat, items, strict=False):
            draw(item, axes)
        for axes in list(grid.flat)[len(items) :]:
            axes.set_axis_off()
        for row in grid:
            row[0].set_ylabel(ylabel)
        handles = {label: h for axes in grid.flat for h, label in zip(*axes.get_legend_handles_labels(), strict=True)}
        fitting = int(figure.get_figwidth() / (0.5 + 0.07 * max(map(len, handles), default=0)))  # inches a label takes
        figure.legend(
            handles.values(), handles.keys(), loc="outside lower center", ncols=max(1, fitting), frameon=False
        )
    return figure
