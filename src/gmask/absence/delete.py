"""Words are cut out of the text, which is read anew."""

from __future__ import annotations

from typing import Any, ClassVar

from gmask.absence.base import Rewriting
from gmask.model.bound import BoundPair

__all__ = ["Delete"]


class Delete(Rewriting):
    """The text without the words, and without double spaces where they stood."""

    name: ClassVar[str] = "delete"
    summary: ClassVar[str] = "are cut out of the text"

    def texts(self, bound: BoundPair, kept: Any) -> tuple[str, str]:
        """The two texts with the words that go cut out."""
        texts = []
        for sentence, text in enumerate(bound.read):
            parts, position = [], 0
            for word, stays in zip(bound.words, kept, strict=True):
                if word.sentence == sentence and not stays:
                    parts.append(text[position : word.start])
                    position = word.end
            texts.append(" ".join("".join([*parts, text[position:]]).split()) if parts else text)
        return texts[0], texts[1]
