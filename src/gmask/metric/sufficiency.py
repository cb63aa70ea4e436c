"""Sufficiency of ERASER (DeYoung et al. 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from gmask.metric.base import Answers, Case, Metric
from gmask.metric.shares import BINS, count_of
from gmask.model.bound import Rows

__all__ = ["Sufficiency"]


@dataclass(frozen=True)
class Sufficiency(Metric):
    """The mean of p(y | x) - p(y | only the top k % of its words) over k = 1, 5, 10, 20, 50, rounded up."""

    name: ClassVar[str] = "sufficiency"
    title: ClassVar[str] = "Sufficiency"
    summary: ClassVar[str] = "how far the probability falls with only the top 1, 5, 10, 20, 50 % of the words"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    def rows(self, case: Case) -> Rows:
        """All words, then only the top k %."""
        return case.only_top([case.n, *(count_of(k, case.n) for k in BINS)])

    def measure(self, case: Case, answers: Answers) -> list[float] | None:  # noqa: ARG002
        """The mean fall."""
        p = answers.values
        return [float(np.mean(p[0] - p[1:]))]
