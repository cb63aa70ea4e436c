"""Words are replaced by those of other real texts."""

from __future__ import annotations

from typing import Any, ClassVar

from gmask.absence.base import Rewriting
from gmask.absence.blank import put
from gmask.model.bound import BoundPair
from gmask.neutral import neutral
from gmask.pair import segment

__all__ = ["Swap"]


class Swap(Rewriting):
    """A word of a neutral text in the place of each: what is gone is not missing, it is something else.

    Which word stands where is settled by the place alone, so that a row is the same whatever else is asked.
    """

    name: ClassVar[str] = "swap"
    summary: ClassVar[str] = "are replaced by words of other texts"

    def texts(self, bound: BoundPair, kept: Any) -> tuple[str, str]:
        """The two texts with a foreign word for each word that goes."""
        others: dict[int, str] = {}
        for sentence, text in enumerate(bound.texts):
            foreign = [t[s:e] for t in neutral(text, avoid=bound.texts) for s, e in segment(t) if t[s:e].isalnum()]
            gone = [i for i, w in enumerate(bound.words) if w.sentence == sentence and not kept[i]]
            others |= {i: foreign[i % len(foreign)] for i in gone}
        return put(bound, others)
