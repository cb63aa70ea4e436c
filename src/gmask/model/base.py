"""The door: words that stay and words that go, answered with class probabilities."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gmask.absence.base import Absence, find
from gmask.errors import GmaskError, ModelError, one_of
from gmask.pair import Word, check_pair
from gmask.watch import tell

if TYPE_CHECKING:
    import torch

__all__ = ["BoundPair", "Encoding", "MixedPair", "PairModel", "Question", "Request", "Rows", "label_names"]

Rows = np.ndarray  # bool [m, words]: which words stay, one row a question
Question = tuple["BoundPair", np.ndarray]  # one row of one pair
Request = tuple["BoundPair", Any]  # a pair and its rows
Encoding = tuple[int, str, bytes]  # as which side (0 or 1), of which text, and with which of its words

SAME = 1e-4  # by so much, or this share of a large score, the door may differ from the model's own prediction


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


class PairModel(ABC):
    """A model that reads two texts. Subclasses say how a pair is bound and how rows are answered."""

    name: str
    labels: tuple[str, ...]
    raw: bool = False  # one output that is a score, not a probability
    multilabel: bool = False  # each label has a probability of its own; any number of them can hold
    differentiable: ClassVar[bool] = False
    removals: ClassVar[tuple[str, ...]] = ("delete",)
    reads: ClassVar[bool] = True  # whether it can be asked about any texts, and not of one pair only
    apart: ClassVar[bool] = False  # whether it encodes the two texts apart
    masks: bool = False  # whether there is a token for what is hidden
    tolerance: float = SAME
    budget: int | None = None
    _reproduced: bool = False  # whether the door was found to say what the model itself says
    folder: Path | None = None  # where it was loaded from; what was fitted to it is looked for there

    def bind(self, first: str, second: str, *, removal: str | None = None) -> BoundPair:
        """Bind the model to a pair of texts.

        Args:
            first: The first text.
            second: The second text.
            removal: What removing a word means: one of `removals`, or several joined by +, whose answers are averaged.
                Default: the model's `usual`.
        """
        texts = check_pair(first, second)
        name = self.check_removal(removal)
        bounds = [self._bind(*texts, part.name) for part in find(name).parts]
        if not self._reproduced:
            self._reproduce(bounds[0])
        return bounds[0] if len(bounds) == 1 else MixedPair(bounds, name)

    @property
    def usual(self) -> str:
        """What removing a word means where nobody says otherwise: its first removal."""
        return self.removals[0]

    def own(self, first: str, second: str) -> np.ndarray | None:  # noqa: ARG002
        """What the model itself predicts of a pair when its owner calls it, `[outputs]`; None if that is the door."""
        return None

    def _reproduce(self, bound: BoundPair) -> None:
        """With all words kept the door says what the model itself says; a model of which that is not so is refused."""
        try:
            own = self.own(*bound.texts)
        except Exception as error:
            told = " ".join(f"{type(error).__name__}: {error}".split())[:160]
            raise GmaskError(
                f"{self.name} itself cannot read this pair ({told}), so what it says is not known"
            ) from error
        if own is None or not np.isfinite(own).all():
            return
        (door,) = self._forward([(bound, np.ones(len(bound.words), bool))], lambda _: None)  # no question of anybody's
        if not np.allclose(door, own, rtol=self.tolerance, atol=self.tolerance):
            i = int(abs(door - own).argmax())
            raise GmaskError(
                f"{self.name} itself says {own[i]:.4g} of this pair, and {door[i]:.4g} would be explained, because "
                f"{self._way()} cannot be reproduced; give a function that calls it: a list of text pairs to scores"
            )
        self._reproduced = True

    def _way(self) -> str:
        """What the model does with a pair that the door may not, in words."""
        return "what it does with a pair"

    def check_removal(self, removal: str | None) -> str:
        """The removal asked for, if the model knows it; by default its usual one."""
        name = removal or self.usual
        try:
            absence = find(name)
        except GmaskError:
            absence = None
        if absence is None or any(part.name not in self.removals for part in absence.parts):
            raise one_of(f"removal for {self.name}:", removal, [*self.removals, "several of them joined by +"])
        absence.check(self)
        return absence.name

    def check_slope(self, removal: str) -> str:
        """The removal to learn weights of words by; refuses one without: what is learned would be of another."""
        slope = find(removal).slope(self)
        if slope is None:
            valid = ", ".join(r for r in self.removals if find(r).sloping) or "none of this model"
            raise GmaskError(
                f"removal {removal!r} has no slope to learn weights of words by; removals with one: {valid}"
            )
        return slope

    def answer(self, requests: Sequence[Request], *, on_rows: Callable[[int], None] | None = None) -> list[np.ndarray]:
        """Answer rows of several pairs together. Each different row of a pair is put to the model once, ever.

        Args:
            requests: Bound pairs of this model, each with its rows.
            on_rows: Told how many rows have just been answered. Default: whoever watches (see `gmask.watch`).
        """
        checked = [(bound, bound.check(kept)) for bound, kept in requests]
        keys = [[row.tobytes() for row in np.packbits(rows, axis=1)] for _, rows in checked]
        fresh: dict[tuple[int, bytes], Question] = {}
        for (bound, rows), own in zip(checked, keys, strict=True):
            for row, key in zip(rows, own, strict=True):
                if key not in bound._memory:
                    fresh.setdefault((id(bound), key), (bound, row))
        if fresh:
            self._fill(fresh, on_rows or tell)
        return [
            np.stack([bound._memory[key] for key in own]) if own else np.zeros((0, self.outputs))
            for (bound, _), own in zip(checked, keys, strict=True)
        ]

    def _fill(self, fresh: dict[tuple[int, bytes], Question], on_rows: Callable[[int], None]) -> None:
        """Answer what no pair remembers: put what it is made of to the model, and average."""
        made = [[(b, r, np.packbits(r).tobytes()) for b, r in bound.made_of(row)] for bound, row in fresh.values()]
        asked: dict[tuple[int, bytes], Question] = {}
        for parts in made:
            for bound, row, key in parts:
                if key not in bound._memory:
                    asked.setdefault((id(bound), key), (bound, row))
        if asked:
            self._check_budget(fresh, made)
            outputs = self._forward(list(asked.values()), on_rows)
            if not np.isfinite(outputs).all():
                raise ModelError(f"{self.name} answered with a number that is not finite (NaN or infinity)")
            for ((_, key), (bound, _)), output in zip(asked.items(), outputs, strict=True):
                bound._memory[key] = output
                bound.accounts[0].spent += 1
        for ((_, key), (bound, row)), parts in zip(fresh.items(), made, strict=True):
            if key not in bound._memory:  # else it is one of the questions itself
                bound._memory[key] = bound.joined(row, [b._memory[k] for b, _, k in parts])

    def ask_again(self, bounds: Sequence[BoundPair]) -> None:  # noqa: B027
        """Warn of pairs that the model answers differently when asked again; only a black box might."""

    def _check_budget(
        self, fresh: dict[tuple[int, bytes], Question], made: Sequence[Sequence[tuple[BoundPair, np.ndarray, bytes]]]
    ) -> None:
        if self.budget is None:
            return
        wanted: dict[tuple[Account, ...], set[tuple[int, bytes]]] = {}
        for (bound, _), parts in zip(fresh.values(), made, strict=True):
            unknown = wanted.setdefault(bound.accounts, set())
            unknown |= {(id(part), key) for part, _, key in parts if key not in part._memory}
        needed = max(sum(a.spent for a in accounts) + len(unknown) for accounts, unknown in wanted.items())
        if needed > self.budget:
            raise GmaskError(
                f"the budget of {self.budget} rows a pair is too small here: {needed} are needed; raise "
                "`budget`, or choose fewer samples or a smaller k"
            )

    @property
    def settled(self) -> bool:
        """Whether its labels are known yet."""
        return True

    @property
    def outputs(self) -> int:
        """How many numbers a row is answered with."""
        return 1 if self.raw else len(self.labels)

    @property
    def hash(self) -> str:
        """Names the model's content, so that results of different models are never mixed."""
        return self.name

    @property
    def identity(self) -> dict[str, Any]:
        """What a record must keep to know the model again, as plain data."""
        kind = "score" if self.raw else "multilabel" if self.multilabel else "probabilities"
        labels = None if self.raw else list(self.labels)
        return {"name": self.name, "hash": self.hash, "labels": labels, "outputs": kind}

    def __repr__(self) -> str:
        about = self._about()
        return f"<{type(self).__name__} {self.name}: {self._says()}{'; ' if about else ''}{about}>"

    def _says(self) -> str:
        return "a raw score" if self.raw else ", ".join(self.labels)

    def _about(self) -> str:
        """More about it for people, if there is more to say."""
        return ""

    @abstractmethod
    def _bind(self, first: str, second: str, removal: str) -> BoundPair: ...

    @abstractmethod
    def _forward(self, questions: Sequence[Question], on_rows: Callable[[int], None]) -> np.ndarray:
        """Answer questions, all different, in their order: float `[m, outputs]`."""

    def _together(self, bound: BoundPair) -> int:  # noqa: ARG002
        return sys.maxsize

    def _soft(self, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:
        return bound.absence.soft(self, bound, weights)

    def _token_words(self, bound: BoundPair) -> np.ndarray:  # noqa: ARG002
        raise self._closed()

    def _embed(self, bound: BoundPair) -> torch.Tensor:  # noqa: ARG002
        raise self._closed()

    def _from_embeddings(self, bound: BoundPair, embeddings: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        raise self._closed()

    def _attentions(self, bound: BoundPair) -> torch.Tensor:  # noqa: ARG002
        raise GmaskError(f"{self.name} shows no attention weights; choose a method that does without")

    def _closed(self) -> GmaskError:
        return GmaskError(f"{self.name} gives no gradients; choose a method that only asks for probabilities")


def _mean(outputs: Sequence[np.ndarray]) -> np.ndarray:
    """The mean of outputs; where they are all the same it is they, to the last bit."""
    mean: np.ndarray = outputs[0] + np.mean([output - outputs[0] for output in outputs], axis=0)
    return mean


def label_names(labels: Iterable[object]) -> tuple[str, ...]:
    """Labels as text, whatever they are in a classifier's list of classes."""
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise GmaskError(f"labels must be a list of names, not {labels!r}")
    names = tuple(str(label) for label in labels)
    if len(set(names)) < len(names):
        raise GmaskError(f"labels must differ from each other: {', '.join(names)}")
    return names
