"""What stands beside the methods of a table and competes with none: the best order found, and what names mean."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from gmask.method.base import create as create_method
from gmask.method.best_order import BestOrder
from gmask.metric.base import plain
from gmask.metric.degradation import Degradation
from gmask.study.record import Record
from gmask.study.report.collect import Cell
from gmask.study.results import Results

__all__ = ["ASIDE", "BEST", "LARGER", "PAPERS", "base", "belongs", "distance", "limits", "meanings"]

PAPERS = ("aopc", "post_hoc_accuracy", "degradation")  # the paper's metrics
BEST, LARGER = "best-order", "optimal"  # the second is in runs of before there was the first
ASIDE = (BEST, LARGER, "shuffled")  # no competitors: they know the measure, or are there to check it
WHAT = {
    BEST: "found by a search that knows the measure",
    LARGER: "the same objective on a larger table, not a bound",
}
MEANT = {  # which would be taken for each other
    "gmask:preset=paper": "the paper's objective, solved exactly, which is not what its authors' program does",
    "gmask:preset=released": "the procedure that the paper's authors released",
}


def base(method: str) -> str:
    """A method without its settings."""
    return method.partition(":")[0]


def belongs(method: str, metric: str) -> bool:
    """Whether a method has a say about a metric; the best order for another measure has none, nor has the worst."""
    if base(method) != BEST:
        return True
    sought = create_method(method)
    return isinstance(sought, BestOrder) and (sought.measure, sought.goal) == (metric, "highest")


def _limit(results: Results, metric: str) -> str | None:
    """The best that was found for one of the paper's metrics."""
    if metric not in PAPERS:
        return None
    return next((m for m in results if base(m) in WHAT and belongs(m, metric)), None)


def limits(cells: Sequence[Cell], metrics: Sequence[str]) -> str:
    """What distances are from, in words; nothing, if there is none.

    The best order found is the best there is only where all subsets were asked about.
    """
    found = [(cell, limit) for cell in cells for name in metrics if (limit := _limit(cell.results, name))]
    names = dict.fromkeys(base(limit) for _, limit in found)
    told = " and ".join(f"{name} ({WHAT[name]})" for name in names)
    if BEST not in names:
        return told
    proven = [
        _proven(limit, record) for cell, limit in found if base(limit) == BEST for record in cell.results.records(limit)
    ]
    return f"{told}; the true optimum, and so a bound, for {sum(proven)} of {len(proven)} orders"


def _proven(limit: str, record: Record) -> bool:
    """Whether an order is the best there is; a record that is shared says how many words there were by its curves."""
    curves = next((own for name, own in record.measured.items() if plain(name) == Degradation.name), None)
    sought = create_method(limit)
    return isinstance(sought, BestOrder) and curves is not None and Degradation.words(curves) <= sought.exact


def meanings(methods: Iterable[str]) -> list[str]:
    """What methods of like names are."""
    shown = list(methods)
    return [f"{name}: {told}" for name, told in MEANT.items() if any(m.startswith(name) for m in shown)]


def distance(results: Results, method: str, name: str) -> float | None:
    """How far a figure of the paper's metrics is from the best found, in percent, on the pairs that both have."""
    limit = _limit(results, name)
    if limit is None or method == limit or any(name not in results.get(m, {}) for m in (limit, method)):
        return None
    value, most = results.on_common_pairs((method, limit), name) or (0.0, 0.0)
    return 100 * (value / most - 1) if most > 0 and math.isfinite(value) else None
