"""One word at a time: leave one out, keep one, and the random control."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar
from zlib import crc32

import numpy as np

from gmask.method.base import Answer, Method, Questions, Task

__all__ = ["KeepOne", "LeaveOneOut", "Random"]


@dataclass(frozen=True)
class LeaveOneOut(Method):
    """A word's attribution is how much the probability falls without it: p(y | x) - p(y | x without j)."""

    name: ClassVar[str] = "leave-one-out"
    summary: ClassVar[str] = "how much the probability falls when the word alone is removed"

    def explain(self, task: Task) -> Questions:
        """All words, and all but each."""
        values = yield np.concatenate([np.ones((1, task.n), bool), ~np.eye(task.n, dtype=bool)])
        return Answer(values[0] - values[1:])


@dataclass(frozen=True)
class KeepOne(Method):
    """A word's attribution is the probability it gives on its own: p(y | j) - p(y | nothing)."""

    name: ClassVar[str] = "keep-one"
    summary: ClassVar[str] = "the probability with the word alone kept"

    def explain(self, task: Task) -> Questions:
        """No word, and each alone."""
        values = yield np.concatenate([np.zeros((1, task.n), bool), np.eye(task.n, dtype=bool)])
        return Answer(values[1:] - values[0])


@dataclass(frozen=True)
class Random(Method):
    """Attributions drawn at random, anew for each pair: the control that every method must beat."""

    name: ClassVar[str] = "random"
    summary: ClassVar[str] = "random numbers, the control every method must beat"

    def explain(self, task: Task) -> Questions:
        """Ask about nothing but the pair."""
        yield np.ones((1, task.n), bool)
        texts = crc32("\n".join(task.bound.texts).encode())
        return Answer(np.random.default_rng([task.seed, texts]).random(task.n))
