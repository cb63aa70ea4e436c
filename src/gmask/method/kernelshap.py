"""KernelSHAP (Lundberg and Lee, NeurIPS 2017): Shapley values as a weighted regression on word subsets.

    minimise over phi   sum_S w(|S|) * (v(S) - v(none) - sum_{j in S} phi_j)^2   with   sum_j phi_j = v(all) - v(none)
    w(s) = (n - 1) / (C(n, s) * s * (n - s))

Sizes are taken from both ends inwards, where the weight is. A size whose subsets all fit into the budget is asked for
whole; the rest of the budget is drawn from the remaining sizes, a subset always together with its complement. With room
for all 2^n subsets the answer is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import ClassVar

import numpy as np

from gmask.method.base import Answer, Method, Questions, Task, option
from gmask.multilinear import subsets

__all__ = ["KernelShap", "coalitions", "solve"]


@dataclass(frozen=True)
class KernelShap(Method):
    """A word's attribution is its Shapley value: its average contribution when words come in random order."""

    name: ClassVar[str] = "kernelshap"
    summary: ClassVar[str] = "Shapley values from a weighted regression on word subsets"

    samples: int = option(1000, "rows asked about; exact if all 2^n subsets fit in", low=4)

    def explain(self, task: Task) -> Questions:
        """Choose subsets, ask, solve."""
        ends = np.array([[False] * task.n, [True] * task.n])
        rows, weights = coalitions(task.random(), self.samples - 2, task.n)
        values = yield np.concatenate([ends, rows])
        exact = len(rows) == 2**task.n - 2
        return Answer(solve(rows, weights, values[2:], values[0], values[1]), details={"exact": exact})


def coalitions(random: np.random.Generator, budget: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """At most `budget` different subsets, neither empty nor whole, `[m, n]`, and their weights in the regression."""
    if 2**n - 2 <= budget:
        rows = subsets(n)[1:-1]
        size = rows.sum(axis=1)
        return rows, np.array([_mass(s, n) / comb(n, s) for s in range(1, n)])[size - 1]
    blocks, weights, size = [], [], 1
    while 2 * size < n and 2 * comb(n, size) <= budget:
        block = np.zeros((comb(n, size), n), dtype=bool)
        np.put_along_axis(block, np.array(list(combinations(range(n), size))), values=True, axis=1)
        blocks += [block, ~block]
        weights.append(np.full(2 * len(block), _mass(size, n) / len(block)))
        budget -= 2 * len(block)
        size += 1
    rest = range(size, n - size + 1)  # the sizes that do not fit
    if budget >= 2:
        mass = np.array([_mass(s, n) for s in rest])
        drawn, times = _draw(random, budget // 2, n, rest, mass / mass.sum())
        blocks += [drawn, ~drawn]
        weights += [times * mass.sum() / (2 * times.sum())] * 2
    return np.concatenate(blocks), np.concatenate(weights)


def solve(rows: np.ndarray, weights: np.ndarray, values: np.ndarray, none: float, every: float) -> np.ndarray:
    """The phi of the constrained regression, by Lagrange's method."""
    z = rows.astype(float)
    gram = np.linalg.pinv(z.T @ (weights[:, None] * z), hermitian=True)
    free = gram @ (z.T @ (weights * (values - none)))
    ones = gram.sum(axis=1)
    phi: np.ndarray = free - ones * (free.sum() - (every - none)) / ones.sum()
    return phi


def _mass(size: int, n: int) -> float:
    """The weight of all subsets of one size together."""
    return (n - 1) / (size * (n - size))


def _draw(
    random: np.random.Generator, count: int, n: int, sizes: Sequence[int], chances: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """`count` subsets of random sizes, of which no two are equal or complements, and how often each was drawn."""
    rows: dict[bytes, np.ndarray] = {}
    times: dict[bytes, int] = {}
    while len(rows) < count:
        size = random.choice(sizes, size=(count, 1), p=chances)
        for row in random.random((count, n)).argsort(axis=1).argsort(axis=1) < size:
            key = (row if row[0] else ~row).tobytes()
            if len(rows) < count or key in rows:
                rows.setdefault(key, row)
                times[key] = times.get(key, 0) + 1
    return np.stack(list(rows.values())), np.array(list(times.values()))
