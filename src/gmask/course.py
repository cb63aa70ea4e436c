"""The course of one explanation: the ends, the method's questions, the evidence, and the result."""

from __future__ import annotations

import platform
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from gmask.coarse import Found, coarse_to_fine
from gmask.evidence import Witness, numbers
from gmask.explanation import Explanation, Sentence
from gmask.known import Known
from gmask.method.base import Answer, Method, Task
from gmask.model.bound import BoundPair, Encoding, Request
from gmask.model.held import hold
from gmask.reference import EMPTY, Reference, References
from gmask.target import Target, choose_target

__all__ = ["Course", "versions"]

# Yields pairs with their rows, is sent the model's outputs; what is told on the way is an explanation.
Asking = Generator[Any, list[np.ndarray], Any]


@dataclass(frozen=True)
class Ends:
    """What the model says of everything and of nothing, by which reference, and what is explained of it."""

    reference: Reference
    full: np.ndarray
    nothing: np.ndarray
    target: Target


@dataclass
class Course:
    """What is explained of one pair, what its method has asked for it so far, and what has been seen.

    Args:
        bound: The pair.
        method: How to ask.
        references: What the answer may be held against.
        target: A label to explain. Default: what the model says.
        against: A label to hold it against.
        seed: Of the method.
        coarse: Whether the sentences of a long text come first, and then the words of those that decide.
    """

    bound: BoundPair
    method: Method
    references: References
    target: str | int | None = None
    against: str | int | None = None
    seed: int = 0
    coarse: bool = False
    _asked: dict[tuple[int, bytes], BoundPair] = field(default_factory=dict)
    _seen: list[np.ndarray] = field(default_factory=list)
    _telling: Ends | None = None  # what is told on the way is of these
    _encoded: set[Encoding] = field(default_factory=set)

    def run(self) -> Generator[list[Request], list[np.ndarray], Explanation]:
        """Yields requests to the model, is sent its outputs, ends in the result."""
        return (yield from self._steps(tell=False))  # type: ignore[misc]  # so that it yields nothing else

    def tell(self) -> Generator[list[Request] | Explanation, list[np.ndarray], Explanation]:
        """The same, and yields on the way what is known so far, for which it is sent anything."""
        return (yield from self._steps(tell=True))

    def _steps(self, *, tell: bool) -> Generator[list[Request] | Explanation, list[np.ndarray], Explanation]:
        reference, full, nothing = yield from self._ends()
        ends = Ends(reference, full, nothing, self._choose(full, nothing))
        self._telling = ends if tell and not self.coarse else None  # what is known of a few sentences is not told
        answer, sentences = yield from self._answer(Task(hold(self.bound, reference), ends.target, self.seed))
        return (yield from self._result(ends, answer, sentences))

    def _result(self, ends: Ends, answer: Answer, sentences: Sequence[Found] = (), *, brief: bool = False) -> Asking:
        """An explanation, with its evidence."""
        witness = Witness(self.bound, ends.reference, self.references, ends.target, answer, brief)
        groups, evidence = witness.read((yield from self._ask(witness.requests)), ends.nothing)
        model, said, target = self.bound.model, self._choose(ends.full, ends.nothing, asked=False), ends.target
        return Explanation(
            first=self.bound.texts[0],
            second=self.bound.texts[1],
            words=self.bound.words,
            attributions=numbers(answer.attributions),
            groups=groups,
            labels=model.labels,
            probabilities=() if model.raw else numbers(ends.full),
            label=said.label,
            probability=float(said.value(ends.full)),
            target=target.label,
            against=target.against,
            value=float(target.shown(ends.full)),
            score=float(ends.full[0]) if model.raw else None,
            evidence=evidence,
            reference=ends.reference,
            sentences=tuple(self._sentence(ends.target, found) for found in sentences),
            method=self.method.name,
            settings=self.method.settings,
            removal=self.bound.removal,
            model=model.name,
            seed=self.seed,
            rows=len(self._asked),
            seconds=0.0,
            versions=versions(),
            details={**answer.details, **self._range(target), **self._encodings()},
        )

    def _choose(self, full: np.ndarray, nothing: np.ndarray, *, asked: bool = True) -> Target:
        """The target asked for, or what the model says by itself."""
        model = self.bound.model
        wanted = {"target": self.target, "against": self.against} if asked else {}
        return choose_target(
            model.labels, full, nothing, raw=model.raw, multilabel=model.multilabel, span=self.bound.span, **wanted
        )

    def _ends(self) -> Generator[list[Request], list[np.ndarray], tuple[Reference, np.ndarray, np.ndarray]]:
        """What the model says of everything, and of nothing: by the reference under which the target is lowest."""
        bound = self.bound
        whole = np.ones((1, len(bound.words)), bool)
        candidates = [EMPTY]
        if bound.model.reads:
            candidates = self.references.candidates(*bound.texts, raw=bound.model.raw)
        (full,), *nothings = yield from self._ask(
            [(bound, whole), *((hold(bound, candidate), ~whole) for candidate in candidates)]
        )
        ends = [nothing[0] for nothing in nothings]
        lowest = min(range(len(ends)), key=lambda i: float(self._choose(full, ends[i]).value(ends[i])))
        return candidates[lowest], full, ends[lowest]

    def _ask(self, requests: list[Request]) -> Asking:
        if self.bound.model.apart:
            found = {key for bound, rows in requests for row in bound.check(rows) for key in bound.encodings(row)}
            self._encoded |= found
        outputs = yield requests
        self._seen += outputs
        return outputs

    def _answer(self, task: Task) -> Generator[list[Request], list[np.ndarray], tuple[Answer, list[Found]]]:
        """What the method finds; of a long text, in the sentences that decide."""
        if self.coarse:
            return (yield from coarse_to_fine(task, self.method, self._ask_counted, self._method, self._left))
        return (yield from self._method(self.method, task)), []

    def _left(self) -> int | None:
        """What the method has left of the model's budget."""
        budget = self.bound.model.budget
        return None if budget is None else budget - len(self._asked)

    def _ask_counted(self, requests: list[Request]) -> Asking:
        self._count(requests)
        return (yield from self._ask(requests))

    def _method(self, method: Method, task: Task) -> Asking:
        """Put a method's questions: rows of the pair, or of others that it names."""
        questions, known = method.explain(task), Known(task)
        try:
            wanted = next(questions)
            while True:
                requests = wanted if isinstance(wanted, list) else [(task.bound, wanted)]
                found: list[list[np.ndarray]] = []
                for part in known.parts(requests):
                    outputs = yield from self._ask_counted(part)
                    found.append([task.target.value(own) for own in outputs])
                    known.note(part, found[-1])
                    if self._telling is not None and known.grown():
                        yield from self._so_far(self._telling, method, known)
                wanted = questions.send(np.concatenate([own for parts in zip(*found, strict=True) for own in parts]))
        except StopIteration as stop:
            answer: Answer = stop.value
            return answer

    def _so_far(self, ends: Ends, method: Method, known: Known) -> Asking:
        """Tell what is known. It is asked of the pair bound anew, so that the end is the same as without."""
        rows, values = known.all()
        answer = method.so_far(known.task, rows, values, float(ends.target.value(ends.full)))
        aside = replace(self, bound=known.aside, _asked=dict(self._asked), _seen=list(self._seen))
        told = yield from aside._result(ends, answer, brief=True)
        yield replace(told, details={**told.details, "unfinished": len(self._asked)})

    def _count(self, requests: list[Request]) -> None:
        """Note the different questions that rows of pairs are made of."""
        for bound, rows in requests:
            for row in bound.check(rows):
                self._asked |= {(id(part), np.packbits(r).tobytes()): part for part, r in bound.made_of(row)}

    def _encodings(self) -> dict[str, Any]:
        """How many encodings of either text were made, of a model that encodes them apart."""
        if not self.bound.model.apart:
            return {}
        return {"encodings": [sum(side == own for side, *_ in self._encoded) for own in (0, 1)]}

    def _sentence(self, target: Target, found: Found) -> Sentence:
        """A sentence of a long text, as people are shown it."""
        kept, removed = (float(target.shown(output[None])[0]) for output in (found.kept, found.removed))
        model, word = self.bound.model, found.word
        says = None if model.raw or model.multilabel else model.labels[int(found.kept.argmax())]
        return Sentence(word.text, word.sentence, word.start, word.end, kept, removed, says, decisive=found.decisive)

    def _range(self, target: Target) -> dict[str, Any]:
        """The range of all that was seen."""
        seen = np.concatenate(self._seen)
        values = target.value(seen)
        found: dict[str, Any] = {"seen": {"lowest": float(values.min()), "highest": float(values.max())}}
        if self.bound.model.raw:
            found["scores"] = {"lowest": float(seen.min()), "highest": float(seen.max())}
        if self.bound.model.multilabel:
            found["multilabel"] = True
        return found


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """The versions a result depends on."""
    found = {"python": platform.python_version()}
    for package in ("gmask", "torch", "transformers", "numpy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
