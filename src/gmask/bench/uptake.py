"""What a model makes of words, by experiment: which planted shortcuts it took up, and which causes turn answers.

The rules were fixed before any model was looked at. A cause turns answers if, brought about in clean pairs of other
labels that the model gets right, it turns more of them to its label than its control does: at least 5 points more, with
p < 0.01 (McNemar, one-sided). The control puts words in that were planted nowhere. A planted shortcut is taken up if
that is so by at least 20 points with p < 0.001. Of a shortcut of two words it is also asked whether one word does it
alone: if one turns all but 10 points of what both turn, that word is what the model took up.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from gmask.bench.changes import Change, experiment, put_in
from gmask.bench.planting import Plan, Shortcut, Words, put
from gmask.dataset.example import Example
from gmask.errors import GmaskError
from gmask.model.base import PairModel
from gmask.study.saying import says

__all__ = ["Turned", "Uptake", "turning", "uptake", "usual"]

MOST = 300  # pairs a question
FEWEST = 30  # with fewer it is not answered
TURNS, CLEARLY, ALL_BUT = 0.05, 0.20, 0.10
SURE, SURER = 0.01, 0.001


@dataclass(frozen=True)
class Turned:
    """How many right answers a change turns, beside those that its control turns.

    Attributes:
        pairs: Of which the model's answer was right, and another one.
        share: Those whose answer the change turns to the label.
        control: Those whose answer the control turns to it.
        p: How likely so clear a difference is if there is none.
    """

    pairs: int
    share: float
    control: float
    p: float

    @property
    def real(self) -> bool:
        """Whether it turns answers at all."""
        return self._by(TURNS, SURE)

    @property
    def clear(self) -> bool:
        """Whether it turns as many as a shortcut that was taken up."""
        return self._by(CLEARLY, SURER)

    def _by(self, points: float, p: float) -> bool:
        return self.pairs >= FEWEST and self.share - self.control >= points and self.p < p


@dataclass(frozen=True)
class Uptake:
    """What became of a planted shortcut; `needed` are the fewest of its words that do what all of them do."""

    shortcut: Shortcut
    turned: Turned
    needed: Words

    @property
    def taken(self) -> bool:
        """Whether the model took it up."""
        return self.turned.clear


def usual(examples: Sequence[Example], planned: Plan, but: Words = ((), ())) -> list[Example]:
    """Clean pairs as the model knows them: words that go with a label by being absent are there, `but` some."""
    chance = random.Random(0)  # noqa: S311
    for shortcut in planned.shortcuts:
        if shortcut.kind == "absent" and not {*shortcut.words[1]} & {*but[1]}:
            examples = [put(e, shortcut.words, chance) for e in examples]
    return list(examples)


def uptake(model: PairModel, shortcut: Shortcut, planned: Plan, examples: Sequence[Example]) -> Uptake:
    """Ask whether a model took up a shortcut, of clean pairs as `usual` makes them."""
    words = shortcut.words
    halves: list[Words] = [((words[0]), ()), ((), words[1])] if all(words) else []
    tried = experiment(shortcut.kind, words, planned.controls)
    if tried is None:
        raise GmaskError(f"no experiment is known for a shortcut of the kind {shortcut.kind!r}")
    fitting = [e for e in examples if tried.fits(e)]
    changes = [tried.change, *map(put_in, halves)]
    whole, *alone = _turned(model, fitting, shortcut.label, changes, tried.control)
    needed = words
    for turned, half in sorted(zip(alone, halves, strict=True), key=lambda a: -a[0].share)[:1]:
        if turned.clear and turned.share >= whole.share - ALL_BUT:
            needed = half
    return Uptake(shortcut, whole, needed)


def turning(
    model: PairModel, kind: str, words: Words, label: str, planned: Plan, examples: Sequence[Example]
) -> Turned | None:
    """What a pattern does, brought about in clean pairs; None for a kind that no experiment is known for."""
    tried = experiment(kind, words, planned.controls)
    if tried is None:
        return None
    but: Words = ((), ()) if kind == "absent" else words
    fitting = [e for e in usual(examples, planned, but) if tried.fits(e)]
    return _turned(model, fitting, label, [tried.change], tried.control)[0]


def _turned(
    model: PairModel, examples: Sequence[Example], label: str, changes: Sequence[Change], control: Change
) -> list[Turned]:
    """What each change does, all beside the same control."""
    others = [e for e in examples if e.label != label]
    said = says(model, ((e.first, e.second) for e in others))
    right = list(islice((e for e, own in zip(others, said, strict=False) if own == e.label), MOST))
    *arms, beside = (_answers(model, right, label, change) for change in (*changes, control))
    n = max(1, len(right))
    return [Turned(len(right), sum(arm) / n, sum(beside) / n, _mcnemar(arm, beside)) for arm in arms]


def _answers(model: PairModel, examples: Sequence[Example], label: str, change: Change) -> list[bool]:
    """Whether each pair is given the label once it is changed."""
    chance = random.Random(0)  # noqa: S311
    changed = [change(e, chance) for e in examples]
    return [own == label for own in says(model, [(e.first, e.second) for e in changed])]


def _mcnemar(arm: Sequence[bool], control: Sequence[bool]) -> float:
    """How likely at least so many of the pairs that differ are turned by the arm, if both were the same."""
    more = sum(a and not c for a, c in zip(arm, control, strict=True))
    less = sum(c and not a for a, c in zip(arm, control, strict=True))
    return sum(math.comb(more + less, k) for k in range(more, more + less + 1)) / 2 ** (more + less)
