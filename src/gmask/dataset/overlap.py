"""Pairs that two sets share, whatever their case, spacing, and order of the two sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gmask.dataset.example import Example

__all__ = ["overlap", "pair_key", "without"]


def pair_key(example: Example) -> tuple[str, str]:
    """The same for two pairs that differ only in case, white space, or which sentence comes first."""
    first, second = sorted(re.sub(r"\s+", "", text).casefold() for text in (example.first, example.second))
    return first, second


def overlap(train: Iterable[Example], held_out: Iterable[Example]) -> list[Example]:
    """The held-out pairs that occur in the training pairs too."""
    seen = {pair_key(example) for example in train}
    return [example for example in held_out if pair_key(example) in seen]


def without(train: Iterable[Example], held_out: Iterable[Example]) -> list[Example]:
    """The training pairs that no held-out pair repeats."""
    seen = {pair_key(example) for example in held_out}
    return [example for example in train if pair_key(example) not in seen]
