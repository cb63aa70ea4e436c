"""Work that waits its turn: one thread a lane, a bounded queue, progress, and a way to call it off."""

from __future__ import annotations

import asyncio
import math
import secrets
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, Generic, TypeVar

from gmask.errors import GmaskError
from gmask.watch import watching

__all__ = ["Busy", "Cancelled", "Lane", "Work", "tell_so_far"]

PATIENCE = 60  # the longest anyone is told to wait before asking again, in seconds
T = TypeVar("T")
_doing: ContextVar[Work[Any] | None] = ContextVar("doing", default=None)


class Cancelled(Exception):  # noqa: N818
    """The work was called off."""


class Busy(GmaskError):  # noqa: N818
    """More work is waiting than the server takes on."""

    def __init__(self, retry: int) -> None:
        super().__init__(f"the server is busy; ask again in {retry} s")
        self.retry = retry


class Work(Generic[T]):
    """A piece of work that waits, is being done, or is done."""

    def __init__(self, task: Callable[[], T], *, rows: int, seconds: float) -> None:
        self.id = secrets.token_urlsafe(12)
        self.rows = 0
        self.so_far: dict[str, Any] | None = None  # what it has told before its end, the latest
        self._task = task
        self._most_rows, self._most_seconds = rows, seconds
        self._came = time.monotonic()
        self._began: float | None = None
        self._called_off = False
        self._future: asyncio.Future[T] | None = None
        self._thread: Future[T] | None = None

    @property
    def running(self) -> bool:
        """Whether its turn has come."""
        return self._began is not None

    @property
    def seconds(self) -> float:
        """Since it came, while it waits; since its turn, from then on."""
        return time.monotonic() - (self._began or self._came)

    def start(self, executor: ThreadPoolExecutor, finished: Callable[[Work[T]], None]) -> None:
        """Put it behind what the executor has to do already."""
        self._thread = executor.submit(self._run)
        self._thread.add_done_callback(lambda _: finished(self))
        self._future = asyncio.wrap_future(self._thread)
        self._future.add_done_callback(lambda f: f.cancelled() or f.exception())  # so that nobody need ask for it

    def cancel(self) -> None:
        """Call it off: at once if it waits, at the model's next answer if it is being done."""
        self._called_off = True
        if self._thread is not None:
            self._thread.cancel()

    async def wait(self, seconds: float) -> bool:
        """Wait for its end, but no longer than so many seconds; whether it has come."""
        assert self._future is not None
        done, _ = await asyncio.wait({self._future}, timeout=seconds)
        return bool(done)

    def result(self) -> T:
        """What came of it; the errors it ended in are raised."""
        assert self._future is not None
        if self._future.cancelled():
            raise Cancelled
        return self._future.result()

    def _run(self) -> T:
        self._began = time.monotonic()
        _doing.set(self)
        with watching(self._watch):
            self._watch(0)
            return self._task()

    def _watch(self, rows: int) -> None:
        self.rows += rows
        if self._called_off:
            raise Cancelled
        if self.rows > self._most_rows:
            raise GmaskError(
                f"this takes more than {self._most_rows:,} model rows, the most this server spends on one question; "
                "choose fewer samples, a smaller k, or another method"
            )
        if self.seconds > self._most_seconds:
            raise GmaskError(
                f"this takes more than {self._most_seconds:g} s, the most this server spends on one question; "
                "choose fewer samples, shorter texts, or another method"
            )


def tell_so_far(known: dict[str, Any]) -> None:
    """Within a piece of work: tell what is known before its end."""
    if (work := _doing.get()) is not None:
        work.so_far = known


class Lane:
    """One thread, and a queue before it.

    Args:
        name: Of the thread.
        waiting: How many may wait.
        rows: The most model rows for one piece of work.
        seconds: The most time for one.
    """

    def __init__(self, name: str, *, waiting: int, rows: int, seconds: float) -> None:
        self.waiting = waiting
        self._most: dict[str, Any] = {"rows": rows, "seconds": seconds}
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._works: dict[str, Work[Any]] = {}  # in the order they came
        self._mean = 1.0  # seconds a piece of work has taken of late

    def __len__(self) -> int:
        return len(self._works)

    def submit(self, task: Callable[[], T]) -> Work[T]:
        """Take work on, or say when there may be room for it."""
        if len(self._works) > self.waiting:
            raise Busy(min(PATIENCE, math.ceil(self._mean * self.waiting / 2)))
        work = Work(task, **self._most)
        self._works[work.id] = work
        work.start(self._executor, self._finished)
        return work

    def before(self, work: Work[Any]) -> int:
        """How many pieces of work come before this one."""
        return list(self._works).index(work.id) if work.id in self._works else 0

    def cancel(self, name: str) -> bool:
        """Call off the work of this id; whether there is such."""
        work = self._works.get(name)
        if work is not None:
            work.cancel()
        return work is not None

    def close(self) -> None:
        """Call everything off."""
        for work in list(self._works.values()):
            work.cancel()
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _finished(self, work: Work[Any]) -> None:
        self._works.pop(work.id, None)
        if work.running:
            self._mean += 0.2 * (work.seconds - self._mean)
