"""A pair held against a reference: other texts stand in for a sentence whose words are all gone."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gmask.model.bound import BoundPair, Question
from gmask.pair import Word
from gmask.reference import Reference

if TYPE_CHECKING:
    import torch

__all__ = ["HeldPair", "hold"]


def hold(bound: BoundPair, reference: Reference) -> BoundPair:
    """The pair, held against a reference; always the same one, which remembers what it was asked."""
    if reference not in bound.held:
        bound.held[reference] = HeldPair(bound, reference) if reference.firsts else bound
    return bound.held[reference]


class HeldPair(BoundPair):
    """A bound pair in which other texts stand in for a sentence whose words are all gone.

    Args:
        inner: The pair.
        reference: The texts.
    """

    def __init__(self, inner: BoundPair, reference: Reference) -> None:
        super().__init__(inner.model, inner.texts, inner.words, inner.removal, inner.state)
        self.inner, self.reference, self.warnings = inner, reference, inner.warnings
        self.share(inner)

    @property
    def read(self) -> tuple[str, str]:
        """As without a reference."""
        return self.inner.read

    @property
    def stand_ins(self) -> int:
        """As many as there are."""
        return len(self.reference.firsts)

    @cached_property
    def ways(self) -> list[BoundPair]:  # type: ignore[override]
        """Each way, beside one text of each side, in turn: where a row is asked in one way, one text will do too."""
        ways = self.inner.ways
        if len(ways) == 1:
            return [self]
        return [hold(way, self.reference.only(number)) for number, way in enumerate(ways)]

    def made_of(self, row: np.ndarray) -> list[Question]:
        """As without a reference, while a word of each sentence is there; else a question for each stand-in."""
        there = [bool(row[self.sentences == side].any()) for side in (0, 1)]
        if all(there):
            return self.inner.made_of(row)
        if not any(there):
            return [(bound, np.ones(len(bound.words), bool)) for bound in self.nothing]
        side = there.index(True)
        kept = [(w.start, w.end) for w, stays in zip(self.words, row, strict=True) if stays]

        def stays(word: Word) -> bool:  # a unit may be several words
            place = bisect_right(kept, (word.start, sys.maxsize)) - 1
            return word.sentence != side or (place >= 0 and word.end <= kept[place][1])

        return [(bound, np.array([stays(w) for w in bound.words])) for bound in self.beside(side)]

    def with_texts(self, *texts: str) -> BoundPair:
        """Held against the same."""
        return hold(self.inner.with_texts(*texts), self.reference)

    def removing(self, removal: str) -> BoundPair:
        """As without a reference."""
        return self.inner.removing(removal)

    def soft(self, weights: torch.Tensor) -> torch.Tensor:
        """As without a reference."""
        return self.inner.soft(weights)

    def token_words(self) -> np.ndarray:
        """As without a reference."""
        return self.inner.token_words()

    def beside(self, side: int) -> Sequence[BoundPair]:
        """The sentence of one side, whole, beside each text that stands in for the other."""
        return self._beside_first if side == 0 else self._beside_second

    @cached_property
    def _beside_first(self) -> list[BoundPair]:
        return [self._bind(self.texts[0], other) for other in self.reference.seconds]

    @cached_property
    def _beside_second(self) -> list[BoundPair]:
        return [self._bind(other, self.texts[1]) for other in self.reference.firsts]

    @cached_property
    def nothing(self) -> list[BoundPair]:
        """Pairs of such texts: nothing of the pair is left."""
        return [self._bind(*pair) for pair in self.reference.pairs]

    def _bind(self, first: str, second: str) -> BoundPair:
        return self.bind(first, second, removal=self.absence.parts[0].name)
