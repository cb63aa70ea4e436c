"""Greedy orders: the next word to remove is the one that is missed most, the next to keep the one that helps most.

    removal:    S = all words;  j = argmin over j in S of v(S without j);      take j out of S, and again
    insertion:  S = no word;    j = argmax over j not in S of v(S with j);     put j into S, and again

Where no word changes anything any more, or after so many steps, the others follow in the order of all that they were
seen to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.method.base import Answer, Method, Questions, Task, option
from gmask.method.order import by_order

__all__ = ["GreedyInsertion", "GreedyRemoval"]

NOTHING = 1e-9  # a change of no size


@dataclass(frozen=True)
class _Greedy(Method):
    """A word's attribution falls with its place in the order."""

    sign: ClassVar[int]
    words: int = option(10, "at most this many steps, each asking about every word that is left", low=1)

    def explain(self, task: Task) -> Questions:
        """Ask about every next step, take the best, and again."""
        n = task.n
        row = np.full(n, self.sign < 0)  # where the steps begin
        (value,) = yield row[None]
        left, order, seen = np.arange(n), list[int](), np.zeros(n)
        for _ in range(min(self.words, n)):
            values = yield row ^ np.eye(n, dtype=bool)[left]
            gains = self.sign * (values - value)
            if np.abs(gains).max() < NOTHING:
                break
            seen[left] += gains
            best = int(gains.argmax())
            order.append(int(left[best]))
            row[left[best]] ^= True
            value, left = values[best], np.delete(left, best)
        rest = left[np.argsort(-seen[left], kind="stable")]
        return Answer(by_order([*order, *map(int, rest)], len(order)))


@dataclass(frozen=True)
class GreedyRemoval(_Greedy):
    """The word whose removal makes the value fall most goes first."""

    name: ClassVar[str] = "greedy-removal"
    summary: ClassVar[str] = "words removed one after another, each time the one that is missed most"
    sign: ClassVar[int] = -1


@dataclass(frozen=True)
class GreedyInsertion(_Greedy):
    """The word that raises the value most is kept first."""

    name: ClassVar[str] = "greedy-insertion"
    summary: ClassVar[str] = "words kept one after another, each time the one that helps most"
    sign: ClassVar[int] = 1
