"""What is known of a pair before its method is done: the rows that were answered, and when they are worth telling."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from gmask.method.base import Task
from gmask.model.bound import BoundPair, Request

__all__ = ["Known"]

FIRST = 48  # rows after which something is known, or one a word where these are more
GROWS = 2.5  # times as many rows as were known when something was told are worth telling again


class Known:
    """The rows of a pair that a method has had answers to."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._own = {id(bound) for bound in (task.bound, *task.bound.ways)}
        self._rows: list[np.ndarray] = []
        self._values: list[np.ndarray] = []
        self._count, self._told = 0, 0

    def parts(self, requests: list[Request]) -> Iterator[list[Request]]:
        """Requests as they are, but for the first of all, whose first rows go ahead: they show something already."""
        room = 0 if self._count else max(FIRST, self.task.n + 1)
        if sum(len(rows) for _, rows in requests) <= room or not room:
            yield requests
            return
        ahead, rest = [], list[Request]()
        for bound, rows in requests:
            ahead.append((bound, rows[:room]))
            rest.append((bound, rows[room:]))
            room = max(room - len(rows), 0)
        yield ahead
        yield rest

    def note(self, requests: list[Request], values: list[np.ndarray]) -> None:
        """Keep those of the pair itself."""
        for (bound, rows), own in zip(requests, values, strict=True):
            if id(bound) in self._own:
                self._rows.append(bound.check(rows))
                self._values.append(own)
                self._count += len(own)

    def grown(self) -> bool:
        """Whether there is so much more that it is worth telling."""
        if self._count <= self.task.n or self._count < GROWS * self._told:
            return False
        self._told = self._count
        return True

    def all(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows and their values."""
        return np.concatenate(self._rows), np.concatenate(self._values)

    @cached_property
    def aside(self) -> BoundPair:
        """The pair, bound anew."""
        return self.task.bound.removing(self.task.bound.removal)
