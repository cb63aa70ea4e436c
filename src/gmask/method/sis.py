"""Sufficient input subsets (Carter, Mueller, Jain and Gifford, AISTATS 2019): the SIS-collection.

    BackSelect: from all words at hand, remove the one without which v stays highest, and again, until none is left
    FindSIS:    put words back, the last removed first, until v(only them) >= tau

One subset after another is found in this way and taken out, as long as v of what is left is at least tau:

    tau = v(none) + threshold (v(all) - v(none))

Of long pairs, words that do least by themselves are removed before all others, without asking about each.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.errors import GmaskError
from gmask.method.base import Answer, Method, Questions, Task, option
from gmask.method.order import by_order
from gmask.method.screening import effects
from gmask.model.bound import Rows

__all__ = ["SufficientInputSubsets"]


@dataclass(frozen=True)
class SufficientInputSubsets(Method):
    """Groups are subsets that are each enough; a word's attribution follows the order in which it was put back."""

    name: ClassVar[str] = "sis"
    summary: ClassVar[str] = "disjoint sets of words that are each enough, by removing what is missed least (SIS)"

    threshold: float = option(0.9, "enough is this share of the way from no words to all, at most 1", low=0)
    subsets: int = option(10, "at most this many sets", low=1)
    words: int = option(30, "of longer pairs, choose one by one among the words that seem to matter most", low=2)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.threshold > 1:
            raise GmaskError(f"threshold of sis is a share, at most 1, not {self.threshold}")

    def explain(self, task: Task) -> Questions:
        """Find a subset, take it out, and again."""
        n = task.n
        every, none = yield np.array([[True] * n, [False] * n])
        tau = none + self.threshold * (every - none)
        score = (yield from effects(task)) if n > self.words else np.zeros(n)
        found: list[tuple[float, np.ndarray]] = []
        order: list[int] = []
        returned: list[int] = []
        left = np.arange(n)
        value = every
        while value >= tau > none and len(found) < self.subsets:
            back, values = yield from self._back_select(task, left, score)
            returned = returned or back  # all words, the last removed first
            count = int((values >= tau).argmax()) + 1
            order += back[:count]
            found.append((float(values[count - 1] - none), task.keep(back[:count]).astype(float)))
            left = np.setdiff1d(left, order)
            (value,) = yield task.keep(left)[None]
        rest = [j for j in (returned or range(n)) if j not in set(order)]
        return Answer(by_order([*order, *rest], len(order)), found, {"threshold": float(tau)})

    def _back_select(
        self, task: Task, left: np.ndarray, score: np.ndarray
    ) -> Generator[Rows, np.ndarray, tuple[list[int], np.ndarray]]:
        """The words, the last removed first, and v of the first one, two, ... of them."""
        ranked = left[np.argsort(-score[left], kind="stable")]
        kept, rest = np.sort(ranked[: self.words]), ranked[self.words :]
        removed: list[int] = []
        while len(kept) > 1:
            values = yield np.stack([task.keep(np.delete(kept, i)) for i in range(len(kept))])
            least = int(values.argmax())
            removed.append(int(kept[least]))
            kept = np.delete(kept, least)
        back = [*map(int, kept), *reversed(removed), *map(int, rest)]
        return back, (yield np.stack([task.keep(back[: i + 1]) for i in range(len(back))]))
