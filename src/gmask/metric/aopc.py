"""AOPC, the area over the perturbation curve (Samek et al. 2016; Nguyen 2018), as in the GMASK paper, equation 9."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.metric.base import Answers, Case, Metric
from gmask.model.bound import Rows

__all__ = ["Aopc", "U"]

U = 10


@dataclass(frozen=True)
class Aopc(Metric):
    """1 / (U + 1) sum over u = 1..U of p(y | x) - p(y | x without the top u words), with U = 10.

    The paper divides by U + 1 although the sum has U terms; so does this. A pair with fewer than U words has nothing
    left to remove after the last: the value with every word removed repeats.
    """

    name: ClassVar[str] = "aopc"
    title: ClassVar[str] = "AOPC"
    summary: ClassVar[str] = "how far the probability falls on average as the top 1 to 10 words go"
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    def rows(self, case: Case) -> Rows:
        """All words, then without the top 1, 2, ... U."""
        return case.without_top(range(U + 1))

    def measure(self, case: Case, answers: Answers) -> list[float] | None:  # noqa: ARG002
        """The sum of the falls, divided by U + 1."""
        p = answers.values
        return [float(np.sum(p[0] - p[1:]) / (U + 1))]

    def weights(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """What is left without the top 1 to U words counts against an order."""
        counts = np.arange(n + 1)
        return np.zeros(n + 1), -1.0 * ((counts >= 1) & (counts <= U))
