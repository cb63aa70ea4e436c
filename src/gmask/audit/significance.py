"""How sure a share is, whether one is higher than another, and which of many tests hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

__all__ = ["RATE", "discoveries", "higher", "more_often", "tail", "wilson"]

RATE = 0.05  # of what is reported, so much may be there by chance
_Z = 1.959964


def wilson(hits: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson's), to four digits."""
    if not count:
        return 0.0, 1.0
    share, spread = hits / count, _Z * _Z / count
    middle = (share + spread / 2) / (1 + spread)
    reach = _Z * math.sqrt(share * (1 - share) / count + spread / (4 * count)) / (1 + spread)
    return round(max(0.0, middle - reach), 4), round(min(1.0, middle + reach), 4)


def more_often(one: Sequence[bool], other: Sequence[bool]) -> float:
    """The one-sided p that the first holds no more often than the second, of the same pairs (McNemar's, exact)."""
    only, less = (sum(a > b for a, b in zip(x, y, strict=True)) for x, y in ((one, other), (other, one)))
    return tail(only, less)


def tail(only: int, less: int) -> float:
    """The one-sided p of so many pairs that speak for the first, and so many that speak for the second."""
    return sum(math.comb(only + less, k) for k in range(only, only + less + 1)) / 2 ** (only + less)


def higher(hits: int, count: int, other_hits: int, other_count: int) -> float:
    """The one-sided p that the first share is no higher than the second, of different pairs (Fisher's, exact)."""
    total, all_hits = count + other_count, hits + other_hits
    whole = _log_choose(total, all_hits)
    chances = (
        math.exp(_log_choose(count, k) + _log_choose(other_count, all_hits - k) - whole)
        for k in range(hits, min(count, all_hits) + 1)
        if 0 <= all_hits - k <= other_count
    )
    return min(1.0, sum(chances))


def discoveries(chances: Sequence[float]) -> list[float]:
    """For each p of many, the false discovery rate at which it would be reported (Benjamini and Hochberg's q)."""
    order = sorted(range(len(chances)), key=lambda i: chances[i], reverse=True)
    rates = [chances[i] * len(chances) / (len(chances) - rank) for rank, i in enumerate(order)]
    lowest = dict(zip(order, accumulate(rates, min), strict=True))
    return [min(1.0, lowest[i]) for i in range(len(chances))]


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
