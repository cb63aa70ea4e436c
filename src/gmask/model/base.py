"""The door: words that stay and words that go, answered with class probabilities."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gmask.errors import GmaskError, one_of
from gmask.pair import Word, check_pair
from gmask.watch import tell

if TYPE_CHECKING:
    import torch

__all__ = ["BoundPair", "PairModel", "Question", "Rows", "label_names"]

Rows = np.ndarray  # bool [m, words]: which words stay, one row a question
Question = tuple["BoundPair", np.ndarray]  # one row of one pair

REMOVALS = ("drop", "zero", "mask", "delete")
SLOPING = ("drop", "zero", "mask")  # removals with something between a word that stays and one that goes
SAME = 1e-4  # by so much, or this share of a large score, the door may differ from the model's own prediction


class BoundPair:
    """A model bound to one pair. Call it with rows of kept words; it remembers every row it was asked."""

    def __init__(
        self, model: PairModel, texts: tuple[str, str], words: Sequence[Word], removal: str, state: Any = None
    ) -> None:
        self.model = model
        self.texts = texts
        self.words = tuple(words)
        self.removal = removal
        self.state = state  # whatever the model needs to answer for this pair
        self.warnings: list[str] = []
        self._memory: dict[bytes, np.ndarray] = {}

    @property
    def sentences(self) -> np.ndarray:
        """For each word, the sentence (0 or 1) it stands in."""
        return np.array([w.sentence for w in self.words])

    @property
    def rows_asked(self) -> int:
        """How many different rows the model has answered."""
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


class PairModel(ABC):
    """A model that reads two texts. Subclasses say how a pair is bound and how rows are answered."""

    name: str
    labels: tuple[str, ...]
    raw: bool = False  # one output that is a score, not a probability
    multilabel: bool = False  # each label has a probability of its own; any number of them can hold
    differentiable: ClassVar[bool] = False
    removals: ClassVar[tuple[str, ...]] = ("delete",)
    tolerance: float = SAME
    budget: int | None = None
    _reproduced: bool = False  # whether the door was found to say what the model itself says
    folder: Path | None = None  # where it was loaded from; what was fitted to it is looked for there

    def bind(self, first: str, second: str, *, removal: str | None = None) -> BoundPair:
        """Bind the model to a pair of texts.

        Args:
            first: The first text.
            second: The second text.
            removal: What removing a word means, one of `removals`. Default: the first of them.
        """
        bound = self._bind(*check_pair(first, second), self.check_removal(removal))
        if not self._reproduced:
            self._reproduce(bound)
        return bound

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
        """The removal asked for, if the model knows it; by default its first."""
        removal = removal or self.removals[0]
        if removal not in self.removals:
            raise one_of(f"removal for {self.name}:", removal, self.removals)
        return removal

    def check_slope(self, removal: str) -> None:
        """Refuse a removal that has no slope: what is learned by its gradient would be of another removal."""
        if removal not in SLOPING:
            valid = ", ".join(r for r in self.removals if r in SLOPING) or "none of this model"
            raise GmaskError(
                f"removal {removal!r} has no slope to learn weights of words by; removals with one: {valid}"
            )

    def answer(
        self, requests: Sequence[tuple[BoundPair, Any]], *, on_rows: Callable[[int], None] | None = None
    ) -> list[np.ndarray]:
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
            self._check_budget(fresh)
            outputs = self._forward(list(fresh.values()), on_rows or tell)
            if not np.isfinite(outputs).all():
                raise GmaskError(f"{self.name} answered with a number that is not finite (NaN or infinity)")
            for ((_, key), (bound, _)), output in zip(fresh.items(), outputs, strict=True):
                bound._memory[key] = output
        return [
            np.stack([bound._memory[key] for key in own]) if own else np.zeros((0, self.outputs))
            for (bound, _), own in zip(checked, keys, strict=True)
        ]

    def ask_again(self, bounds: Sequence[BoundPair]) -> None:  # noqa: B027
        """Warn of pairs that the model answers differently when asked again; only a black box might."""

    def _check_budget(self, fresh: dict[tuple[int, bytes], Question]) -> None:
        if self.budget is None:
            return
        for bound in {id(b): b for b, _ in fresh.values()}.values():
            wanted = bound.rows_asked + sum(b is bound for b, _ in fresh.values())
            if wanted > self.budget:
                raise GmaskError(
                    f"the budget of {self.budget} rows a pair is too small here: {wanted} are needed; raise `budget`, "
                    "or choose fewer samples or a smaller k"
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

    def _soft(self, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        raise self._closed()

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


def delete_words(bound: BoundPair, kept: np.ndarray) -> tuple[str, str]:
    """The two texts with the words that go cut out, and no double spaces where they stood."""
    texts = []
    for sentence, text in enumerate(bound.texts):
        parts, position = [], 0
        for word, stays in zip(bound.words, kept, strict=True):
            if word.sentence == sentence and not stays:
                parts.append(text[position : word.start])
                position = word.end
        texts.append(" ".join("".join([*parts, text[position:]]).split()) if parts else text)
    return texts[0], texts[1]


def label_names(labels: Iterable[object]) -> tuple[str, ...]:
    """Labels as text, whatever they are in a classifier's list of classes."""
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise GmaskError(f"labels must be a list of names, not {labels!r}")
    names = tuple(str(label) for label in labels)
    if len(set(names)) < len(names):
        raise GmaskError(f"labels must differ from each other: {', '.join(names)}")
    return names
