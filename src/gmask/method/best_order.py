"""The best order of a pair's words for one measure: how high it can be, or, asked for, how low.

AOPC, post-hoc accuracy and the degradation score of a pair are sums over the prefixes of an order, S_1, S_2, ...:

    sum_v  a_v f(only S_v) + b_v f(without S_v)          (`Metric.weights` has a and b)

so up to a dozen words dynamic programming over all 2^n subsets finds the order that no other can beat: the true
optimum, a bound on every method. Beyond, a beam search goes from prefix to prefix, the orders of other methods among
its paths; then single words are moved to other places as long as that helps. What it ends with is at least as good as
the other methods' orders, and no bound (`details["exact"]` says which it is). It knows what it is measured by, so it is
no explanation and no rival.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.errors import GmaskError
from gmask.method.base import Answer, Method, Questions, Task, create, describe, find, methods, option
from gmask.method.order import by_order
from gmask.method.shuffled import Shuffled
from gmask.metric.base import Metric, Scale
from gmask.metric.base import create as create_metric
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair
from gmask.multilinear import best_order, subsets

__all__ = ["BestOrder"]

LARGEST = 16  # words whose subsets are all asked about, at most
STARTS = "gmask+greedy-removal+greedy-insertion+lime+leave-one-out"
ALL = "all"
LEAST = 1e-9  # a move that gives no more is none, so that rounding moves nothing for ever
Gains = Generator[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class BestOrder(Method):
    """The words in the order that is best for a measure."""

    name: ClassVar[str] = "best-order"
    summary: ClassVar[str] = "the best order found for one measure, and up to `exact` words the best there is: no rival"

    measure: str = option("aopc", "the measure", choices=("aopc", "post_hoc_accuracy", "degradation"))
    goal: str = option("highest", "the highest, or the lowest there is", choices=("highest", "lowest"))
    exact: int = option(12, f"up to so many words all subsets are asked about; at most {LARGEST}", low=0)
    width: int = option(16, "beyond, so many prefixes of a size are gone on with", low=1)
    starts: str = option(
        STARTS, "beyond, begin with what these methods find too; joined by +, settings as in gmask/preset=fast; or all"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.exact > LARGEST:
            raise GmaskError(f"exact of {self.name} is at most {LARGEST}, since 2^n rows are asked, not {self.exact}")
        if self.starts != ALL and any(isinstance(method, BestOrder) for method in self._named):
            raise GmaskError(f"{self.name} cannot start from itself; starts are other methods")

    def check(self, model: PairModel, removal: str | None = None) -> None:
        """Refuse what any of the starts that were named refuses."""
        for method in self._named if self.starts != ALL else ():
            method.check(model, removal)

    def explain(self, task: Task) -> Questions:
        """All subsets where they are few; else a beam search."""
        metric = create_metric(self.measure)
        gains = _Gains(task, metric, metric.weights(task.n), 1 if self.goal == "highest" else -1)
        if exact := task.n <= self.exact:
            table = yield from gains.of(subsets(task.n))
            order = best_order(table)
        else:
            orders = []
            for method in self._every(task.bound) if self.starts == ALL else self._named:
                try:
                    answer = yield from method.explain(task)
                except GmaskError:
                    if self.starts != ALL:
                        raise
                    continue  # of all, whatever can explain this pair
                found = [int(j) for j in np.argsort(-answer.attributions, kind="stable")]
                orders.append(found if self.goal == "highest" else found[::-1])
            order = yield from _search(task.n, gains, orders, self.width)
            order = yield from _moved(gains, order)
        return Answer(by_order(order), details={"exact": exact})

    @property
    def _named(self) -> list[Method]:
        return [create(name.replace("/", ":")) for name in self.starts.split("+") if name]

    def _every(self, bound: BoundPair) -> Iterator[Method]:
        """Every other method that the model lets explain, under each of its presets."""
        for name in methods():
            presets = next((s["choices"] for s in describe(find(name)) if s["name"] == "preset"), None)
            for method in [create(name, preset=preset) for preset in presets] if presets else [create(name)]:
                with suppress(GmaskError):
                    method.check(bound.model, bound.removal)
                    if not isinstance(method, (BestOrder, Shuffled)):
                        yield method


@dataclass(frozen=True)
class _Gains:
    """What a prefix adds to a measure.

    Args:
        task: What is explained.
        metric: The measure.
        weights: a and b, each `[n + 1]`.
        sign: -1 for the lowest.
    """

    task: Task
    metric: Metric
    weights: tuple[np.ndarray, np.ndarray]
    sign: int

    @property
    def depth(self) -> int:
        """The largest prefix that adds anything; that of all words is in every order."""
        a, b = self.weights
        return int(np.flatnonzero((a != 0) | (b != 0))[-1].clip(max=self.task.n - 1))

    def of(self, prefixes: np.ndarray) -> Gains:
        """What each prefix, a row of words, adds."""
        counts = prefixes.sum(axis=1)
        total = np.zeros(len(prefixes))
        for weights, rows in zip(self.weights, (prefixes, ~prefixes), strict=True):
            asked = weights[counts] != 0
            if asked.any():
                values = yield rows[asked]
                if self.metric.scale is Scale.SAME_LABEL:
                    values = self.task.target.agrees(self.task.bound(rows[asked]))  # which remembers them
                total[asked] += weights[counts[asked]] * values
        return self.sign * total


def _search(
    n: int, gains: _Gains, starts: Sequence[Sequence[int]], width: int
) -> Generator[np.ndarray, np.ndarray, list[int]]:
    """The best of the starts and of all that a beam search finds from them."""
    beam: dict[frozenset[int], tuple[float, tuple[int, ...]]] = {frozenset(): (0.0, ())}
    totals = np.zeros(len(starts))
    for size in range(1, gains.depth + 1):
        ways = [(value, (*path, j)) for path_set, (value, path) in beam.items() for j in range(n) if j not in path_set]
        ways += [(totals[i], tuple(order[:size])) for i, order in enumerate(starts)]
        reached: dict[frozenset[int], tuple[float, tuple[int, ...]]] = {}
        for value, path in ways:
            key = frozenset(path)
            if key not in reached or value > reached[key][0]:
                reached[key] = value, path
        rows = np.zeros((len(reached), n), dtype=bool)
        for row, words in zip(rows, reached, strict=True):
            row[list(words)] = True
        added = dict(zip(reached, (yield from gains.of(rows)), strict=True))
        totals += [added[frozenset(order[:size])] for order in starts]
        after = {key: (value + added[key], path) for key, (value, path) in reached.items()}
        beam = dict(sorted(after.items(), key=lambda item: -item[1][0])[:width])
    value, path = next(iter(beam.values()))
    if len(starts) and totals.max() > value:
        return list(starts[int(totals.argmax())])
    rest = starts[int(totals.argmax())] if len(starts) else range(n)
    return [*path, *(j for j in rest if j not in path)]


def _moved(gains: _Gains, order: Sequence[int]) -> Generator[np.ndarray, np.ndarray, list[int]]:
    """The order after moving single words elsewhere, each time the best such move, as long as one helps.

    To move word w from place i behind to j changes the prefixes of the sizes between: each loses w and gets the next
    word. So all moves together ask about no more than n^2 sets: a prefix without one of its words, or with one more.
    """
    order, depth = list(order), gains.depth
    places = min(depth + 1, len(order))
    moves = [(i, j) for i in range(len(order)) for j in range(places) if i != j and min(i, j) < depth]
    known: dict[frozenset[int], float] = {}
    while moves:
        prefixes = [frozenset(order[:size]) for size in range(places + 1)]
        changes = [_changes(prefixes, order[i], i, j) for i, j in moves]
        near = {*prefixes[1 : depth + 1], *(own for change in changes for own in change.values())}
        if asked := [own for own in near if own not in known]:
            rows = np.array([np.isin(np.arange(len(order)), list(own)) for own in asked])
            known.update(zip(asked, (yield from gains.of(rows)), strict=True))
        given = [sum(known[own] - known[prefixes[size]] for size, own in change.items()) for change in changes]
        best = int(np.argmax(given))
        if given[best] <= LEAST:
            break
        i, j = moves[best]
        order.insert(j, order.pop(i))
    return order


def _changes(prefixes: Sequence[frozenset[int]], w: int, i: int, j: int) -> dict[int, frozenset[int]]:
    """The prefixes, by their size, that are others once the word w has moved from place i to place j."""
    if i < j:
        return {size: prefixes[size + 1] - {w} for size in range(i + 1, min(j, len(prefixes) - 2) + 1)}
    return {size: prefixes[size - 1] | {w} for size in range(j + 1, min(i, len(prefixes) - 2) + 1)}
