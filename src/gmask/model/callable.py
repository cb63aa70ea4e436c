"""A black box: any function from a list of text pairs to scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from gmask.errors import FunctionError, GmaskError, ModelError, one_of
from gmask.model.base import PairModel, label_names
from gmask.model.bound import BoundPair, Question
from gmask.model.digest import digest
from gmask.pair import Word, segment
from gmask.target import DIRECTIONS

__all__ = ["CallableModel"]

Outputs = Literal["auto", "probabilities", "logits", "score", "multilabel"]
OUTPUTS = ("auto", "probabilities", "logits", "score", "multilabel")
ROUNDING = 1e-6  # a probability may leave [0, 1] by so much
SAME = 1e-3  # answers to the same question that differ by more are different, by this share where they are large


class CallableModel(PairModel):
    """Wraps `f(list[(a, b)]) -> array [m, classes] or [m]`.

    Args:
        function: Answers a list of text pairs. One number a pair is the probability of the second label, or, where it
            leaves [0, 1] or `outputs="score"`, a raw score.
        labels: Class names, in the order of the columns. Default: `low`, `high` for one number a pair, else the
            positions as text.
        outputs: What the numbers are: `probabilities`, `logits`, a `score`, or `multilabel`, where each label has a
            probability of its own. Default: probabilities, or a raw score where one number a pair is not within [0, 1].
        budget: At most this many pairs are asked about for one explanation.
        batch_size: At most this many pairs a call.
        name: How results name the model.
    """

    removals: ClassVar[tuple[str, ...]] = ("delete", "blank", "swap")

    def __init__(
        self,
        function: Callable[[list[tuple[str, str]]], Any],
        *,
        labels: Iterable[object] | None = None,
        outputs: Outputs = "auto",
        budget: int | None = None,
        batch_size: int = 256,
        name: str | None = None,
    ) -> None:
        if outputs not in OUTPUTS:
            raise one_of("outputs", outputs, OUTPUTS)
        self.function = function
        self.kind = outputs
        self.budget = None if budget is None else _whole("budget", budget, 2)  # with all words, and with none
        self.batch_size = _whole("batch_size", batch_size, 1)
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        self.raw = outputs == "score"
        self.multilabel = outputs == "multilabel"
        self._given = label_names(labels) if labels is not None else None
        if self.raw and self._given is not None:
            raise GmaskError("a raw score has no labels; leave `labels` out")
        self.labels = self._given or DIRECTIONS
        self._columns: int | None = None  # 0 for one number a pair; known after the first answer

    @property
    def settled(self) -> bool:
        """Whether its labels were given, or are known from its answers."""
        return self.raw or self._given is not None or self._columns is not None

    @cached_property
    def hash(self) -> str:  # type: ignore[override]
        """The name and a digest of the function, what it works with, and how it is read.

        It ends in `-partly` where something of the function says nothing of its content.
        """
        found, whole = digest([self.function, self._given, self.kind])
        return f"{self.name}-{found[:16]}{'' if whole else '-partly'}"

    @property
    def identity(self) -> dict[str, Any]:
        """As it was given: what shows in its answers is not known before the first of them."""
        given = None if self._given is None else list(self._given)
        return {**super().identity, "labels": given, "outputs": self.kind}

    def _says(self) -> str:
        return super()._says() if self.settled else "labels show in its first answer"

    def _about(self) -> str:
        return "" if self.budget is None else f"at most {self.budget} rows a pair"

    def _bind(self, first: str, second: str, removal: str) -> BoundPair:
        words = [Word(t[s:e], i, s, e) for i, t in enumerate((first, second)) for s, e in segment(t)]
        bound = BoundPair(self, (first, second), words, removal)
        if self._columns is None:  # how many columns there are, and what they mean, shows in the first answer
            bound(np.array([[True] * len(words), [False] * len(words)]))
        return bound

    def ask_again(self, bounds: Sequence[BoundPair]) -> None:
        """Ask about whole pairs a second time, past the memory, and warn where the answer is another.

        It is a row a pair, counted nowhere; a model with a budget is not asked again.
        """
        if self.budget is not None:
            return
        whole = [(bound, np.ones((1, len(bound.words)), bool)) for bound in bounds if bound.state is None]
        if not whole:
            return
        before = self.answer(whole)
        again = self._forward([bound.made_of(rows[0])[0] for bound, rows in whole], lambda _: None)
        for (bound, _), (first,), second in zip(whole, before, again, strict=True):
            bound.state = second  # by which it is known that this pair was asked about again
            i = int(abs(second - first).argmax())
            if abs(second[i] - first[i]) > SAME * max(1.0, abs(first[i])):
                bound.warnings.append(
                    f"The model answers the same question differently ({first[i]:.2f}, then {second[i]:.2f}): "
                    "no number here is firm; take the chance out of it (dropout, sampling) and explain again."
                )

    def _forward(self, questions: Sequence[Question], on_rows: Callable[[int], None]) -> np.ndarray:
        texts = [bound.absence.rows(self, bound, kept[None])[0] for bound, kept in questions]
        answers = []
        for start in range(0, len(texts), self.batch_size):
            batch = texts[start : start + self.batch_size]
            answers.append(self._read(self._ask(list(batch)), len(batch)))  # its own list, whatever it does with it
            on_rows(len(batch))
        return np.concatenate(answers)

    def rewritten(self, _bound: BoundPair, texts: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Texts, as they are."""
        return texts

    def _ask(self, batch: list[tuple[str, str]]) -> Any:
        try:
            return self.function(batch)
        except Exception as error:  # whatever a function raises, the other pairs go on
            told = f"{type(error).__name__}: {error}"
            hint = "; it is given one list of pairs of texts" if isinstance(error, TypeError) else ""
            raise FunctionError(f"{self.name} raised {' '.join(told.split())[:200]}{hint}") from error

    def _read(self, returned: Any, asked: int) -> np.ndarray:
        """The function's answer as probabilities `[m, classes]`, or a raw score `[m, 1]`."""
        answer = self._numbers(returned, asked)
        columns = 0 if answer.ndim == 1 else answer.shape[1]
        if self._columns is None:
            self._settle(answer, columns)
        if columns != self._columns:
            raise ModelError(f"{self.name} returned {columns} columns, but {self._columns} before")
        if self.raw:
            return answer[:, None]
        if self.kind == "logits":
            logits = np.stack([np.zeros_like(answer), answer], axis=1) if columns == 0 else answer
            weights = np.exp(logits - logits.max(axis=1, keepdims=True))
            return weights / weights.sum(axis=1, keepdims=True)
        if columns == 0:
            if _beyond(answer):
                raise ModelError(f'{self.name} returned a number outside [0, 1]; load it with outputs="score"')
            answer = answer.clip(0, 1)
            return np.stack([1 - answer, answer], axis=1)
        if self.multilabel:
            if _beyond(answer):
                raise ModelError(f"{self.name} returned a number outside [0, 1], which is no probability of a label")
            return answer.clip(0, 1)
        if answer.min() < -ROUNDING or abs(answer.sum(axis=1) - 1).max() > 1e-3:
            raise ModelError(
                f"{self.name} returned rows that are no probabilities (they do not add up to 1); load it with "
                'outputs="logits" if they are logits, outputs="multilabel" if each label has a probability of its own'
            )
        return answer.clip(0, 1)

    def _numbers(self, returned: Any, asked: int) -> np.ndarray:
        """The function's answer as an array of finite numbers, one row a pair."""
        if hasattr(returned, "detach"):
            returned = returned.detach().cpu().double().numpy()  # numpy knows no bfloat16
        try:
            answer = np.asarray(returned, dtype=float)
        except (TypeError, ValueError):
            raise ModelError(f"{self.name} must return an array of numbers, not {type(returned).__name__}") from None
        if answer.ndim == 2 and answer.shape[1] == 1:
            answer = answer[:, 0]
        if answer.ndim not in (1, 2) or len(answer) != asked:
            raise ModelError(f"{self.name} was asked about {asked} pairs and returned an array of shape {answer.shape}")
        if not np.isfinite(answer).all():
            raise ModelError(f"{self.name} answered with a number that is not finite (NaN or infinity)")
        return answer

    def _settle(self, answer: np.ndarray, columns: int) -> None:
        if self.kind == "auto" and columns == 0 and self._given is None and _beyond(answer):
            self.raw = True
        if self.raw and columns:
            raise ModelError(f"{self.name} returned {columns} columns; a score is one number a pair")
        if self.multilabel and not columns:
            raise ModelError(f'{self.name} returned one number a pair; outputs="multilabel" takes a column a label')
        if not self.raw:
            count = columns or 2
            if self._given is None:
                self.labels = DIRECTIONS if columns == 0 else tuple(str(i) for i in range(count))
            elif len(self._given) != count:
                raise ModelError(f"{self.name} returned {count} classes, but {len(self._given)} labels were given")
        self._columns = columns


def _beyond(answer: np.ndarray) -> bool:
    """Whether there are numbers that are no probabilities, not even rounded ones."""
    return bool(answer.min() < -ROUNDING or answer.max() > 1 + ROUNDING)


def _whole(name: str, value: Any, low: int) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < low:
        raise GmaskError(f"{name} must be a whole number of at least {low}, not {value!r}")
    return int(value)
