"""Anchors (Ribeiro, Singh and Guestrin, AAAI 2018): a few words that, while they stay, keep the answer what it is.

    precision(A) = P( the model gives the same label | the words A stay, each other word stays by a coin toss )

A rule grows by a word at a time, in a beam of the most precise. Which rules are the most precise is settled by KL-LUCB
(Kaufmann and Kalyanakrishnan 2013): rows are drawn for the least certain of the best and the most promising of the
others until the bounds of the two overlap by no more than a tolerance, or half of the rows that were left are drawn,

    bounds of a mean p of m draws:  all q with  m KL(p, q) <= beta

The first rule whose precision is bounded from below by the precision wanted is the anchor. (A longer one covers less.)
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from math import log
from typing import ClassVar

import numpy as np

from gmask.errors import GmaskError
from gmask.method.base import Answer, Method, Questions, Task, option
from gmask.method.order import by_order
from gmask.method.screening import promising
from gmask.model.bound import Rows

__all__ = ["Anchors", "bounds"]

BATCH = 10  # rows drawn for a rule at a time
LOOK = 100  # rows drawn before there is any rule


@dataclass(frozen=True)
class Anchors(Method):
    """The anchor is the one group; a word's attribution follows the order in which words were added to it."""

    name: ClassVar[str] = "anchors"
    summary: ClassVar[str] = "a few words that keep the answer, whatever else is removed at random"

    precision: float = option(0.95, "how often the label must stay, below 1", low=0)
    delta: float = option(0.1, "chance of a wrong bound, below 1", low=1e-6)
    tolerance: float = option(0.15, "what bounds may overlap", low=1e-3)
    beam: int = option(4, "rules that grow side by side", low=1)
    samples: int = option(2000, "rows drawn, at most", low=16)
    words: int = option(30, "of longer pairs, build rules of the words that seem to matter most", low=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("precision", "delta"):
            if getattr(self, name) >= 1:
                raise GmaskError(f"{name} of anchors is a share, below 1, not {getattr(self, name)}")

    def explain(self, task: Task) -> Questions:
        """Grow rules until one is an anchor, the words or the rows are used up."""
        words = yield from promising(task, self.words)
        drawing = _Drawing(task, self.samples)
        nothing = _Rule(())
        yield from drawing.draw([nothing], min(LOOK, self.samples))
        beam, best = [nothing], nothing
        while not (found := self._anchors(best)) and drawing.room and len(best.words) < len(words):
            rules = list({frozenset(r.words): r for rule in beam for r in rule.grown(words)}.values())
            yield from drawing.draw([rule for rule in rules if not rule.count], BATCH)
            beam = yield from self._most_precise(drawing, rules)
            for rule in beam:
                yield from self._settle(drawing, rule)
            best = max([best, *beam], key=lambda rule: (self._anchors(rule), rule.mean))
        order = list(best.words)
        rest = [j for j in np.argsort(-nothing.leaning(task.n), kind="stable") if j not in set(order)]
        gain = max(0.0, best.mean - nothing.mean)
        groups = [(gain, task.keep(order).astype(float))] if order else []
        details = {"precision": best.mean, "coverage": 0.5 ** len(order), "found": bool(found)}
        return Answer(by_order([*order, *map(int, rest)], len(order)), groups, details)

    def _anchors(self, rule: _Rule) -> bool:
        low, _ = bounds(rule.mean, rule.count, log(1 / self.delta))
        return bool(rule.mean >= self.precision and low >= self.precision - self.tolerance)

    def _most_precise(self, drawing: _Drawing, rules: list[_Rule]) -> Generator[Rows, np.ndarray, list[_Rule]]:
        """KL-LUCB: the rules with the highest means, once they are told apart from the others."""
        step, least = 1, drawing.room // 2  # the other half is for longer rules
        while True:
            rules = sorted(rules, key=lambda rule: -rule.mean)
            best, others = rules[: self.beam], rules[self.beam :]
            beta = _beta(len(rules), step, self.delta)
            weak = min(best, key=lambda rule: bounds(rule.mean, rule.count, beta)[0])
            strong = max(others, key=lambda rule: bounds(rule.mean, rule.count, beta)[1], default=None)
            if strong is None or drawing.room <= least:
                return best
            if bounds(strong.mean, strong.count, beta)[1] - bounds(weak.mean, weak.count, beta)[0] < self.tolerance:
                return best
            yield from drawing.draw([weak, strong], BATCH)
            step += 1

    def _settle(self, drawing: _Drawing, rule: _Rule) -> Generator[Rows, np.ndarray, None]:
        """Draw until it is clear whether a rule is an anchor."""
        while drawing.room:
            low, high = bounds(rule.mean, rule.count, log(1 / self.delta))
            unclear = low < self.precision - self.tolerance if rule.mean >= self.precision else high >= self.precision
            if not unclear:
                return
            yield from drawing.draw([rule], BATCH)


@dataclass
class _Rule:
    """Words that stay, in the order of their addition, and the rows drawn with them: kept words, and the label too."""

    words: tuple[int, ...]
    rows: list[np.ndarray] = field(default_factory=list)
    same: list[bool] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def mean(self) -> float:
        return float(np.mean(self.same)) if self.same else 0.0

    def grown(self, words: np.ndarray) -> list[_Rule]:
        """The rules with a word more; a row that has the word by chance is a row of the longer rule too."""
        found = []
        for word in (int(j) for j in words if j not in self.words):
            has = [i for i, row in enumerate(self.rows) if row[word]]
            found.append(_Rule((*self.words, word), [self.rows[i] for i in has], [self.same[i] for i in has]))
        return found

    def leaning(self, n: int) -> np.ndarray:
        """How much more often the label stays with each word than without it."""
        rows, same = np.array(self.rows).reshape(-1, n), np.array(self.same, dtype=float)
        there = rows.sum(axis=0)
        return same @ rows / np.maximum(there, 1) - same @ ~rows / np.maximum(len(rows) - there, 1)


class _Drawing:
    """Draws rows for rules, as long as there is room."""

    def __init__(self, task: Task, room: int) -> None:
        self.task, self.room, self.random = task, room, task.random()

    def draw(self, rules: list[_Rule], count: int) -> Generator[Rows, np.ndarray, None]:
        """So many rows for each rule, all in one question."""
        rules = rules[: max(1, self.room // count)] if self.room else []
        count = min(count, self.room)
        if not rules or not count:
            return
        rows = self.random.random((len(rules), count, self.task.n)) < 0.5
        for own, rule in zip(rows, rules, strict=True):
            own[:, list(rule.words)] = True
        flat = rows.reshape(-1, self.task.n)
        self.room -= len(flat)
        yield flat
        same = self.task.target.agrees(self.task.bound(flat)).reshape(len(rules), count)  # the door remembers them
        for rule, own, kept in zip(rules, rows, same, strict=True):
            rule.rows += list(own)
            rule.same += kept.tolist()


def bounds(mean: float, count: int, beta: float) -> tuple[float, float]:
    """The lowest and the highest probability q for which `count * KL(mean, q)` is at most beta, by bisection."""
    if not count:
        return 0.0, 1.0
    ends = []
    for far in (0.0, 1.0):
        inside, outside = mean, far
        for _ in range(20):
            middle = (inside + outside) / 2
            if _divergence(mean, middle) <= beta / count:
                inside = middle
            else:
                outside = middle
        ends.append(inside)
    return ends[0], ends[1]


def _divergence(p: float, q: float) -> float:
    """KL of two coins."""
    parts = ((p, q), (1 - p, 1 - q))
    return sum(a * log(a / max(b, 1e-12)) for a, b in parts if a > 0)


def _beta(rules: int, step: int, delta: float) -> float:
    """The exploration rate of KL-LUCB, with its constants k1 = 405.5 and alpha = 1.1."""
    inner = log(405.5 * rules * step**1.1 / delta)
    return inner + log(inner)
