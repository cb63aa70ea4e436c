"""Log-odds (Shrikumar et al. 2017; Chen et al. 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from gmask.metric.base import Answers, Case, Metric
from gmask.metric.shares import count_of
from gmask.model.bound import Rows

__all__ = ["LogOdds"]

SHARE = 20  # percent of the words
FLOOR = 1e-6  # a probability counts as at least this, or one certain pair would outweigh all others


@dataclass(frozen=True)
class LogOdds(Metric):
    """log p(y | x without the top 20 % of its words) / p(y | x), probabilities of at least 1e-6."""

    name: ClassVar[str] = "log_odds"
    title: ClassVar[str] = "Log-odds"
    summary: ClassVar[str] = "the logarithm of what is left of the probability without the top 20 % of the words"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    range: ClassVar[tuple[float, float]] = (float(np.log(FLOOR)), float(-np.log(FLOOR)))

    def rows(self, case: Case) -> Rows:
        """All words, then without the top 20 %."""
        return case.without_top([0, count_of(SHARE, case.n)])

    def measure(self, case: Case, answers: Answers) -> list[float] | None:  # noqa: ARG002
        """The difference of the logarithms."""
        full, without = np.log(np.maximum(answers.values, FLOOR))
        return [float(without - full)]
