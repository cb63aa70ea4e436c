"""Models that encode the two texts apart: a row is a likeness of two encodings, and each of them is made once.

A table over k1 words of the first text and k2 of the second has 2^(k1 + k2) rows, and takes 2^k1 + 2^k2 encodings.
"""

from __future__ import annotations

import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import torch

from gmask.absence.base import Rewriting, find
from gmask.errors import GmaskError
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair, Encoding, Question
from gmask.model.likeness import Likeness
from gmask.pair import Span, Word, unread
from gmask.target import DIRECTIONS

__all__ = ["ApartModel", "ApartPair", "Side", "Text"]

TOGETHER = 1024  # rows whose encodings are held side by side

Encodings = dict[bytes, np.ndarray]


@dataclass(eq=False)
class Text:
    """A text as one side reads it: where its words are, whatever the model needs, and each encoding it was given."""

    text: str
    spans: Sequence[Span]
    state: Any = None
    cut: Sequence[Span] = ()  # where the words are that were too many for the model
    encodings: Encodings = field(default_factory=dict)


class Side(BoundPair):
    """One text of a pair by itself: its rows are of its own words, and answered with encodings.

    Args:
        model: The model.
        text: The text.
        side: Whether it is read as the first (0) or the second (1) of a pair.
        removal: What removing a word means.
    """

    def __init__(self, model: PairModel, text: Text, side: int, removal: str) -> None:
        words = [Word(text.text[start:end], 0, start, end) for start, end in text.spans]
        super().__init__(model, (text.text, ""), words, removal, text.state)
        self.text, self.side = text, side

    def key(self, row: np.ndarray) -> bytes:
        """By what the text remembers the encoding of a row; the whole text is the same however words are removed."""
        return b"" if row.all() else self.removal.encode() + np.packbits(row).tobytes()


class ApartPair(BoundPair):
    """A pair bound to a model that encodes its texts apart; its state is its two sides."""

    def __init__(self, model: ApartModel, texts: tuple[str, str], sides: tuple[Side, Side], removal: str) -> None:
        words = [replace(word, sentence=i) for i, side in enumerate(sides) for word in side.words]
        super().__init__(model, texts, words, removal, sides)
        self._rewritten: dict[tuple[int, bytes], Side] = {}

    @property
    def read(self) -> tuple[str, str]:
        """The part of each text that the model reads: what was cut off must not come back when texts are rewritten."""
        first, second = (side.texts[0][: side.words[-1].end] if side.text.cut else side.texts[0] for side in self.state)
        return first, second

    def encoded(self, row: np.ndarray) -> list[tuple[Side, np.ndarray]]:
        """What is encoded for a row: of each text a side, and which of its words stay."""
        return [self._part(side, row) for side in self.state]

    def encodings(self, row: np.ndarray) -> list[Encoding]:
        """One of each text."""
        return [(part.side, part.texts[0], part.key(own)) for part, own in self.encoded(row)]

    def _part(self, side: Side, row: np.ndarray) -> tuple[Side, np.ndarray]:
        own = row[self.sentences == side.side]
        if own.all() or not isinstance(self.absence, Rewriting):
            return side, own
        key = side.side, own.tobytes()
        if key not in self._rewritten:  # another text, which is read whole
            text = self.absence.texts(self, row | (self.sentences != side.side))[side.side]
            self._rewritten[key] = self.model.side(text, side.side, side.removal)  # type: ignore[attr-defined]
        other = self._rewritten[key]
        return other, np.ones(len(other.words), bool)


class ApartModel(PairModel):
    """A model that encodes each text by itself and answers with how alike the encodings are: a raw score."""

    labels: tuple[str, ...] = DIRECTIONS
    raw: bool = True
    apart: ClassVar[bool] = True
    alike: bool  # whether the second text is read as the first is
    _likeness: Likeness

    def __init__(self) -> None:
        self._texts: weakref.WeakValueDictionary[tuple[int, str], Text] = weakref.WeakValueDictionary()

    def side(self, text: str, side: int, removal: str) -> Side:
        """A text as one side of a pair; while anybody holds it, it is read once, however many pairs it is in."""
        key = (0 if self.alike else side), text
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = self._text(text, side)
        return Side(self, found, side, removal)

    def _bind(self, first: str, second: str, removal: str) -> BoundPair:
        way = self.removals[0] if isinstance(find(removal), Rewriting) else removal  # other texts are read whole
        sides = self.side(first, 0, way), self.side(second, 1, way)
        for side, place in zip(sides, ("first", "second"), strict=True):
            if not side.words:
                raise GmaskError(f"the tokenizer of {self.name} finds no word in the {place} sentence")
        bound = ApartPair(self, (first, second), sides, removal)
        lost = [Word(s.text.text[a:b], place, a, b) for place, s in enumerate(sides) for a, b in s.text.cut]
        self._tell(bound, unread([*bound.words, *lost], bound.words))
        return bound

    def _forward(self, questions: Sequence[Question], on_rows: Callable[[int], None]) -> np.ndarray:
        parts = [bound.encoded(row) for bound, row in questions]  # type: ignore[attr-defined]
        for side in (0, 1):
            asked: dict[tuple[int, bytes], tuple[Side, np.ndarray]] = {}
            for part, row in (part[side] for part in parts):
                if (key := part.key(row)) not in part.text.encodings:
                    asked.setdefault((id(part.text), key), (part, row))
            wanted = list(asked.values())
            for number, encoding in self._encode(wanted) if wanted else ():
                part, row = wanted[number]
                part.text.encodings[part.key(row)] = encoding
        firsts, seconds = (
            [part.text.encodings[part.key(row)] for part, row in own] for own in zip(*parts, strict=True)
        )
        found = []
        for start in range(0, len(parts), TOGETHER):
            batch = slice(start, start + TOGETHER)
            found.append(self._likeness(_stacked(firsts[batch]), _stacked(seconds[batch])).numpy())
            on_rows(len(found[-1]))
        scores: np.ndarray = np.concatenate(found)[:, None].round(6)
        return scores

    @abstractmethod
    def _text(self, text: str, side: int) -> Text:
        """Read a text as one side does; any text, also an empty one."""

    @abstractmethod
    def _encode(self, questions: Sequence[tuple[Side, np.ndarray]]) -> Iterator[tuple[int, np.ndarray]]:
        """Encode rows of sides, all of the same side: their numbers, and a vector `[d]` or several, `[t, d]`."""

    def _tell(self, bound: BoundPair, lost: str) -> None:
        """Warn of words that were cut off."""


def _stacked(encodings: Sequence[np.ndarray]) -> torch.Tensor:
    """Encodings as one tensor in double precision, those with fewer vectors filled up with zeros."""
    most = max(len(encoding) for encoding in encodings)
    if encodings[0].ndim == 2:
        encodings = [np.pad(encoding, ((0, most - len(encoding)), (0, 0))) for encoding in encodings]
    return torch.from_numpy(np.stack(encodings)).double()
