"""A pair whose words stay and go in groups: sentences, as if each were one long word."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gmask.model.bound import BoundPair, Question
from gmask.pair import Word
from gmask.splitting import split

if TYPE_CHECKING:
    import torch

__all__ = ["GroupedPair", "sentences_of"]


def sentences_of(bound: BoundPair) -> list[Word]:
    """The sentences of the texts, as far as the model reads them."""
    found = []
    for side, text in enumerate(bound.all_texts):
        words = [w for w in bound.words if w.sentence == side]
        for start, end in split(text):
            if own := [w for w in words if start <= w.start < end]:
                first, last = own[0].start, max(w.end for w in own)
                found.append(Word(text[first:last], side, first, last))
    return found


class GroupedPair(BoundPair):
    """A bound pair in which the words of a stretch of text stay or go together, so that stretches are its words.

    Args:
        inner: The pair.
        units: The stretches, in their order; every word of the pair begins in one of them.
    """

    def __init__(self, inner: BoundPair, units: Sequence[Word]) -> None:
        super().__init__(inner.model, inner.texts, units, inner.removal, inner.state)
        self.inner, self.warnings = inner, inner.warnings
        self.share(inner)
        starts = [(unit.sentence, unit.start) for unit in units]
        self.owners = np.array([bisect_right(starts, (w.sentence, w.start)) - 1 for w in inner.words])

    @property
    def read(self) -> tuple[str, str]:
        """As word by word."""
        return self.inner.read

    @cached_property
    def ways(self) -> list[BoundPair]:
        """Each way, in the same groups."""
        ways = self.inner.ways
        return [self] if ways == [self.inner] else [GroupedPair(way, self.words) for way in ways]

    def made_of(self, row: np.ndarray) -> list[Question]:
        """The row of words that a row of groups stands for."""
        return self.inner.made_of(row[self.owners])

    def joined(self, row: np.ndarray, outputs: Sequence[np.ndarray]) -> np.ndarray:
        """As word by word."""
        return self.inner.joined(row[self.owners], outputs)

    def removing(self, removal: str) -> BoundPair:
        """In the same groups."""
        return GroupedPair(self.inner.removing(removal), self.words)

    def soft(self, weights: torch.Tensor) -> torch.Tensor:
        """A group's weight is that of each of its words."""
        return self.inner.soft(weights[:, self.owners])

    def token_words(self) -> np.ndarray:
        """The group of each token's word."""
        owners: np.ndarray = np.append(self.owners, -1)[self.inner.token_words()]
        return owners
