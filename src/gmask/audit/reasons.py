"""Reasons that a later version of the model must still have: with other words in their place the answer is another."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import Any

from gmask.audit.asking import Asker
from gmask.audit.edit import Pair, replace
from gmask.audit.seen import Seen, Text
from gmask.audit.vocabulary import Vocabulary

__all__ = ["required_reasons"]

MOST = 100
TRIED = 2 * MOST


def required_reasons(
    pairs: Iterable[Seen], vocabulary: Vocabulary, ask: Asker, labels: Sequence[str]
) -> list[dict[str, Any]]:
    """Right answers, the surest first, that are another one once words of equal frequency stand for their reasons."""
    kept: list[tuple[float, int, int, Seen]] = []
    for seen in pairs:
        if seen.right and any(seen.resting):
            item = (seen.probability, -seen.key, -seen.number, seen)
            (heapq.heappush if len(kept) < TRIED else heapq.heappushpop)(kept, item)
    tried = [(seen, _without(seen, vocabulary)) for *_, seen in sorted(kept, reverse=True)]
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


def _without(seen: Seen, vocabulary: Vocabulary) -> Pair:
    """The pair with other words in the place of those its answer rests on, each another one."""
    used = {*seen.sides[0].words, *seen.sides[1].words}

    def other(text: Text, side: int) -> str:
        words = {}
        for i in sorted(seen.resting[side]):
            words[i] = next(w for w in vocabulary.stand_ins(text.words[i], side, seen.key) if w not in used)
            used.add(words[i])
        return replace(text, words)

    return other(seen.sides[0], 0), other(seen.sides[1], 1)
