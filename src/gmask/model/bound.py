"""A model bound to one pair: rows of words that stay go in, outputs come out, and every row is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gmask.absence.base import Absence, find
from gmask.errors import GmaskError
from gmask.pair import Word
from gmask.watch import tell

if TYPE_CHECKING:
    import torch

    from gmask.model.base import PairModel

__all__ = ["Account", "BoundPair", "Encoding", "MixedPair", "Question", "Request", "Rows"]

Rows = np.ndarray  # bool [m, words]: which words stay, one row a question
Question = tuple["BoundPair", np.ndarray]  # one row of one pair
Request = tuple["BoundPair", Any]  # a pair and its rows
Encoding = tuple[int, str, bytes]  # as which side (0 or 1), of which text, and with which of its words


class Account:
    """How many questions were put to a model for one pair, also those about other texts that stand beside it."""

    def __init__(self) -> None:
        self.spent = 0


class BoundPair:
    """A model bound to one pair. Call it with rows of kept words; it remembers every row it was asked."""

    def __init__(
        self, model: PairModel, texts: tuple[str, str], words: Sequence[Word], removal: str, state: Any = None
    ) -> None:
        self.model = model
        self.texts = texts
        self.words = tuple(words)
        self.absence: Absence = find(removal)
        self.state = state  # whatever the model needs to answer for this pair
        self.warnings: list[str] = []
        self.held: dict[Any, BoundPair] = {}  # the pair as it is held against references
        self.accounts: tuple[Account, ...] = (Account(),)  # on which its questions are
        self._memory: dict[bytes, np.ndarray] = {}

    @property
    def removal(self) -> str:
        """The name of its absence."""
        return self.absence.name

    @property
    def all_texts(self) -> tuple[str, ...]:
        """The text of each side that words stand in."""
        return self.texts

    @property
    def rebinds(self) -> bool:
        """Whether other texts can stand in the place of its own."""
        return self.model.reads

    def with_texts(self, *texts: str) -> BoundPair:
        """The same of other texts, on its account: one for each of its own."""
        return self.bind(*texts, removal=self.removal)

    @property
    def read(self) -> tuple[str, str]:
        """What the model reads of the two texts; words are found there where they stand in the texts."""
        return self.texts

    def made_of(self, row: np.ndarray) -> list[Question]:
        """The questions to the model whose answers, averaged, are the answer to a row."""
        return [(self, row)]

    def joined(self, row: np.ndarray, outputs: Sequence[np.ndarray]) -> np.ndarray:  # noqa: ARG002
        """The answer to a row, from the answers to what it is made of."""
        return _mean(outputs)

    @property
    def asks(self) -> int:
        """How many pairs of texts a row asks about."""
        return 1

    @property
    def span(self) -> float:
        """How far a raw score must go, at least, for it to have gone all the way."""
        return 0.0

    @property
    def stand_ins(self) -> int:
        """How many texts stand in for one that is wholly gone, one after the other; 0 if none do."""
        return 0

    def encodings(self, row: np.ndarray) -> list[Encoding]:
        """What a model that encodes the two texts apart encodes for a row; nothing where it reads them together."""
        return [key for bound, kept in self.made_of(row) if bound is not self for key in bound.encodings(kept)]

    @property
    def ways(self) -> list[BoundPair]:
        """The pair bound in each way that it mixes; itself, if it mixes none."""
        return [self]

    @property
    def spent(self) -> int:
        """How many questions to the model are on its account: what a model's budget bounds."""
        return sum(account.spent for account in self.accounts)

    def bind(self, first: str, second: str, *, removal: str) -> BoundPair:
        """Other texts, asked about for the sake of this pair and on its account."""
        bound = self.model.bind(first, second, removal=removal)
        bound.share(self)
        return bound

    def share(self, other: BoundPair) -> None:
        """Go on another pair's account."""
        self.accounts = other.accounts

    def removing(self, removal: str) -> BoundPair:
        """The pair with words removed in another way."""
        return self.bind(*self.texts, removal=removal)

    def exchanged(self, word: int, place: int) -> BoundPair:
        """The pair with one of its words standing in the place of another."""
        gone, texts = self.words[place], list(self.read)
        text = texts[gone.sentence]
        texts[gone.sentence] = text[: gone.start] + self.words[word].text + text[gone.end :]
        return self.bind(*texts, removal=self.absence.parts[0].name)

    @property
    def sentences(self) -> np.ndarray:
        """For each word, the sentence (0 or 1) it stands in."""
        return np.array([w.sentence for w in self.words])

    @property
    def rows_asked(self) -> int:
        """How many different rows of this pair the model has answered."""
        return len(self._memory)

    def __call__(self, kept: Any) -> np.ndarray:
        """Answer rows of kept words, bool `[m, words]`, with outputs, float `[m, classes]`."""
        return self.model.answer([(self, kept)])[0]

    @cached_property
    def together(self) -> int:
        """How many rows are differentiated together, at most; less, once that was too much for the memory."""
        return self.model._together(self)

    def soft(self, weights: torch.Tensor) -> torch.Tensor:
        """The differentiable door: outputs `[m, classes]` with each word's embedding times its weight `[m, words]`."""
        if not self.model.differentiable:
            raise self.model._closed()
        self.model.check_slope(self.removal)
        outputs = self.model._soft(self, weights)
        tell(len(weights))
        return outputs

    def token_words(self) -> np.ndarray:
        """For each token of the pair the position of its word, int `[tokens]`; -1 for special tokens."""
        return self.model._token_words(self)

    def embed(self) -> torch.Tensor:
        """The word embeddings of the pair's tokens, `[tokens, dimensions]`, detached from the model."""
        return self.model._embed(self)

    def from_embeddings(self, embeddings: torch.Tensor) -> torch.Tensor:
        """Differentiable outputs `[m, classes]` with `[m, tokens, dimensions]` in the place of the word embeddings."""
        outputs = self.model._from_embeddings(self, embeddings)
        tell(len(embeddings))
        return outputs

    def attentions(self) -> torch.Tensor:
        """The attention weights with every word kept, `[layers, heads, tokens, tokens]`, where the model has them."""
        return self.model._attentions(self)

    def check(self, kept: Any) -> Rows:
        """Rows as a boolean matrix with a column a word."""
        rows = np.asarray(kept)
        if rows.ndim != 2 or rows.shape[1] != len(self.words):
            raise GmaskError(f"kept words must have the shape [rows, {len(self.words)}], not {list(rows.shape)}")
        return rows.astype(bool)


class MixedPair(BoundPair):
    """A model bound to a pair in several ways of removing words; the answer to a row is the mean of theirs.

    Args:
        parts: The pair, bound in each way.
        removal: The name of the mixture.
    """

    def __init__(self, parts: Sequence[BoundPair], removal: str) -> None:
        first = parts[0]
        super().__init__(first.model, first.texts, first.words, removal, first.state)
        self.parts = tuple(parts)
        self.warnings = first.warnings
        self.share(first)

    def share(self, other: BoundPair) -> None:
        """With all its parts."""
        super().share(other)
        for part in self.parts:
            part.share(other)

    @property
    def read(self) -> tuple[str, str]:
        """As in any of the ways."""
        return self.parts[0].read

    @property
    def ways(self) -> list[BoundPair]:
        """Its parts."""
        return list(self.parts)

    def made_of(self, row: np.ndarray) -> list[Question]:
        """The row, in each way; the whole pair is the same in all."""
        return [(part, row) for part in self.parts[: 1 if row.all() else None]]


def _mean(outputs: Sequence[np.ndarray]) -> np.ndarray:
    """The mean of outputs; where they are all the same it is they, to the last bit."""
    mean: np.ndarray = outputs[0] + np.mean([output - outputs[0] for output in outputs], axis=0)
    return mean
