"""Word sets from pairs of words, and from other sets."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["merge"]


def merge(pairs: Iterable[tuple[int, ...]]) -> list[list[int]]:
    """The sets that pairs form where they share a word."""
    sets: list[set[int]] = []
    for pair in pairs:
        touched = [s for s in sets if s & set(pair)]
        sets = [*(s for s in sets if s not in touched), set(pair).union(*touched)]
    return [sorted(int(i) for i in s) for s in sets]
