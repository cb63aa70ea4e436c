"""Archipelago (Tsang, Rambhatla and Liu, NeurIPS 2020): pairs of words that interact, merged into sets.

ArchDetect measures how far two words are from adding up, with all other words there and with none:

    omega(i, j) = ( d(all others)^2 + d(none)^2 ) / 2
    d(C) = v(C + ij) - v(C + i) - v(C + j) + v(C)

The strongest pairs are merged where they share a word. ArchAttribute scores a set, or a word in no set, by what it does
alone, phi(I) = v(I) - v(none). A word of a set gets what it does alone and an equal share of the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.method.base import Answer, Method, Questions, Task, option
from gmask.method.merging import merge
from gmask.method.screening import promising

__all__ = ["Archipelago"]


@dataclass(frozen=True)
class Archipelago(Method):
    """Word sets from pairwise interactions; a word's attribution is its part in what its set does."""

    name: ClassVar[str] = "archipelago"
    summary: ClassVar[str] = "word sets merged from the pairs of words that interact most"

    pairs: int = option(5, "how many of the strongest pairs to merge", low=0)
    share: float = option(0.1, "pairs weaker than this share of the strongest do not count", low=0)
    words: int = option(40, "of longer pairs, look at the words that seem to matter most", low=2)

    def explain(self, task: Task) -> Questions:
        """Detect pairs, merge them, ask what each set does."""
        n = task.n
        candidates = yield from promising(task, self.words)
        first, second = (candidates[i] for i in np.triu_indices(len(candidates), 1))
        none = np.zeros((1, n), bool)
        one = np.eye(n, dtype=bool)
        two = one[first] | one[second]
        alone = np.concatenate([none, one, two])
        values = yield np.concatenate([alone, ~alone])
        omega = sum(
            (pair - single[first] - single[second] + empty) ** 2 / 2
            for empty, single, pair in ((v[0], v[1 : n + 1], v[n + 1 :]) for v in np.split(values, 2))
        )
        strongest = np.argsort(-omega, kind="stable")[: self.pairs]
        strongest = strongest[omega[strongest] > max(self.share * omega.max(initial=0), 1e-12)]
        sets = merge(list(zip(first[strongest], second[strongest], strict=True)))
        rows = np.array([task.keep(s) for s in sets], dtype=bool).reshape(-1, n)
        phi = (yield rows) - values[0]
        attributions = values[1 : n + 1] - values[0]
        for row, effect in zip(rows, phi, strict=True):
            attributions[row] += (effect - attributions[row].sum()) / row.sum()
        interactions = [[int(first[i]), int(second[i]), float(omega[i])] for i in strongest]
        groups = [(float(effect), row.astype(float)) for row, effect in zip(rows, phi, strict=True)]
        return Answer(attributions, groups, {"interactions": interactions})
