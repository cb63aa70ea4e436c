"""The share of words that ERASER's two measures and the log-odds remove or keep."""

from __future__ import annotations

import math

__all__ = ["BINS", "count_of"]

BINS = (1, 5, 10, 20, 50)  # percent of the words


def count_of(percent: float, words: int) -> int:
    """How many words a share is, rounded up, so that even 1 % is a word."""
    return math.ceil(percent * words / 100)
