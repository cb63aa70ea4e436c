"""Words become a blank in the text: a sign that says nothing stands in their place."""

from __future__ import annotations

from typing import Any, ClassVar

from gmask.absence.base import Rewriting
from gmask.model.bound import BoundPair

__all__ = ["BLANK", "Blank", "put"]

BLANK = "…"


class Blank(Rewriting):
    """An ellipsis in the place of each word: a second way for models that are asked with texts."""

    name: ClassVar[str] = "blank"
    summary: ClassVar[str] = "leave an ellipsis in the text"

    def texts(self, bound: BoundPair, kept: Any) -> tuple[str, str]:
        """The two texts with an ellipsis for each word that goes."""
        return put(bound, {i: BLANK for i, stays in enumerate(kept) if not stays})


def put(bound: BoundPair, others: dict[int, str]) -> tuple[str, str]:
    """The two texts with something else in the place of some words."""
    texts = []
    for sentence, text in enumerate(bound.read):
        parts, position = [], 0
        for i, word in enumerate(bound.words):
            if word.sentence == sentence and i in others:
                parts += [text[position : word.start], others[i]]
                position = word.end
        texts.append("".join([*parts, text[position:]]))
    return texts[0], texts[1]
