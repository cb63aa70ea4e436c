"""The tables of a report: the paper's, with its figures beside ours, and those the paper does not have."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from gmask.metric.base import MEAN, UNDER, create, plain, usual
from gmask.study.report.collect import Cell
from gmask.study.report.limits import ASIDE, BEST, LARGER, PAPERS, base, belongs, distance, limits, meanings
from gmask.study.report.paper import paper_figure
from gmask.study.report.table import Entry, Table
from gmask.study.results import Results

__all__ = [
    "accuracy_table",
    "averages_table",
    "comparison_table",
    "figures_csv",
    "lacking_table",
    "metric_table",
    "summary",
    "tables",
    "ways_table",
]

COSTS = ("seconds", "rows")  # what costs nothing is not the best for it
FIRST = (*PAPERS, *COSTS)
OURS = "gmask"


def tables(cells: Sequence[Cell]) -> list[Table]:
    """Every table there is something for."""
    measured = {name for cell in cells for name in cell.results.metrics()}
    shown = _main(measured)
    found = [accuracy_table(cells), averages_table(cells), averages_table(cells, few=True)]
    found += [averages_table(cells, MEAN), averages_table(cells, MEAN, few=True)]
    found += [metric_table(cells, name) for name in shown]
    found += [ways_table(cells, name) for name in PAPERS if f"{name}{UNDER}{MEAN}" in measured]
    found += [comparison_table(cells, name) for name in shown if plain(name) in PAPERS]
    found.append(lacking_table(cells))
    return [table for table in found if table.rows]


def accuracy_table(cells: Sequence[Cell]) -> Table:
    """How often each model is right, in percent."""

    def entry(cell: Cell, _: str) -> list[Entry]:
        ours = cell.accuracy
        text = f"{100 * ours['right'] / ours['pairs']:.2f} ({ours['pairs']:,} pairs)" if ours else ""
        return [Entry(text, number=True), _paper(paper_figure("accuracy", cell.model, cell.data), "{:.2f}")]

    return _grid(
        "accuracy",
        "Accuracy of the models (%)",
        [cell for cell in cells if cell.accuracy],
        lambda _: [""],
        entry,
        ("paper: on its own test sets, with its own models.",),
    )


def metric_table(cells: Sequence[Cell], name: str) -> Table:
    """A metric's figures by model, method and data set, each with its interval and the paper's beside it."""
    metric = create(name)
    measured = {
        id(cell): [m for m, figures in cell.source(name).items() if name in figures and belongs(m, name)]
        for cell in cells
    }
    cells = [cell for cell in cells if measured[id(cell)]]
    counts = [f"{cell.title} {_counts(cell.source(name), measured[id(cell)], name)}" for cell in cells]
    notes = [f"{metric.summary[:1].upper()}{metric.summary[1:]}; {metric.better} is better."]
    notes += dict.fromkeys(f"{cell.model}: {told}" for cell in cells if (told := _told_ways(cell.results, name)))
    notes.append(f"Pairs: {'; '.join(counts)}.")
    if name == "seconds":
        notes += [
            f"{cell.title}: methods share rows here, so those that come later look faster than they are (see --alone)."
            for cell in cells
            if cell.alone is None
        ]
    notes += [
        f"{cell.title}: {method} could not explain {failed} pairs."
        for cell in cells
        for method, figures in cell.source(name).items()
        if (failed := figures["failed"])
    ]
    notes += [f"{told}." for told in meanings(m for cell in cells for m in measured[id(cell)])]
    if any(distance(cell.results, method, name) is not None for cell in cells for method in cell.results):
        notes.append(f"After the interval: the distance from {limits(cells, [name])}, on the pairs that both have.")

    def entry(cell: Cell, method: str) -> list[Entry]:
        results = cell.source(name)
        paper = _paper(paper_figure(name, cell.model, cell.data, method), "{:.3f}")
        if method not in results or name not in results[method]:
            return [Entry("", number=True), paper]
        best = None if name in COSTS else _best(results, name, higher=metric.better == "higher")
        return [
            Entry(
                _figure(results, method, name) + _percent(distance(results, method, name)),
                best=method == best,
                number=True,
            ),
            paper,
        ]

    has_paper = any(
        paper_figure(name, cell.model, cell.data, method) is not None for cell in cells for method in cell.results
    )
    shown = entry if has_paper else lambda cell, method: entry(cell, method)[:1]
    return _grid(_slug(name), metric.full_title, cells, lambda cell: measured[id(cell)], shown, tuple(notes))


def ways_table(cells: Sequence[Cell], name: str) -> Table:
    """A metric's figures with words removed in each way that was measured, and their mean."""
    metric = create(name)
    cells = [cell for cell in cells if f"{name}{UNDER}{MEAN}" in cell.results.metrics()]
    ways = list(dict.fromkeys(way for cell in cells for way in cell.results.ways(f"{name}{UNDER}{MEAN}")))
    ways.append(f"{name}{UNDER}{MEAN}")
    blocks = []
    for cell in cells:
        results = cell.results
        best = {way: _best(results, way, higher=metric.better == "higher") for way in ways}
        blocks.append(
            [
                [
                    Entry(cell.model),
                    Entry(cell.data),
                    Entry(method),
                    *(Entry(_figure(results, method, way), best=method == best[way], number=True) for way in ways),
                ]
                for method in results
                if base(method) not in (BEST, LARGER) and ways[-1] in results[method]
            ]
        )
    header = ("model", "data", "method", *(create(way).under or "" for way in ways))
    notes = (
        "Of one explanation, found with words removed as the method does.",
        f"{metric.better} is better.".capitalize(),
    )
    return Table(f"{name}-ways", f"{metric.title} by what stands where a word is gone", header, blocks, notes)


def averages_table(cells: Sequence[Cell], under: str | None = None, *, few: bool = False) -> Table:
    """The paper's metrics and the rows averaged over the cells, for the methods that are in each of them.

    Each cell counts with the pairs that all these methods have. The best order found costs most and may have fewer, so
    it has no line: with each figure stands its average distance from that, on the pairs that both have.

    Args:
        cells: What was found.
        under: The way in which words are removed, as in the names of metrics. Default: as the methods do.
        few: Take also the methods that have fewer than half of the pairs of others somewhere, and so for all only the
            pairs that these have; nothing where there is no such method.
    """
    wanted = {
        name: f"{name}{UNDER}{under}" if under and name in PAPERS else name for name in FIRST if name != "seconds"
    }
    names = [name for name in wanted.values() if all(name in cell.results.metrics() for cell in cells)]
    names = names if set(names).difference(COSTS) else []
    methods = [m for m in (cells[0].results if len(cells) > 1 else ()) if base(m) not in (BEST, LARGER)]
    methods = [m for m in methods if all(name in cell.results.get(m, {}) for cell in cells for name in names)]
    full = [m for m in methods if all(_full(cell.results, m, name) for cell in cells for name in names)]
    methods = (methods if len(full) < len(methods) else []) if few else full
    figures = {name: [cell.results.on_common_pairs(methods, name) for cell in cells] for name in names if methods}
    means = {name: np.mean(own, axis=0) for name, own in figures.items() if all(own)}

    def rivals(name: str) -> list[float]:
        return [value for method, value in zip(methods, means[name], strict=True) if base(method) not in ASIDE]

    def entry(name: str, place: int) -> Entry:
        value, gap = means[name][place], _percent(*(distance(cell.results, methods[place], name) for cell in cells))
        return Entry(_plain(value) + gap, best=name not in COSTS and value == np.nanmax(rivals(name)), number=True)

    rows = [[Entry(method), *(entry(name, place) for name in means)] for place, method in enumerate(methods)]
    title = f"Averages over {len(cells)} combinations of model and data"
    title += (f" ({under} over the ways of removing words)" if under == MEAN else f" ({under})") if under else ""
    title += ", with methods that have fewer pairs" if few else ""
    counts = [cell.results.common(methods, names[0]) for cell in cells] if means else []
    notes = [
        "Each of the pairs that all these methods have; methods that are missing somewhere are left out.",
        f"Pairs: {'; '.join(f'{c.title} {len(pairs)}' for c, pairs in zip(cells, counts, strict=False))}.",
        *(f"{told}." for told in meanings(methods)),
    ]
    if found := limits(cells, names):
        notes.append(f"After a figure: the average distance from {found}, on the pairs that both have.")
    header = ("method", *(create(name).full_title for name in means))
    name = "-".join(["averages", *([under] if under else []), *(["few"] if few else [])])
    return Table(name, title, header, [rows] if means else [], tuple(notes))


def comparison_table(cells: Sequence[Cell], name: str) -> Table:
    """How much better `gmask` is than each other method, on the same pairs."""
    metric = create(name)
    sign = 1 if metric.better == "higher" else -1

    def entry(cell: Cell, method: str) -> list[Entry]:
        if any(name not in cell.results.get(m, {}) for m in (OURS, method)):
            return [Entry("", number=True), Entry("", number=True)]
        c = cell.results.compare(OURS, method, name)
        ends = sorted((sign * c.low, sign * c.high))
        text = f"{_plain(sign * c.difference)} [{_plain(ends[0])}, {_plain(ends[1])}]" + ("†" if ends[1] < 0 else "")
        return [Entry(text, best=ends[0] > 0, number=True), Entry(f"{c.p:.3f}", number=True)]

    return _grid(
        f"{_slug(name)}-compared",
        f"{metric.full_title}: how much better gmask is than each other method",
        [cell for cell in cells if name in cell.results.get(OURS, {})],
        lambda cell: [m for m in cell.results if m != OURS and belongs(m, name)],
        entry,
        ("Paired bootstrap over the same pairs: 95 % interval, p of no difference. Bold: gmask is better; †: worse.",),
        second="p",
    )


def figures_csv(cells: Sequence[Cell]) -> str:
    """Every figure, one a line, for other programs."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["model", "data", "method", "metric", "part", "value", "low", "high", "pairs", "paper"])
    for cell in cells:
        for method in cell.results:
            for name in cell.results.metrics():
                results = cell.source(name)
                figures = results.get(method, {})
                if name not in figures:
                    continue
                paper = paper_figure(name, cell.model, cell.data, method)
                values, ends = figures[name], figures[f"{name}_interval"]
                pairs = len(results.measured(method, name))
                if isinstance(values, float):
                    values, ends = [values], [ends]
                for part, (value, (low, high)) in enumerate(zip(values, ends, strict=True), start=1):
                    told = [cell.model, cell.data, method, name, part if len(values) > 1 else ""]
                    writer.writerow([*told, value, low, high, pairs, "" if paper is None else paper])
    return out.getvalue()


def summary(results: Results) -> str:
    """The figures of one run, for the terminal; the main ones where all usual metrics were measured, which are many."""
    asked = {plain(name) for names in results.asked.values() for name in names} or set(map(plain, results.metrics()))
    names = [name for name in _main(results.metrics()) if plain(name) in asked]
    if set(usual()) <= asked:
        names = [name for name in names if plain(name) in FIRST or create(name).costly]
    rows = [
        [Entry(method), *(Entry(_figure(results, method, name), number=True) for name in names)] for method in results
    ]
    pairs = max((results[method]["pairs"] for method in results), default=0)
    failed = {method: results[method]["failed"] for method in results if results[method]["failed"]}
    notes = [f"{method} could not explain {count} pairs." for method, count in failed.items()]
    notes += [f"{told}." for told in results.lacking()]
    header = ("method", *(create(name).full_title for name in names))
    return Table("summary", f"{pairs} pair{'s' * (pairs != 1)}", header, [rows], tuple(notes)).to_markdown()


def lacking_table(cells: Sequence[Cell]) -> Table:
    """What was asked for and could not be measured, in words."""
    rows = [[Entry(cell.title), Entry(f"{told}.")] for cell in cells for told in cell.results.lacking()]
    return Table("lacking", "What could not be measured", ("model and data", "why"), [rows])


def _main(names: Iterable[str]) -> list[str]:
    """The paper's metrics first; those measured in several ways by their mean."""
    names = set(names)
    shown = [name for name in names if UNDER not in name or {name, f"{plain(name)}{UNDER}{MEAN}"} & names == {name}]
    shown += [name for name in names if name.endswith(f"{UNDER}{MEAN}")]
    return sorted(set(shown), key=lambda name: (FIRST.index(plain(name)) if plain(name) in FIRST else len(FIRST), name))


def _told_ways(results: Results, name: str) -> str:
    """Which ways a mean is over."""
    ways = [create(way).under or "" for way in results.ways(name)]
    return f"the mean of the figures with words removed by {', '.join(ways)}." if len(ways) > 1 else ""


def _full(results: Results, method: str, name: str) -> bool:
    """Whether a method has at least half as many pairs as any has."""
    return 2 * len(results.measured(method, name)) >= max(len(results.measured(m, name)) for m in results)


def _slug(name: str) -> str:
    """A metric's name as part of a file's."""
    return name.replace(UNDER, "-")


def _grid(
    name: str,
    title: str,
    cells: Sequence[Cell],
    methods: Callable[[Cell], list[str]],
    entry: Callable[[Cell, str], list[Entry]],
    notes: tuple[str, ...],
    second: str = "paper",
) -> Table:
    """Models and methods down, data sets across."""
    models, datasets = (list(dict.fromkeys(getattr(cell, part) for cell in cells)) for part in ("model", "data"))
    by_place = {(cell.model, cell.data): cell for cell in cells}
    width = len(entry(cells[0], methods(cells[0])[0])) if cells else 1
    blocks = []
    for model in models:
        own = [cell for cell in cells if cell.model == model]
        rows = []
        for method in dict.fromkeys(m for cell in own for m in methods(cell)):
            row = [Entry(model), Entry(method)] if method else [Entry(model)]
            for data in datasets:
                cell = by_place.get((model, data))
                row += entry(cell, method) if cell else [Entry("", number=True)] * width
            rows.append(row)
        blocks.append(rows)
    columns = [column for data in datasets for column in (data, second)[:width]]
    named = any(m for cell in cells for m in methods(cell))
    return Table(name, title, ("model", *(["method"] if named else []), *columns), blocks, notes)


def _figure(results: Results, method: str, name: str) -> str:
    if name not in results[method]:
        return ""
    value, low, high = results.overall(method, name)
    return f"{_plain(value)} [{_plain(low)}, {_plain(high)}]"


def _percent(*distances: float | None) -> str:
    """The mean of distances, where each is known, for after a figure."""
    known = [d for d in distances if d is not None]
    return f" {sum(known) / len(known):+.1f} %" if len(known) == len(distances) else ""


def _plain(value: float) -> str:
    if not math.isfinite(value):
        return "–" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.3f}"


def _paper(value: float | None, shape: str) -> Entry:
    return Entry("" if value is None else shape.format(value), number=True)


def _best(results: Results, name: str, *, higher: bool) -> str | None:
    """The best method on the pairs that all have, so that none is first for having easier ones."""
    rivals = [m for m in results if name in results[m] and base(m) not in ASIDE]
    figures = zip(rivals, results.on_common_pairs(rivals, name) if rivals else (), strict=False)
    values = {m: v for m, v in figures if math.isfinite(v)}
    return (max if higher else min)(values, key=lambda m: values[m]) if values else None


def _counts(results: Results, methods: Sequence[str], name: str) -> str:
    pairs = {method: len(results.measured(method, name)) for method in methods}
    usual = max(pairs.values())
    others = [f"{method} {count}" for method, count in pairs.items() if count != usual]
    return f"{usual}" + (f" ({', '.join(others)})" if others else "")
