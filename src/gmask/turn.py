"""What would turn the order of two texts beside the same first one: the fewest words found, deleted from the texts.

The words that an explanation of the difference puts first are tried, fewer where a budget has room for fewer. Two sets
are grown, one by always adding the word that does most, one in the explanation's own order; from each the words that it
can do without are taken out again, and the smaller one is it. Each set was put to the model: it does turn the order.
That no smaller one does is not shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from gmask.model.rival import RivalPair

__all__ = ["find_turn"]

POOL = 24  # words that are tried

Stands = Callable[[Sequence[Sequence[int]]], np.ndarray]


def find_turn(bound: RivalPair, order: Sequence[int]) -> tuple[int, ...] | None:
    """The fewest words found whose removal turns the order; None if none were.

    Args:
        bound: The two pairs.
        order: The positions of the words, the most promising first.
    """
    budget = bound.model.budget
    room = math.inf if budget is None else budget - bound.spent
    pool = _without_last(bound, order)[: next(size for size in range(POOL, -1, -1) if _price(size) <= max(room, 0))]
    if not pool:
        return None
    (whole,) = bound(np.ones((1, len(bound.words)), bool))
    toward = 1.0 if whole[0] > 0 else -1.0

    def stands(sets: Sequence[Sequence[int]]) -> np.ndarray:
        """How firmly the order stands without each set of words; turned below 0."""
        rows = np.ones((len(sets), len(bound.words)), bool)
        for row, gone in zip(rows, sets, strict=True):
            row[list(gone)] = False
        return np.asarray(toward * bound(rows)[:, 0])

    found = [_pruned(own, stands) for own in (_greedy(pool, stands), _first(pool, stands)) if own]
    fewest = min(found, key=len, default=None)
    return None if fewest is None else tuple(sorted(fewest))


def _price(size: int) -> int:
    """The most rows that so many words can take: sets that grow to all of them, twice, and shrink again."""
    return 2 * (size + size * (size + 1)) if size else 0


def _without_last(bound: RivalPair, order: Sequence[int]) -> list[int]:
    """The words in their order, less the last one of each text: a text that is wholly gone is no answer."""
    last = {int(bound.sentences[word]): word for word in order}
    return [word for word in order if word not in last.values()]


def _greedy(pool: Sequence[int], stands: Stands) -> list[int]:
    """Words added one by one, always the one that does most; nothing if they never turn the order."""
    gone: list[int] = []
    while rest := [word for word in pool if word not in gone]:
        values = stands([[*gone, word] for word in rest])
        best = int(values.argmin())
        gone.append(rest[best])
        if values[best] < 0:
            return gone
    return []


def _first(pool: Sequence[int], stands: Stands) -> list[int]:
    """The first words, as many as it takes; nothing if that are more than there are."""
    turned = np.flatnonzero(stands([pool[: count + 1] for count in range(len(pool))]) < 0)
    return list(pool[: int(turned[0]) + 1]) if len(turned) else []


def _pruned(gone: list[int], stands: Stands) -> list[int]:
    """Without the words that it can do without, the least needed first."""
    while len(gone) > 1:
        fewer = [[word for word in gone if word != spared] for spared in gone]
        values = stands(fewer)
        best = int(values.argmin())
        if values[best] >= 0:
            break
        gone = fewer[best]
    return gone
