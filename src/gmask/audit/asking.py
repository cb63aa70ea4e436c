"""Asking a model about many changed pairs, through an engine, with every answer kept: a killed audit goes on."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gmask.errors import FunctionError, GmaskError
from gmask.model.base import PairModel
from gmask.study.engine import Engine
from gmask.study.ledger import Ledger
from gmask.study.measuring import load_same

__all__ = ["Answer", "Answering", "Asker", "classifier"]

WINDOW = 64  # pairs that are asked about together
DIGITS = 4  # of a probability that is kept

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model says of a pair: the position of a label, and the probability of each."""

    label: int
    probabilities: tuple[float, ...]


@dataclass(frozen=True)
class Answering:
    """A job: its tasks are windows of pairs, its results one record a pair."""

    source: Any
    hash: str

    def start(self) -> Callable[[Sequence[Pair]], Iterator[dict[str, Any]]]:
        """Load the model."""
        model = load_same(self.source, self.hash)

        def work(window: Sequence[Pair]) -> Iterator[dict[str, Any]]:
            for pair, answer in zip(window, _answers(model, window), strict=True):
                yield {"texts": _digest(pair), **answer}

        return work


def classifier(model: PairModel, pair: Pair) -> PairModel:
    """The model, once its labels are known, which of some is only so when they have answered.

    Raises:
        ValueError: It has none.
    """
    if not model.settled:
        bound = model.bind(*pair, removal=model.removals[0])
        bound(np.ones((1, len(bound.words)), bool))
    if model.raw:
        raise GmaskError(f"{model.name} answers with a score, not with labels; an audit needs a classifier")
    return model


class Asker:
    """Asks in windows, and keeps the answers in a file in the order of the questions.

    Args:
        worker: Where the work is done.
        job: What answers.
        ledger: Where answers are kept. Default: nowhere.
        advance: Told of each pair that was answered.
    """

    def __init__(
        self, worker: Engine, job: Answering, ledger: Ledger | None, advance: Callable[[], None] = lambda: None
    ) -> None:
        self._worker, self._job, self._ledger, self._advance = worker, job, ledger, advance
        self._old = ledger.records() if ledger else iter(())
        self._next: tuple[int, dict[str, Any]] | None = next(self._old, None)
        self._asked = 0

    def __call__(self, pairs: Sequence[Pair]) -> list[Answer | None]:
        """The answers; None to a pair that the model cannot read."""
        different = list(dict.fromkeys(pairs))
        start, known = self._asked, self._known(different)
        self._asked += len(different)
        windows = [
            (at, different[at : at + WINDOW])
            for at in range(0, len(different), WINDOW)
            if any(at + i not in known for i in range(len(different[at : at + WINDOW])))
        ]
        numbers = iter([at + i for at, window in windows for i in range(len(window))])
        for record in self._worker.run(self._job, (window for _, window in windows)) if windows else ():
            at = next(numbers)
            if self._ledger is not None:
                self._ledger.append(start + at, record)
            known[at] = _read(record)
            self._advance()
        if self._ledger is not None:
            self._ledger.put_back()
        answers = dict(zip(different, (known[at] for at in range(len(different))), strict=True))
        return [answers[pair] for pair in pairs]

    def _known(self, pairs: Sequence[Pair]) -> dict[int, Answer | None]:
        """Those of these pairs that were answered before, by their position."""
        known = {}
        while self._next is not None and self._next[0] < self._asked + len(pairs):
            number, record = self._next
            if record["texts"] != _digest(pairs[number - self._asked]):
                raise GmaskError(f"answer {number} that was kept is to another question; give another -o")
            known[number - self._asked] = _read(record)
            self._next = next(self._old, None)
        return known


def _read(record: dict[str, Any]) -> Answer | None:
    return None if "error" in record else Answer(int(record["label"]), tuple(record["p"]))


def _digest(pair: Pair) -> str:
    return f"{zlib.crc32(chr(9).join(pair).encode()):08x}"


def _answers(model: PairModel, pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """Ask about pairs together; where that fails, one by one, to see which the model cannot read."""
    try:
        bounds = [model.bind(*pair, removal=model.removals[0]) for pair in pairs]
        whole = model.answer([(bound, np.ones((1, len(bound.words)), bool)) for bound in bounds])
    except FunctionError:
        raise
    except GmaskError as error:
        if len(pairs) == 1:
            return [{"error": str(error)}]
        return [found for pair in pairs for found in _answers(model, [pair])]
    return [{"label": int(answer[0].argmax()), "p": [round(float(p), DIGITS) for p in answer[0]]} for answer in whole]
