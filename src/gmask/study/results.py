"""What a study found: figures by method and metric, their intervals, and comparisons of methods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from gmask.errors import GmaskError, MissingError, one_of
from gmask.metric.base import MEAN, UNDER, create, plain
from gmask.metric.bootstrap import Comparison, Figure, MeanOver, compare, interval
from gmask.study.record import Record

__all__ = ["Results"]


class Results(Mapping[str, dict[str, Any]]):
    """Figures by method: `results["gmask"]["aopc"]`, and beside each its 95 % interval, `["aopc_interval"]`.

    A figure of several parts, as the post-hoc accuracy for v = 1..10, is a list, and its interval a list of intervals.
    `["pairs"]` is how many pairs were explained, `["failed"]` how many could not be. A metric that was measured with
    words removed in several ways, as `aopc@drop` and `aopc@zero`, has a mean of their figures too, `aopc@mean`, over
    the pairs that have all of them. Printed, it is a table.

    Args:
        records: Of one model on one set of pairs.
        seed: Of the bootstrap.
        asked: By method, the metrics that were asked for, whether or not they could be measured.
    """

    def __init__(
        self, records: Iterable[Record], *, seed: int = 0, asked: Mapping[str, Iterable[str]] | None = None
    ) -> None:
        self.seed = seed
        self.asked = {method: list(names) for method, names in (asked or {}).items()}
        self._records: dict[str, dict[int, Record]] = {}
        for record in records:
            self._records.setdefault(record.method, {})[record.pair] = record
        self._figures: dict[str, dict[str, Any]] = {}
        self._overall: dict[tuple[str, str], tuple[float, float, float]] = {}

    def __getitem__(self, method: str) -> dict[str, Any]:
        if method not in self._records:
            raise MissingError(str(one_of("method", method, self)))
        if method not in self._figures:
            self._figures[method] = self._figures_of(method)
        return self._figures[method]

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def __repr__(self) -> str:
        return f"Results({', '.join(self)}; {', '.join(self.metrics())})"

    def __str__(self) -> str:
        from gmask.study.report.tables import summary

        return summary(self)

    def to_frame(self) -> Any:
        """A row for each figure, or part of one: a pandas DataFrame where pandas is installed, else a list of dicts."""
        rows = [row for method in self for row in self._rows_of(method)]
        try:
            from pandas import DataFrame  # type: ignore[import-untyped]
        except ImportError:
            return rows
        return DataFrame(rows)

    def records(self, method: str) -> list[Record]:
        """The records of a method, in the order of the pairs."""
        return [record for _, record in sorted(self._records[method].items())]

    def metrics(self) -> list[str]:
        """The metrics that were measured on some pair, and the means of those measured in several ways."""
        ways = Counter(plain(name) for name in self._recorded if UNDER in name)
        return sorted([*self._recorded, *(f"{name}{UNDER}{MEAN}" for name, count in ways.items() if count > 1)])

    def lacking(self) -> list[str]:
        """What was asked for and could not be measured on any pair, in words."""
        found: dict[tuple[str, tuple[str, ...]], list[str]] = {}  # metrics that lack the same, of the same methods
        for metric in dict.fromkeys(name for names in self.asked.values() for name in names):
            asked = [m for m in self if metric in self.asked.get(m, ()) and self[m]["pairs"]]
            without = [m for m in asked if not self.measured(m, metric)]
            if without:
                methods = () if without == asked else tuple(without)
                found.setdefault((create(metric).needs, methods), []).append(metric)
        return [_lack(metrics, methods, needs) for (needs, methods), metrics in found.items()]

    def numbers(self, method: str, metric: str, pairs: Sequence[int] | None = None) -> np.ndarray:
        """Each pair's numbers on a common footing, `[pairs, d]`."""
        made, parts, own = create(metric), self.ways(metric), self._records[method]
        pairs = self.measured(method, metric) if pairs is None else pairs
        return np.array([np.concatenate([made.common(own[pair].measured[part]) for part in parts]) for pair in pairs])

    def overall(self, method: str, metric: str) -> tuple[float, float, float]:
        """A figure and its 95 % interval; one of several parts, as the post-hoc accuracy, by the mean of its parts."""
        if (method, metric) not in self._overall:
            made, numbers = self._maker(metric), self.numbers(method, metric)
            low, high = interval(made, numbers, seed=self.seed, overall=True)
            value = made.figure(numbers.mean(axis=0)).mean()
            self._overall[method, metric] = float(value), float(low[0]), float(high[0])
        return self._overall[method, metric]

    def on_common_pairs(self, methods: Sequence[str], metric: str) -> list[float]:
        """The figures of some methods on the pairs that all of them were measured on; none if there is no such pair."""
        pairs = self.common(methods, metric)
        made = self._maker(metric)
        return [
            float(made.figure(self.numbers(method, metric, pairs).mean(axis=0)).mean())
            for method in (methods if pairs else ())
        ]

    def compare(self, one: str, other: str, metric: str) -> Comparison:
        """Hold two methods against each other by a paired bootstrap over the pairs that both were measured on."""
        for method in (one, other):
            if method not in self._records:
                raise one_of("method", method, self)
        pairs = self.common((one, other), metric)
        if not pairs:
            raise GmaskError(f"{one} and {other} were never measured by {metric} on the same pair")
        numbers = [self.numbers(method, metric, pairs) for method in (one, other)]
        return compare(self._maker(metric), *numbers, seed=self.seed)

    def measured(self, method: str, metric: str) -> list[int]:
        """The pairs on which a method was measured by a metric."""
        parts = set(self.ways(metric))
        return sorted(pair for pair, record in self._records[method].items() if parts <= record.measured.keys())

    def ways(self, metric: str) -> list[str]:
        """What is recorded of a metric: itself, or, of a mean, the metric in each way that words were removed in."""
        if metric != f"{plain(metric)}{UNDER}{MEAN}":
            return [metric]
        return [name for name in self._recorded if name.startswith(f"{plain(metric)}{UNDER}")]

    @cached_property
    def _recorded(self) -> list[str]:
        """The metrics that some record has."""
        return sorted({name for own in self._records.values() for record in own.values() for name in record.measured})

    def _maker(self, metric: str) -> Figure:
        """What makes a metric's figure of averages over pairs."""
        made, parts = create(metric), len(self.ways(metric))
        return MeanOver(made, parts) if made.under == MEAN else made

    def _rows_of(self, method: str) -> Iterator[dict[str, Any]]:
        figures = self[method]
        for name in self.metrics():
            if name not in figures:
                continue
            single, pairs = isinstance(figures[name], float), len(self.measured(method, name))
            values, ends = ([f] if single else f for f in (figures[name], figures[f"{name}_interval"]))
            for part, (value, (low, high)) in enumerate(zip(values, ends, strict=True), start=1):
                told = {"method": method, "metric": name, "part": None if single else part}
                yield {**told, "value": value, "low": low, "high": high, "pairs": pairs, "failed": figures["failed"]}

    def common(self, methods: Sequence[str], metric: str) -> list[int]:
        """The pairs on which each of some methods was measured by a metric."""
        return sorted(set.intersection(*(set(self.measured(method, metric)) for method in methods)))

    def _figures_of(self, method: str) -> dict[str, Any]:
        own = self._records[method]
        explained = sum(record.error is None for record in own.values())
        figures = _Figures(method, self.asked.get(method, ()))
        figures.update({"pairs": explained, "failed": len(own) - explained})
        for name in self.metrics():
            if not self.measured(method, name):
                continue
            metric, numbers = self._maker(name), self.numbers(method, name)
            values = metric.figure(numbers.mean(axis=0))
            low, high = interval(metric, numbers, seed=self.seed)
            ends = [(float(a), float(b)) for a, b in zip(low, high, strict=True)]
            single = len(values) == 1
            figures[name] = float(values[0]) if single else [float(v) for v in values]
            figures[f"{name}_interval"] = ends[0] if single else ends
        return figures


class _Figures(dict[str, Any]):
    """A method's figures by name; for a name that is not among them it says why, or which there are."""

    def __init__(self, method: str, asked: Sequence[str]) -> None:
        super().__init__()
        self._method, self._asked = method, asked

    def __missing__(self, name: str) -> Any:
        metric = str(name).removesuffix("_interval")
        if metric in self._asked:
            raise MissingError(_lack([metric], [self._method], create(metric).needs))
        raise MissingError(str(one_of(f"figure of {self._method}", name, (n for n in self if n[-9:] != "_interval"))))


def _lack(metrics: Sequence[str], methods: Sequence[str], needs: str) -> str:
    told = f"{', '.join(metrics)} could not be measured on any of these pairs"
    told += f" for {', '.join(methods)}" if methods else ""
    return told + (f", for want of {needs}" if needs else "")
