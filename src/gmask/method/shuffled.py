"""A method made worse by a known amount: some words of its order, drawn at random, change places among themselves.

A measure that cannot tell `shuffled:share=0.1`, `0.3` and `0.5` from each other, and each from the method itself, tells
nothing apart on these pairs. It is a check of measures, and no explanation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.errors import GmaskError
from gmask.method.base import Answer, Method, Questions, Task, create, option
from gmask.method.order import by_order
from gmask.model.base import PairModel

__all__ = ["Shuffled"]


@dataclass(frozen=True)
class Shuffled(Method):
    """Another method's order, with some words shuffled."""

    name: ClassVar[str] = "shuffled"
    summary: ClassVar[str] = "another method's order with a share of the words shuffled: a check of measures"

    share: float = option(0.3, "the share of the words, rounded up, that change places; two at least", low=0)
    of: str = option("gmask", "the method; settings as in gmask/preset=fast")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.share > 1:
            raise GmaskError(f"share of {self.name} is at most 1, not {self.share:g}")
        if isinstance(self._method, Shuffled):
            raise GmaskError(f"{self.name} is of another method, not of itself")

    @property
    def differentiates(self) -> bool:
        """Where the other does."""
        return self._method.differentiates

    def check(self, model: PairModel, removal: str | None = None) -> None:
        """Refuse what the other refuses."""
        self._method.check(model, removal)

    def explain(self, task: Task) -> Questions:
        """Ask as the other does, and shuffle."""
        answer = yield from self._method.explain(task)
        order, random = np.argsort(-answer.attributions, kind="stable"), task.random()
        count = min(task.n, max(2, int(np.ceil(self.share * task.n))))
        places = random.choice(task.n, count, replace=False)
        order[places] = order[np.roll(places, 1)]  # none of them stays where it was
        return Answer(by_order([int(j) for j in order]))

    @property
    def _method(self) -> Method:
        return create(self.of.replace("/", ":"))
