"""Comprehensiveness of ERASER (DeYoung et al. 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.metric.base import Answers, Case, Metric
from gmask.metric.shares import BINS, count_of
from gmask.model.bound import Rows

__all__ = ["Comprehensiveness"]


@dataclass(frozen=True)
class Comprehensiveness(Metric):
    """The mean of p(y | x) - p(y | x without the top k % of its words) over k = 1, 5, 10, 20, 50, rounded up."""

    name: ClassVar[str] = "comprehensiveness"
    title: ClassVar[str] = "Comprehensiveness"
    summary: ClassVar[str] = "how far the probability falls without the top 1, 5, 10, 20, 50 % of the words"
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    def rows(self, case: Case) -> Rows:
        """All words, then without the top k %."""
        return case.without_top([0, *(count_of(k, case.n) for k in BINS)])

    def measure(self, case: Case, answers: Answers) -> list[float] | None:  # noqa: ARG002
        """The mean fall."""
        p = answers.values
        return [float(np.mean(p[0] - p[1:]))]
