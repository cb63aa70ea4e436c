"""The best order of k screened words: what `gmask` seeks for its order, on a larger table and with nothing beside it.

With p(y | only S) and p(y | all but S) known for every subset S of k words, dynamic programming finds the order whose
prefixes S_1, S_2, ... maximise sum_v p(y | only S_v) - p(y | all but S_v): what AOPC and sufficiency reward together.
It bounds no method: others may choose other words, or look at one of the two only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.errors import GmaskError
from gmask.method.base import Answer, Method, Questions, Task, option
from gmask.method.screening import grow, screen
from gmask.method.table import ask_tables
from gmask.multilinear import EXACT, best_order

__all__ = ["Optimal"]


@dataclass(frozen=True)
class Optimal(Method):
    """Order the k words that matter most so that no order of them is more faithful."""

    name: ClassVar[str] = "optimal"
    summary: ClassVar[str] = (
        "the best order of k screened words, on a larger table than gmask: no explanation, no bound"
    )

    k: int = option(EXACT, f"how many words are ordered, at most {EXACT}", low=1)
    screening: int = option(600, "random rows that choose them", low=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k > EXACT:
            raise GmaskError(f"k of optimal is at most {EXACT}, since their 2^k subsets are all asked, not {self.k}")

    def explain(self, task: Task) -> Questions:
        """Screen, ask for both tables, order."""
        score, _ = yield from screen(task, self.screening)
        candidates, rest = yield from grow(task, score, self.k)
        only, without = yield from ask_tables(task, candidates, both=True)
        order = [*candidates[best_order(only - without)], *rest]
        attributions = np.empty(task.n)
        attributions[order] = np.linspace(1, 0, task.n, endpoint=False)
        return Answer(attributions, details={"candidates": candidates.tolist()})
