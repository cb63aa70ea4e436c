"""ProxySPEX (Butler et al., NeurIPS 2025), computed by `shapiq` with the door as its game.

Gradient-boosted trees are fitted to random rows; the few large Fourier coefficients that they have are fitted again to
the rows, and from these come Shapley values and Shapley interactions of more than two words. Groups are what the strong
sets of words form where they share a word, as with `shapley-interactions`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.errors import GmaskError
from gmask.method.base import Answer, Method, Questions, Task, option
from gmask.method.merging import merge
from gmask.method.replay import Game, replay
from gmask.method.screening import promising

__all__ = ["ProxySpex"]

TINY = 1e-9  # no interaction


@dataclass(frozen=True)
class ProxySpex(Method):
    """A word's attribution is its Shapley value; sets of words whose interaction is strong form a group."""

    name: ClassVar[str] = "proxyspex"
    summary: ClassVar[str] = "Shapley values and sets of words that act together, by boosted trees (needs lightgbm)"

    samples: int = option(1000, "rows asked about; exact if all 2^n subsets fit in", low=64)
    order: int = option(3, "how many words a set has, at most", low=2)
    share: float = option(0.3, "a set this share as strong as the strongest counts", low=0)
    words: int = option(30, "of longer pairs, look at the words that seem to matter most; the others stay", low=2)

    def explain(self, task: Task) -> Questions:
        """Let shapiq choose the rows, ask them, let it compute."""
        players = yield from promising(task, self.words)
        exact = 2 ** len(players) <= self.samples

        def compute(game: Game) -> dict[tuple[int, ...], float]:
            return _interactions(game, len(players), self.order, None if exact else self.samples, task.seed)

        found = yield from replay(compute, task, players)
        strength = {tuple(int(players[i]) for i in s): value for s, value in found.items()}
        attributions = np.zeros(task.n)
        for (word,) in (s for s in strength if len(s) == 1):
            attributions[word] = strength[(word,)]
        sets = sorted((s for s in strength if len(s) > 1), key=lambda s: -strength[s])
        least = max(self.share * max((strength[s] for s in sets), default=0.0), TINY)
        sets = [s for s in sets if strength[s] > least]
        groups = [(float(attributions[s].sum()), task.keep(s).astype(float)) for s in merge(sets)]
        return Answer(attributions, groups, {"exact": exact, "interactions": [[*s, strength[s]] for s in sets]})


def _interactions(game: Game, n: int, order: int, budget: int | None, seed: int) -> dict[tuple[int, ...], float]:
    """What shapiq finds for words and sets of words: exactly, or within a budget of rows."""
    order = min(order, n)
    try:
        from shapiq import ExactComputer, ProxySPEX

        computer = budget and ProxySPEX(n=n, index="SII", max_order=order, random_state=seed)
    except ImportError:
        needed = 'proxyspex needs shapiq and lightgbm; install them with: pip install "gmask[methods]"'
        raise GmaskError(needed) from None
    if not computer:
        found = ExactComputer(game, n_players=n)("SII", order)
    else:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # trees that find nothing more to split say so
                found = computer.approximate(budget, game)
        except IndexError:  # shapiq's answer to trees without any split: nothing was found
            return {}
    return {s: float(found[s]) for s in found.interaction_lookup}
