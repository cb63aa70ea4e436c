"""Attributions of words of which only the order is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["TIES", "by_order"]

TIES = 1e-6  # the scale of what only breaks ties


def by_order(order: Sequence[int], leading: int | None = None) -> np.ndarray:
    """Numbers for all words that follow their order, from 1 down to almost 0.

    Args:
        order: All words, the most important first.
        leading: So many of them matter; those after them get numbers that break ties and do nothing else. Default: all.
    """
    leading = len(order) if leading is None else leading
    found = np.empty(len(order))
    found[list(order)] = [
        *np.linspace(1, 0, leading, endpoint=False),
        *(TIES * np.linspace(1, 0, len(order) - leading, endpoint=False)),
    ]
    return found
