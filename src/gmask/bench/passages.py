"""Reasons planted in passages: are they found where sentences are asked about before words, and at what cost?

A rule says yes, or a score rises, by words of a query and of a passage of 20 to 450 words; all others do nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gmask.explainer import Explainer
from gmask.explanation import Explanation
from gmask.method.base import Method
from gmask.model.callable import CallableModel

__all__ = ["LENGTHS", "RULES", "Found", "Passage", "find_planted", "passages"]

LENGTHS = (20, 60, 150, 300, 450)  # words
SENTENCE = (10, 26)  # words
PLAIN = "the of in a to is on at by as it was an or be this that with from for its has were not are which".split()  # noqa: SIM905
PLANTED = tuple(a + b for a in ("ba", "de", "fi", "go", "lu", "ma") for b in ("kal", "mir", "non"))
YES = (0.05, 0.95)
Words = frozenset[tuple[int, str]]  # each of the query (0) or the passage (1)

# From words of the query and of the passage, in random order, to the sets of words of which any one is a reason.
RULES: dict[str, Callable[[list[str], list[str]], list[Words]]] = {
    "A and B": lambda q, p: [frozenset({(0, q[0]), (1, p[0])})],
    "A and B and C": lambda q, p: [frozenset({(0, q[0]), (1, p[0]), (1, p[1])})],
    "(A and B) or (C and D)": lambda q, p: [frozenset({(0, q[0]), (1, p[0])}), frozenset({(0, q[1]), (1, p[1])})],
    "A + B + C": lambda q, p: [frozenset({(0, q[0]), (1, p[0]), (1, p[1])})],
}


@dataclass(frozen=True)
class Passage:
    """A query and a passage, and the reasons planted in them."""

    query: str
    text: str
    reasons: tuple[Words, ...]
    graded: bool

    def model(self) -> CallableModel:
        """Says yes where all words of a reason are there; where it is graded, the more the more of them are."""

        def says(pair: tuple[str, str]) -> float:
            there = [set(text.split()) for text in pair]
            shares = [np.mean([word in there[side] for side, word in reason]) for reason in self.reasons]
            return YES[0] + (YES[1] - YES[0]) * (max(shares) if self.graded else max(shares) == 1)

        return CallableModel(lambda pairs: [says(pair) for pair in pairs], labels=("no", "yes"), name="planted")


@dataclass(frozen=True)
class Found:
    """In what share of passages the planted words were on top, and the groups the reasons; the mean cost."""

    on_top: float
    as_groups: float
    rows: float
    words: float  # that the model read


def passages(rule: str, length: int, count: int, seed: int = 0) -> Iterator[Passage]:
    """Random passages of about so many words with a planted rule."""
    for number in range(count):
        random = np.random.default_rng([seed, list(RULES).index(rule), length, number])
        planted = [str(w) for w in random.permutation(PLANTED)]
        reasons = RULES[rule](planted[:2], planted[2:5])
        texts = [
            _text(random, size, [w for r in reasons for s, w in r if s == side]) for side, size in ((0, 6), (1, length))
        ]
        yield Passage(texts[0], texts[1], tuple(reasons), rule == "A + B + C")


def _text(random: np.random.Generator, length: int, planted: list[str]) -> str:
    words = [str(w) for w in random.choice(PLAIN, length)]
    for place, word in zip(random.choice(length, len(planted), replace=False), planted, strict=True):
        words[place] = word
    end = 0
    while length - end > SENTENCE[1]:
        end += int(random.integers(*SENTENCE))
        words[end - 1] += " ."
    return " ".join(words)


def find_planted(
    rule: str, length: int, count: int = 50, seed: int = 0, *, method: str | Method = "gmask", units: str = "auto"
) -> Found:
    """Let a method explain passages with a planted rule."""
    found = []
    for number, case in enumerate(passages(rule, length, count, seed)):
        model = _Counting(case.model().function)
        e = Explainer(
            CallableModel(model, labels=("no", "yes"), name="planted"),
            method,
            units=units,
            target="yes",
            seed=seed + number,
        )(case.query, case.text)
        found.append((*_right(e, case), e.rows, model.words))
    on_top, as_groups, rows, words = np.mean(found, axis=0)
    return Found(float(on_top), float(as_groups), float(rows), float(words))


class _Counting:
    """A function of pairs that counts the words it reads."""

    def __init__(self, function: Callable[[list[tuple[str, str]]], Any]) -> None:
        self.function, self.words = function, 0

    def __call__(self, pairs: list[tuple[str, str]]) -> Any:
        self.words += sum(len(text.split()) for pair in pairs for text in pair)
        return self.function(pairs)


def _right(e: Explanation, case: Passage) -> tuple[bool, bool]:
    planted = frozenset[tuple[int, str]]().union(*case.reasons)
    top = {(e.words[i].sentence, e.words[i].text) for i in e.order()[: len(planted)]}
    groups = {frozenset((w.sentence, w.text) for w in g.words(e)) for g in e.groups}
    return top == planted, groups == set(case.reasons)
