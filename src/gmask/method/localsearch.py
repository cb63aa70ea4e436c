"""Parallel local search (Hase, Xie and Bansal, NeurIPS 2021): the best set of words of each of several sizes.

    sufficiency:         maximise over |S| = s   v(only S)
    comprehensiveness:   maximise over |S| = s   v(all) - v(all but S)

Several searches begin at random sets. In each step every search exchanges one word of its set for another, at random
but never for a set that was looked at before, and stays there if that is better. The sizes are shares of the words, as
in the paper, each with an equal part of the rows; the best set of any search counts. The paper looks at each size by
itself and averages its measures over them; so does a word's attribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, comb
from typing import ClassVar

import numpy as np

from gmask.method.base import Answer, Method, Questions, Task, option
from gmask.method.order import TIES

__all__ = ["ParallelLocalSearch"]

SHARES = (0.05, 0.1, 0.2, 0.5)  # of the words
TRIES = 20  # draws of a set that nobody has looked at


@dataclass(frozen=True)
class ParallelLocalSearch(Method):
    """A word's attribution is the share of the sizes whose best set has it."""

    name: ClassVar[str] = "parallel-local-search"
    summary: ClassVar[str] = "the best sets of several sizes, each found by several local searches"

    samples: int = option(1000, "rows asked about, at most", low=16)
    restarts: int = option(10, "searches a size, at most", low=1)
    objective: str = option("sufficiency", "what is best", choices=("sufficiency", "comprehensiveness"))

    def explain(self, task: Task) -> Questions:
        """Search all sizes at once, a step of every search at a time."""
        random, n = task.random(), task.n
        searches = [_Search(random, n, size) for size in sorted({ceil(share * n) for share in SHARES})]
        each = self.samples // len(searches)
        restarts = min(self.restarts, each)
        step = [search.begin(restarts) for search in searches]
        while sum(map(len, step)):
            rows = np.concatenate(step)
            removes = self.objective == "comprehensiveness"
            values = yield ~rows if removes else rows
            parts = np.split(1 - values if removes else values, np.cumsum([len(rows) for rows in step])[:-1])
            for search, part in zip(searches, parts, strict=True):
                search.take(part)
            step = [search.propose(each - search.asked) for search in searches]
        best = np.stack([search.best for search in searches])
        attributions = best.mean(axis=0) + TIES * np.mean([search.leaning() for search in searches], axis=0)
        return Answer(attributions, details={"subsets": [np.flatnonzero(row).tolist() for row in best]})


class _Search:
    """Several local searches among the sets of one size.

    Args:
        random: Where steps come from.
        n: How many words there are.
        size: How many words a set has.
    """

    def __init__(self, random: np.random.Generator, n: int, size: int) -> None:
        self.random, self.n, self.size = random, n, size
        self.seen: dict[bytes, np.ndarray] = {}
        self.values: list[float] = []
        self.at = np.zeros((0, n), bool)  # where each search is
        self.there = np.zeros(0)
        self.moving: list[int] = []

    @property
    def asked(self) -> int:
        """How many sets were looked at."""
        return len(self.seen)

    @property
    def best(self) -> np.ndarray:
        """The best set."""
        return self.at[self.there.argmax()]

    def begin(self, count: int) -> np.ndarray:
        """Random sets to begin at, all different."""
        count = min(count, comb(self.n, self.size))
        while self.asked < count:
            self._new(self.random.permutation(self.n) < self.size)
        self.at, self.there = np.stack(list(self.seen.values())), np.full(count, -np.inf)
        self.moving = list(range(count))
        return self.at

    def propose(self, room: int) -> np.ndarray:
        """For each search a neighbour that was not looked at, as far as there is room, and some are found."""
        rows, self.moving = [], []
        for i in range(min(len(self.at), room)):
            for _ in range(TRIES if self.size < self.n else 0):
                row = self.at[i].copy()
                row[self.random.choice(np.flatnonzero(row))] = False
                row[self.random.choice(np.flatnonzero(~self.at[i]))] = True
                if self._new(row):
                    rows.append(row)
                    self.moving.append(i)
                    break
        return np.array(rows, dtype=bool).reshape(-1, self.n)

    def take(self, values: np.ndarray) -> None:
        """What was proposed has these values: go where it is better."""
        rows = list(self.seen.values())[self.asked - len(values) :]
        self.values += values.tolist()
        for i, row, value in zip(self.moving, rows, values, strict=True):
            if value > self.there[i]:
                self.at[i], self.there[i] = row, value

    def leaning(self) -> np.ndarray:
        """By how much sets with a word were better than sets in general, within -1 and 1; between equals it decides."""
        rows, values = np.stack(list(self.seen.values())), np.array(self.values)
        found: np.ndarray = (values - values.mean()) @ rows / np.maximum(rows.sum(axis=0), 1)
        return found

    def _new(self, row: np.ndarray) -> bool:
        key = row.tobytes()
        if key in self.seen:
            return False
        self.seen[key] = row
        return True
