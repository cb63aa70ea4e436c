"""How alike two lists of word groups are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

__all__ = ["jaccard", "match"]


def jaccard(groups: Sequence[Iterable[int]], others: Sequence[Iterable[int]]) -> np.ndarray:
    """The Jaccard index of each group with each of the others, `[groups, others]`."""
    return np.array([[len({*g} & {*o}) / len({*g} | {*o}) for o in others] for g in groups])


def match(likeness: np.ndarray) -> float:
    """1 if both lists are the same, 0 if one of them is empty: each group with the most like of the other list."""
    return float(likeness.max(axis=1).mean() + likeness.max(axis=0).mean()) / 2 if likeness.size else 0.0
