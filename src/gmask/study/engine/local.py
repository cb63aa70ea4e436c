"""The engine that works in this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from gmask.study.engine.base import Engine, Job

__all__ = ["Local"]

R = TypeVar("R")


class Local(Engine):
    """One task after the other, each result as soon as it is there."""

    def run(self, job: Job[Any, R], tasks: Iterable[Any]) -> Iterator[R]:
        """Do the tasks; the job starts with the first."""
        work = None
        for task in tasks:
            work = work or job.start()
            yield from work(task)
