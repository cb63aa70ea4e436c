"""Many pairs in flight: their questions share batches, and where one pair ends the next begins."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from gmask.errors import GmaskError
from gmask.explanation import Explanation
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair, Request

__all__ = ["TOGETHER", "fly"]

TOGETHER = 16  # pairs whose questions are asked together
AHEAD = 64  # pairs that may be begun, or done and not told yet since one before them is not done

Outcome = Explanation | GmaskError


@dataclass
class _Pair:
    """A pair on its way: its course, what it waits for, and what came of it."""

    bound: BoundPair | None = None
    course: Generator[list[Request], list[np.ndarray], Explanation] | None = None
    wanted: list[Request] | None = None
    found: Outcome | None = None
    seconds: float = 0.0

    def go_on(self, answers: list[np.ndarray] | None = None) -> None:
        """Take a step of its course; an error in it is this pair's alone."""
        assert self.course is not None
        began = time.perf_counter()
        self.wanted = None
        try:
            self.wanted = self.course.send(answers)  # type: ignore[arg-type]  # a generator begins with None
        except StopIteration as stop:
            self.found = stop.value
        except GmaskError as error:
            self.found = error
        self.seconds += time.perf_counter() - began


def fly(
    model: PairModel,
    coming: Iterable[BoundPair | GmaskError],
    course: Callable[[BoundPair], Generator[list[Request], list[np.ndarray], Explanation]],
    together: int = TOGETHER,
) -> Iterator[Outcome]:
    """What comes of each pair, in their order and in constant memory.

    Args:
        model: Whom all pairs are bound to.
        coming: Pairs, or why one cannot be bound; looked at as there is room for more.
        course: The questions of a pair, and its explanation.
        together: So many pairs ask at a time.
    """
    rest = iter(coming)
    line: deque[_Pair] = deque()
    more = True
    while more or line:
        while more and sum(pair.wanted is not None for pair in line) < together and len(line) < AHEAD:
            given = next(rest, None)
            if given is None:
                more = False
            elif isinstance(given, GmaskError):
                line.append(_Pair(found=given))
            else:
                line.append(_Pair(given, course(given)))
                line[-1].go_on()
        waiting = [pair for pair in line if pair.wanted is not None]
        _answer(model, waiting)
        _finish(model, [pair for pair in waiting if isinstance(pair.found, Explanation)])
        while line and line[0].found is not None:
            yield line.popleft().found  # type: ignore[misc]


def _answer(model: PairModel, waiting: list[_Pair]) -> None:
    """Ask for all pairs at once; where that fails, for one after the other, to see which is at fault."""
    requests = [request for pair in waiting for request in pair.wanted or ()]
    began = time.perf_counter()
    try:
        answers = iter(model.answer(requests))
    except GmaskError as error:
        if len(waiting) == 1:
            waiting[0].wanted, waiting[0].found = None, error
            return
        for pair in waiting:
            _answer(model, [pair])
        return
    each = (time.perf_counter() - began) / max(sum(len(rows) for _, rows in requests), 1)
    for pair in waiting:
        wanted = pair.wanted or []
        pair.seconds += each * sum(len(rows) for _, rows in wanted)
        pair.go_on([next(answers) for _ in wanted])


def _finish(model: PairModel, done: list[_Pair]) -> None:
    """Give explanations what only their end can tell: how long they took, and what is to be warned of."""
    if not done:
        return
    model.ask_again([pair.bound for pair in done if pair.bound is not None])
    for pair in done:
        assert isinstance(pair.found, Explanation)
        assert pair.bound is not None
        pair.found = replace(pair.found, seconds=pair.seconds, warnings=tuple(pair.bound.warnings))
