"""How far a list of pairs has come: one line that is written over, in terminals and notebooks alike."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["bar"]

EVERY = 0.2  # seconds between two looks of the line


@contextmanager
def bar(total: int, *, shown: bool, doing: str = "explaining") -> Iterator[Callable[[], None]]:
    """What to call after every pair; the line is gone in the end."""
    began, told, done, width = time.monotonic(), 0.0, 0, 0

    def advance() -> None:
        nonlocal told, done, width
        done += 1
        now = time.monotonic()
        if shown and (now - told > EVERY or done == total):
            told = now
            line = f"{doing}: {done:,} of {total:,} pairs, {(now - began) / done * (total - done):.0f} s left"
            width = max(width, len(line))
            _write(line.ljust(width))

    try:
        yield advance
    finally:
        if width:
            _write(" " * width + "\r")


def _write(line: str) -> None:
    sys.stderr.write(f"\r{line}")
    sys.stderr.flush()
