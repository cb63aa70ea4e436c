"""A service as a function from text pairs to numbers: several requests at once, and nothing asked twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from threading import Event, Lock
from typing import Any

import numpy as np

from gmask.errors import FunctionError, GmaskError
from gmask.model.answers import Answers
from gmask.model.client import Client, RefusedError, Session
from gmask.model.digest import digest
from gmask.model.wire import Pair, Wire

__all__ = ["Service"]


class Service:
    """The function that is explained.

    Args:
        client: Puts questions to the address.
        wire: What a question and its answer look like.
        answers: Those that are known.
        empty: What is sent for an empty text.
        batch_size: At most this many pairs a request.
        concurrency: At most this many requests at once.
    """

    def __init__(
        self, client: Client, wire: Wire, answers: Answers, *, empty: str, batch_size: int, concurrency: int
    ) -> None:
        self.client, self.wire, self.answers = client, wire, answers
        self.empty, self.batch_size, self.concurrency = empty, batch_size, concurrency
        self._one = Lock()  # threads that explain share the limits, and what is being asked

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_one"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _one=Lock())

    @cached_property
    def identity(self) -> str:
        """A digest of who is asked, and how: the same question to another is another question."""
        return digest([self.client.url, type(self.wire).__name__, vars(self.wire)])[0]

    def __call__(self, pairs: Sequence[Pair]) -> np.ndarray:
        """Answer pairs in their order. What is answered before something fails is kept."""
        asked = [(first or self.empty, second or self.empty) for first, second in pairs]
        keys = [hashlib.sha256(json.dumps([self.identity, *pair]).encode()).digest() for pair in asked]
        with self._one:
            found = self.answers.known(set(keys))
            fresh = {key: pair for key, pair in zip(keys, asked, strict=True) if key not in found}
            found.update(self._ask_all(list(fresh.items())))
        return self.wire.settle(np.array([found[key] for key in keys]))

    def _ask_all(self, questions: list[tuple[bytes, Pair]]) -> dict[bytes, list[float]]:
        places = self.wire.requests([pair for _, pair in questions], self.batch_size)
        parts = [dict(questions[i] for i in own) for own in places]
        stop = Event()

        def ask(part: dict[bytes, Pair]) -> dict[bytes, list[float]]:
            if stop.is_set():
                return {}  # something failed: nothing more is begun, and nobody waits any longer
            try:
                return self._ask(part, session, stop)
            except BaseException:
                stop.set()
                raise

        with self.client.connected() as session, ThreadPoolExecutor(self.concurrency) as pool:
            try:
                return {key: numbers for answers in pool.map(ask, parts) for key, numbers in answers.items()}
            finally:
                stop.set()

    def _ask(self, part: dict[bytes, Pair], session: Session, stop: Event) -> dict[bytes, list[float]]:
        """One request; its answers are kept at once."""
        pairs = list(part.values())
        try:
            answer = self.client.ask(self.wire.body(pairs), session, stop)
        except RefusedError as error:
            hint = '; if that is for a text without words, give one to send, as empty="."'
            raise RefusedError(f"{error}{hint if any('' in pair for pair in pairs) else ''}") from None
        try:
            rows = self.wire.read(answer, len(pairs))
        except GmaskError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            told = self.client.without_key(json.dumps(answer))[:120]
            raise FunctionError(f"{self.client.named} answered {self.wire.wanted}: {told}") from None
        answers = dict(zip(part, rows, strict=True))
        self.answers.keep(answers)
        return answers
