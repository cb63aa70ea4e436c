"""Toy models with known answers, for tests of methods and metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch

from gmask.model.base import PairModel
from gmask.model.bound import BoundPair
from gmask.model.callable import CallableModel
from gmask.pair import Word, segment

VOCABULARY = (
    "amber birch cedar delta ember fjord grove heron indigo jasper kelp lotus maple nectar opal pearl quartz raven "
    "sage topaz umber violet willow yarrow zephyr"
).split()

Literal = tuple[int, str]  # a word of the first (0) or second (1) sentence


class ScoreModel(PairModel):
    """Two classes; the logit is a smooth function of which words are there. Differentiable, no embedding.

    `score` maps word weights, `[m, words]`, to logits, `[m]`; it is given the words too.
    """

    name = "toy"
    labels = ("no", "yes")
    differentiable = True
    removals = ("drop",)

    def __init__(self, score: Callable[[torch.Tensor, Sequence[Word]], torch.Tensor]) -> None:
        self.score = score

    def _bind(self, first: str, second: str, removal: str) -> BoundPair:
        words = [Word(t[s:e], i, s, e) for i, t in enumerate((first, second)) for s, e in segment(t)]
        return BoundPair(self, (first, second), words, removal)

    def _soft(self, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:
        p = torch.sigmoid(self.score(weights.double(), bound.words))
        return torch.stack([1 - p, p], dim=1)

    def _forward(self, questions, on_rows):
        return np.concatenate(
            [self._soft(bound, torch.from_numpy(row[None].astype(float))).numpy() for bound, row in questions]
        )


def sentences(random: np.random.Generator, length: int = 8) -> tuple[list[str], list[str]]:
    """Two random sentences without repeated words."""
    first, second = (random.choice(VOCABULARY, length, replace=False) for _ in range(2))
    return [str(w) for w in first], [str(w) for w in second]


def rule_model(rules: Sequence[Sequence[Literal]], high: float = 0.95, low: float = 0.05) -> CallableModel:
    """A black box that says yes if all words of any one rule are there."""

    def says(pair: tuple[str, str]) -> float:
        there = [set(text.split()) for text in pair]
        return high if any(all(word in there[side] for side, word in rule) for rule in rules) else low

    return CallableModel(lambda pairs: [says(p) for p in pairs], labels=["no", "yes"])
