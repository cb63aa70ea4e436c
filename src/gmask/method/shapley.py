"""Shapley values (Shapley 1953), enumerated where that is affordable and sampled by permutations where it is not.

    phi_j = average over orders of the words of  v(words up to and with j) - v(words before j)

Sampled orders come in pairs, an order and its reverse, which cancels much of the noise (Mitchell et al., JMLR 2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.method.base import Answer, Method, Questions, Task, option
from gmask.multilinear import shapley, subsets

__all__ = ["Shapley"]


@dataclass(frozen=True)
class Shapley(Method):
    """A word's attribution is its average contribution when words come in random order."""

    name: ClassVar[str] = "shapley"
    summary: ClassVar[str] = "Shapley values, exact for few words, else from random orders of the words"

    samples: int = option(
        1000, "rows asked about; exact if all 2^n subsets fit in, at least one order and its reverse", low=1
    )

    def explain(self, task: Task) -> Questions:
        """Enumerate or sample."""
        n = task.n
        if 2**n <= self.samples:
            table = yield subsets(n)
            return Answer(shapley(table), details={"exact": True})
        pairs = max(1, self.samples // (2 * (n - 1)))
        forth = task.random().random((pairs, n)).argsort(axis=1)
        orders = np.concatenate([forth, forth[:, ::-1]])
        rank = orders.argsort(axis=1)
        rows = rank[:, None, :] < np.arange(n + 1)[:, None]  # the first 0, 1, ... n words of each order
        values = (yield rows.reshape(-1, n)).reshape(-1, n + 1)
        gains = np.take_along_axis(np.diff(values, axis=1), rank, axis=1)
        means = (gains[:pairs] + gains[pairs:]) / 2
        error = means.std(axis=0, ddof=1) / np.sqrt(pairs) if pairs > 1 else None
        details = {"exact": False, "error": None if error is None else error.tolist()}
        return Answer(means.mean(axis=0), details=details)
