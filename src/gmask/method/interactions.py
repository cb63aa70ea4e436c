"""Pairwise Shapley interactions (Grabisch and Roubens 1999), computed by `shapiq` with the door as its game.

    I(i, j) = average over subsets S of the other words of  v(S + ij) - v(S + i) - v(S + j) + v(S)

Two words act together where I is positive: each does more with the other there. (Where it is negative, one can stand in
for the other: two reasons, not one.) Groups are what such pairs form where they share a word.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gmask.errors import GmaskError
from gmask.method.base import Answer, Method, Questions, Task, option
from gmask.method.merging import merge
from gmask.method.replay import Game, replay
from gmask.method.screening import promising

__all__ = ["ShapleyInteractions"]

TINY = 1e-9  # no interaction


@dataclass(frozen=True)
class ShapleyInteractions(Method):
    """A word's attribution is its Shapley value; words whose interaction is strong form a group."""

    name: ClassVar[str] = "shapley-interactions"
    summary: ClassVar[str] = "Shapley values and the pairs of words that do more together than apart (needs shapiq)"

    samples: int = option(1000, "rows asked about; exact if all 2^n subsets fit in", low=16)
    share: float = option(0.3, "a pair this share as strong as the strongest counts", low=0)
    words: int = option(30, "of longer pairs, look at the words that seem to matter most; the others stay", low=2)

    def explain(self, task: Task) -> Questions:
        """Let shapiq choose the rows, ask them, let it compute."""
        n = task.n
        players = yield from promising(task, self.words)
        exact = 2 ** len(players) <= self.samples

        def compute(game: Game) -> Any:
            return _interactions(game, len(players), None if exact else self.samples, task.seed)

        found = yield from replay(compute, task, players)
        attributions = np.zeros(n)
        attributions[players] = [found[(i,)] for i in range(len(players))]
        first, second = np.triu_indices(len(players), 1)
        strength = np.array([found[(i, j)] for i, j in zip(first, second, strict=True)])
        order = np.argsort(-strength, kind="stable")
        order = order[strength[order] > max(self.share * strength.max(initial=0), TINY)]
        pairs = [(int(players[first[i]]), int(players[second[i]])) for i in order]
        groups = [(float(attributions[s].sum()), task.keep(s).astype(float)) for s in merge(pairs)]
        interactions = [[i, j, float(strength[at])] for (i, j), at in zip(pairs, order, strict=True)]
        return Answer(attributions, groups, {"exact": exact, "interactions": interactions})


def _interactions(game: Game, n: int, budget: int | None, seed: int) -> Any:
    """What shapiq finds for words and pairs of words: exactly, or within a budget of rows."""
    try:
        from shapiq import ExactComputer, KernelSHAPIQ
    except ImportError:
        raise GmaskError('shapley-interactions needs shapiq; install it with: pip install "gmask[methods]"') from None
    if budget is None:
        return ExactComputer(game, n_players=n)("SII", 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that nearly all subsets are asked for is no harm
        computer = KernelSHAPIQ(n=n, max_order=2, index="SII", pairing_trick=True, random_state=seed)
        return computer.approximate(budget, game)
