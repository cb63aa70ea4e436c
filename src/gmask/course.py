"""The course of one explanation: the ends, the method's questions, the evidence, and the result."""

from __future__ import annotations

import platform
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from typing import Any

import numpy as np

from gmask.coarse import Found, coarse_to_fine
from gmask.explanation import MEMBER, Evidence, Explanation, Group, Sentence
from gmask.method.base import Answer, Method, Task
from gmask.model.base import BoundPair, Encoding, Request
from gmask.model.held import HeldPair, hold
from gmask.reference import EMPTY, Reference, References
from gmask.target import Target, choose_target

__all__ = ["Course", "versions"]

EVIDENCE = 10  # the evidence curve shows this many top words
BRIEF = 4  # and of what is known so far, this many
FIRST = 48  # rows after which something is known, or one a word where these are more
GROWS = 2.5  # times as many rows as were known when something was told are worth telling again

# Yields pairs with their rows, is sent the model's outputs; what is told on the way is an explanation.
Asking = Generator[Any, list[np.ndarray], Any]


@dataclass(frozen=True)
class Ends:
    """What the model says of everything and of nothing, by which reference, and what is explained of it."""

    reference: Reference
    full: np.ndarray
    nothing: np.ndarray
    target: Target


class _Known:
    """The rows of a pair that a method has had answers to."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._own = {id(bound) for bound in (task.bound, *task.bound.ways)}
        self._rows: list[np.ndarray] = []
        self._values: list[np.ndarray] = []
        self._count, self._told = 0, 0

    def parts(self, requests: list[Request]) -> Iterator[list[Request]]:
        """Requests as they are, but for the first of all, whose first rows go ahead: they show something already."""
        room = 0 if self._count else max(FIRST, self.task.n + 1)
        if sum(len(rows) for _, rows in requests) <= room or not room:
            yield requests
            return
        ahead, rest = [], list[Request]()
        for bound, rows in requests:
            ahead.append((bound, rows[:room]))
            rest.append((bound, rows[room:]))
            room = max(room - len(rows), 0)
        yield ahead
        yield rest

    def note(self, requests: list[Request], values: list[np.ndarray]) -> None:
        """Keep those of the pair itself."""
        for (bound, rows), own in zip(requests, values, strict=True):
            if id(bound) in self._own:
                self._rows.append(bound.check(rows))
                self._values.append(own)
                self._count += len(own)

    def grown(self) -> bool:
        """Whether there is so much more that it is worth telling."""
        if self._count <= self.task.n or self._count < GROWS * self._told:
            return False
        self._told = self._count
        return True

    def all(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows and their values."""
        return np.concatenate(self._rows), np.concatenate(self._values)

    @cached_property
    def aside(self) -> BoundPair:
        """The pair, bound anew."""
        return self.task.bound.removing(self.task.bound.removal)


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
        held = hold(self.bound, ends.reference)
        groups, evidence = yield from self._evidence(held, ends.target, answer, ends.nothing, brief=brief)
        model, said, target = self.bound.model, self._choose(ends.full, ends.nothing, asked=False), ends.target
        return Explanation(
            first=self.bound.texts[0],
            second=self.bound.texts[1],
            words=self.bound.words,
            attributions=_numbers(answer.attributions),
            groups=groups,
            labels=model.labels,
            probabilities=() if model.raw else _numbers(ends.full),
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
        questions, known = method.explain(task), _Known(task)
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

    def _so_far(self, ends: Ends, method: Method, known: _Known) -> Asking:
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

    def _evidence(
        self, held: BoundPair, target: Target, answer: Answer, nothing: np.ndarray, *, brief: bool
    ) -> Generator[list[Request], list[np.ndarray], tuple[tuple[Group, ...], Evidence]]:
        """What anyone can repeat: the top words and the groups kept and removed, a sentence emptied or exchanged.

        In brief: with fewer top words, and without exchanges.
        """
        bound, n = self.bound, len(self.bound.words)
        members = np.array([m >= MEMBER for _, m in answer.groups], dtype=bool).reshape(-1, n)
        rank = np.argsort(np.argsort(-answer.attributions, kind="stable"))
        top = rank <= np.arange(min(BRIEF if brief else EVIDENCE, n))[:, None]
        emptied = np.array([bound.sentences != 0, bound.sentences != 1])
        exchanges = [[], [], []] if brief else self._exchanges()
        found = yield from self._ask(
            [*((held, rows) for rows in (top, ~top, members, ~members)), (bound, emptied), *chain(*exchanges)]
        )
        kept, removed, only, without, alone, *foreign = found
        places = np.cumsum([len(side) for side in exchanges])[:-1]
        outputs = [np.concatenate(part) for part in np.split(np.array(foreign), places)] if foreign else []
        shares = [float(target.agrees(own).mean()) for own in outputs]
        groups = [
            Group(float(importance), _numbers(memberships), kept=float(k), removed=float(r))
            for (importance, memberships), k, r in zip(
                answer.groups, target.shown(only), target.shown(without), strict=True
            )
        ]
        evidence = Evidence(
            kept=_numbers(target.shown(kept)),
            removed=_numbers(target.shown(removed)),
            emptied=_pair(target.shown(alone)) or (0.0, 0.0),
            survives=(False, False) if not shares else (shares[0] == 1 > shares[2], shares[1] == 1 > shares[2]),
            nothing=float(target.shown(nothing)),
            exchanged=_pair(float(target.shown(own).mean()) for own in outputs[:2]),
            survival=_pair(shares[:2]),
            anyway=shares[2] if shares else None,
        )
        return tuple(sorted(groups, key=lambda g: -g.importance)), evidence

    def _exchanges(self) -> list[list[Request]]:
        """The pair with its first, and with its second, sentence exchanged for others, and pairs of others alone."""
        model, choice = self.bound.model, self.references
        unrelated = choice.unrelated(*self.bound.texts) if model.reads and choice.kind != "empty" else None
        if unrelated is None:
            return [[], [], []]
        held = hold(self.bound, unrelated)
        assert isinstance(held, HeldPair)
        sides = (held.beside(1), held.beside(0), held.nothing)
        return [[(other, np.ones((1, len(other.words)), bool)) for other in side] for side in sides]

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


def _numbers(values: Any) -> tuple[float, ...]:
    return tuple(float(v) for v in values)


def _pair(values: Any) -> tuple[float, float] | None:
    found: Sequence[float] = _numbers(values)
    return (found[0], found[1]) if len(found) == 2 else None


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
