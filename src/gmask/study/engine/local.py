"""The engine that works in this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, TypeVar

from gmask.study.engine.base import Engine, Job
from gmask.study.threads import fixed_threads

__all__ = ["Local"]

R = TypeVar("R")


class Local(Engine):
    """One task after the other, each result as soon as it is there."""

    def run(self, job: Job[Any, R], tasks: Iterable[Any]) -> Iterator[R]:
        """Do the tasks; the job starts with the first."""
        tasks = iter(tasks)
        if (first := next(tasks, None)) is None:
            return
        work = job.start()
        with fixed_threads(self.threads):
            for task in chain([first], tasks):
                yield from work(task)
