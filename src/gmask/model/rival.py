"""Two pairs with the same first text as one: what is asked of their words is answered with the difference of scores.

    f(kept words of the first text, of one second text, of the other)
        = score(first', one') - score(first', other')

The first text's words stay or go in both pairs at once. Each pair is asked for itself, so a row that changes only one
of them asks the model once, and all rows share its batches and what it remembers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from gmask.errors import GmaskError
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair, Question
from gmask.model.held import HeldPair
from gmask.pair import THIRD
from gmask.target import DIRECTIONS

__all__ = ["Margin", "RivalPair"]


class Margin(PairModel):
    """A model seen through one of its numbers: the difference of it for two pairs, a raw score.

    Args:
        inner: The model.
        index: Which of its outputs is the score.
    """

    raw = True
    reads = False  # it is asked about texts that are bound already
    labels = DIRECTIONS

    def __init__(self, inner: PairModel, index: int) -> None:
        self.inner, self.index = inner, index
        self.name = f"{inner.name}, the difference of two scores"
        self.removals = inner.removals  # type: ignore[misc]
        self.budget = inner.budget

    @property
    def usual(self) -> str:
        """That of the model."""
        return self.inner.usual

    @property
    def masks(self) -> bool:  # type: ignore[override]
        """As the model."""
        return self.inner.masks

    @property
    def hash(self) -> str:
        """Of the model and the number."""
        return f"{self.inner.hash}-margin-{self.index}"

    def between(self, one: BoundPair, other: BoundPair) -> RivalPair:
        """Two bound pairs of the model, with the same first text, as one."""
        return RivalPair(self, one, other)

    def ask_again(self, bounds: Sequence[BoundPair]) -> None:
        """Both pairs of each."""
        rivals = [bound for bound in bounds if isinstance(bound, RivalPair)]
        self.inner.ask_again([pair for bound in rivals for pair in (bound.one, bound.other)])

    def _bind(self, first: str, second: str, removal: str) -> BoundPair:  # noqa: ARG002
        raise GmaskError(f"{self.name}: it takes two pairs that are bound already, not {first[:40]!r}")

    def _forward(self, questions: Sequence[Question], on_rows: Callable[[int], None]) -> np.ndarray:
        return self.inner._forward(questions, on_rows)


class RivalPair(BoundPair):
    """Two bound pairs with the same first text, as one with three texts.

    Args:
        model: What answers with the difference.
        one: A pair.
        other: The pair whose score is taken away; its second text is the third.
    """

    model: Margin

    def __init__(self, model: Margin, one: BoundPair, other: BoundPair) -> None:
        places: dict[tuple[int, int, int], Any] = {}
        for pair, sides in ((one, (0, 1)), (other, (0, THIRD))):
            for word in pair.words:
                side = sides[word.sentence]
                places.setdefault((side, word.start, word.end), replace(word, sentence=side))
        found = sorted(places)
        columns = {place: column for column, place in enumerate(found)}
        super().__init__(model, one.texts, [places[place] for place in found], one.removal)
        self.one, self.other = one, other
        self.accounts = (*one.accounts, *other.accounts)
        self._columns = [
            np.array([columns[sides[w.sentence], w.start, w.end] for w in pair.words])
            for pair, sides in ((one, (0, 1)), (other, (0, THIRD)))
        ]

    @property
    def all_texts(self) -> tuple[str, ...]:
        """With the third."""
        return (*self.texts, self.other.texts[1])

    @property
    def rebinds(self) -> bool:
        """As the two pairs."""
        return self.model.inner.reads

    def with_texts(self, *texts: str) -> BoundPair:
        """Both pairs with others."""
        first, one, other = texts
        return self.model.between(self.one.with_texts(first, one), self.other.with_texts(first, other))

    @property
    def sides(self) -> list[tuple[BoundPair, np.ndarray]]:
        """Each pair, and where its words stand among all."""
        return list(zip((self.one, self.other), self._columns, strict=True))

    @cached_property
    def ways(self) -> list[BoundPair]:  # type: ignore[override]
        """The two in each way that both mix."""
        ways = list(zip(self.one.ways, self.other.ways, strict=True))
        return [self.model.between(*way) for way in ways] if len(ways) > 1 else [self]

    @property
    def asks(self) -> int:
        """Of both pairs."""
        return 2

    @cached_property
    def span(self) -> float:  # type: ignore[override]
        """The longer way of the two scores from nothing: two that are close are not held apart by what little is so."""
        ends = [np.array([np.ones(len(pair.words), bool), np.zeros(len(pair.words), bool)]) for pair, _ in self.sides]
        answers = self.model.inner.answer(list(zip((self.one, self.other), ends, strict=True)))
        return max(abs(float(whole[self.model.index] - nothing[self.model.index])) for whole, nothing in answers)

    @property
    def stand_ins(self) -> int:
        """Of both pairs."""
        return self.one.stand_ins + self.other.stand_ins

    @property
    def rows_asked(self) -> int:
        """Of both pairs, whatever they are held against."""
        inner = [pair.inner if isinstance(pair, HeldPair) else pair for pair in (self.one, self.other)]
        return sum(way.rows_asked for pair in inner for way in pair.ways)

    def made_of(self, row: np.ndarray) -> list[Question]:
        """What the row is made of in the one pair, and then what it is in the other."""
        return [question for pair, columns in self.sides for question in pair.made_of(row[columns])]

    def joined(self, row: np.ndarray, outputs: Sequence[np.ndarray]) -> np.ndarray:
        """The difference of the two scores."""
        own = len(self.one.made_of(row[self._columns[0]]))
        parts = (outputs[:own], outputs[own:])
        one, other = (
            pair.joined(row[columns], part)[self.model.index]
            for (pair, columns), part in zip(self.sides, parts, strict=True)
        )
        return np.array([one - other])
