"""How far a study is and how long each method has to go."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

__all__ = ["Progress", "duration", "say"]

QUIET_SECONDS = 30.0  # between two lines where there is no terminal to draw on


def duration(seconds: float) -> str:
    """A time for people: 42 s, 3 min 05 s, 2 h 10 min."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def say(message: str) -> None:
    """Tell the user a line, beside the results."""
    print(f"gmask: {message}", file=sys.stderr)


class Progress:
    """A bar a method with the time it has left; a line now and then where there is no terminal.

    Args:
        names: What to draw a bar for.
        total: How many pairs each has.
        done: How many it has already.
        shown: False for silence.
    """

    def __init__(self, names: Sequence[str], total: int | None, done: Mapping[str, int], *, shown: bool) -> None:
        self.total = total
        self._done = {name: done.get(name, 0) for name in names}
        self._spent = dict.fromkeys(names, 0.0)
        self._fresh = dict.fromkeys(names, 0)
        self._shown = shown
        self._bars: Any = None
        self._tasks: dict[str, Any] = {}
        self._began = self._told = time.monotonic()
        self._advance: Callable[[str], None] = lambda _: None

    def __enter__(self) -> Progress:  # noqa: PYI034
        if not self._shown:
            return self
        if not sys.stderr.isatty():
            self._advance = self._tell
            return self
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bars

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self._bars = Bars(*columns, console=Console(stderr=True))
        self._tasks = {
            name: self._bars.add_task(name, total=self.total, completed=done, left="")
            for name, done in self._done.items()
        }
        self._bars.start()
        self._advance = self._draw
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def advance(self, name: str, seconds: float = 0.0) -> None:
        """One more pair is done, and took so long."""
        self._done[name] += 1
        self._fresh[name] += 1
        self._spent[name] += seconds
        self._advance(name)

    def left(self, name: str) -> str:
        """The time a method has to go, in words; where nobody knows how many pairs there are, how fast it is."""
        if self.total is None:
            return f"{self._fresh[name] / max(time.monotonic() - self._began, 1e-9):.0f} a second"
        spent = sum(self._spent.values())  # of the time that went by, on all workers; where nobody says, all alike
        share = self._spent[name] / spent if spent else 1 / len(self._spent)
        passed = share * (time.monotonic() - self._began)
        return f"{duration(passed / self._fresh[name] * (self.total - self._done[name]))} left"

    def _draw(self, name: str) -> None:
        self._bars.update(self._tasks[name], completed=self._done[name], left=self.left(name))

    def _tell(self, name: str) -> None:
        if time.monotonic() - self._told > QUIET_SECONDS and name == list(self._done)[-1]:
            self._told = time.monotonic()
            parts = [f"{n} {d}/{self.total or '?'}, {self.left(n)}" for n, d in self._done.items() if self._fresh[n]]
            print("; ".join(parts), file=sys.stderr, flush=True)
