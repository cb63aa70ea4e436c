"""Reasons that a later version of the model must still have: without their words a right answer is another one."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import Any

from gmask.audit.asking import Asker
from gmask.audit.edit import Pair, remove
from gmask.audit.seen import Seen

__all__ = ["required_reasons"]

MOST = 100
TRIED = 2 * MOST


def required_reasons(pairs: Iterable[Seen], ask: Asker, labels: Sequence[str]) -> list[dict[str, Any]]:
    """Right answers, the surest first, whose words were taken out of the texts and which are then another one."""
    kept: list[tuple[float, int, int, Seen]] = []
    for seen in pairs:
        if seen.right and _without(seen) is not None:
            item = (seen.probability, -seen.key, -seen.number, seen)
            (heapq.heappush if len(kept) < TRIED else heapq.heappushpop)(kept, item)
    tried = [(seen, texts) for *_, seen in sorted(kept, reverse=True) if (texts := _without(seen))]
    answers = ask([texts for _, texts in tried])
    rows = [
        {
            "number": seen.number,
            "texts": list(seen.texts),
            "label": labels[seen.label],
            "first": [seen.sides[0].words[i] for i in sorted(seen.resting[0])],
            "second": [seen.sides[1].words[i] for i in sorted(seen.resting[1])],
            "without": list(texts),
            "after": labels[answer.label],
        }
        for (seen, texts), answer in zip(tried, answers, strict=True)
        if answer is not None and answer.label != seen.label
    ]
    return rows[:MOST]


def _without(seen: Seen) -> Pair | None:
    """The pair without the words its answer rests on; None where none is left of a text."""
    if any(len(own) == len(text.words) for own, text in zip(seen.resting, seen.sides, strict=True)):
        return None
    first, second = (remove(text, sorted(own)) for text, own in zip(seen.sides, seen.resting, strict=True))
    return first, second
