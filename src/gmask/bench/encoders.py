"""Small encoders with planted rules: models that encode the two texts apart, and whose reasons are known.

A text's encoding says which of its planted words are there; the second text's says, for each such pattern of the first,
whether a rule is then fulfilled. So their dot product is 1 if all words of any one rule are there, else 0, as no single
vector could say by itself. Every word moves both encodings a little besides.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.bench.planted import VOCABULARY
from gmask.explainer import Explainer
from gmask.explanation import Explanation
from gmask.method.base import Method
from gmask.model.apart import ApartModel, Side, Text
from gmask.model.likeness import dot
from gmask.pair import segment

__all__ = ["RULES", "Case", "PlantedEncoder", "cases", "exact", "explained"]

Literal = tuple[int, str]  # a word of the first (0) or the second (1) text
Rule = frozenset[Literal]

LENGTHS = (4, 12)  # words a text
NOISE = 0.02  # of the score, from the words that are not planted
DIMENSIONS = 16

# From words of the first and of the second text to the rules of which any one makes the texts alike.
RULES: dict[str, Callable[[list[str], list[str]], list[Rule]]] = {
    "A and B": lambda a, b: [frozenset({(0, a[0]), (1, b[0])})],
    "A and B and C": lambda a, b: [frozenset({(0, a[0]), (0, a[1]), (1, b[0])})],
    "(A and B) or (C and D)": lambda a, b: [frozenset({(0, a[0]), (1, b[0])}), frozenset({(0, a[1]), (1, b[1])})],
}


@dataclass(frozen=True)
class Case:
    """A pair and the rules that make its texts alike."""

    first: str
    second: str
    rules: tuple[Rule, ...]


class PlantedEncoder(ApartModel):
    """Encodes a text as what it has of the rules, and a little noise.

    Args:
        rules: Of which any one makes two texts alike.
    """

    name = "planted-encoder"
    alike = False
    removals: ClassVar[tuple[str, ...]] = ("drop", "delete")
    _likeness = staticmethod(dot)

    def __init__(self, rules: Sequence[Rule]) -> None:
        super().__init__()
        self.rules = tuple(rules)
        self.encoded = [0, 0]  # texts, with some of their words

    def _text(self, text: str, side: int) -> Text:  # noqa: ARG002
        return Text(text, segment(text))

    def _encode(self, questions: Sequence[tuple[Side, np.ndarray]]) -> Iterator[tuple[int, np.ndarray]]:
        for number, (side, row) in enumerate(questions):
            words = {word.text for word, stays in zip(side.words, row, strict=True) if stays}
            self.encoded[side.side] += 1
            yield number, np.concatenate([self._pattern(words, side.side), self._noise(words)])

    def _pattern(self, words: set[str], side: int) -> np.ndarray:
        """Of the first text, which of all patterns of fulfilled rules it has; of the second, what each would make."""
        own = np.array([all(word in words for s, word in rule if s == side) for rule in self.rules])
        patterns = np.arange(2 ** len(own))[:, None] >> np.arange(len(own)) & 1
        found: np.ndarray = (patterns == own).all(axis=1) if side == 0 else (patterns & own).any(axis=1)
        return found.astype(float)

    def _noise(self, words: set[str]) -> np.ndarray:
        drawn = [np.random.default_rng(zlib.crc32(w.encode())).normal(size=DIMENSIONS) for w in sorted(words)]
        return np.sum([np.zeros(DIMENSIONS), *drawn], axis=0) * np.sqrt(NOISE / DIMENSIONS / max(len(words), 1))


def cases(rule: str, count: int, seed: int = 0) -> Iterator[Case]:
    """Random pairs with planted rules."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        a, b = (
            [str(w) for w in random.choice(VOCABULARY, random.integers(LENGTHS[0], LENGTHS[1] + 1), replace=False)]
            for _ in range(2)
        )
        rules = RULES[rule]([str(w) for w in random.permutation(a)], [str(w) for w in random.permutation(b)])
        yield Case(" ".join(a), " ".join(b), tuple(rules))


def explained(
    rule: str, count: int, seed: int = 0, method: str | Method = "gmask"
) -> Iterator[tuple[Case, Explanation]]:
    """Let a method explain pairs with a planted rule."""
    for i, case in enumerate(cases(rule, count, seed)):
        yield case, Explainer(PlantedEncoder(case.rules), method, seed=seed + i)(case.first, case.second)


def exact(case: Case, e: Explanation) -> bool:
    """Whether the groups of an explanation are the rules, no word more and none less."""
    found = {frozenset((e.words[i].sentence, e.words[i].text) for i in group.members) for group in e.groups}
    return found == set(case.rules)
