"""Post-hoc accuracy (Chen et al. 2018), as in the GMASK paper, section 5.1.2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.metric.base import Answers, Case, Metric, Scale
from gmask.model.bound import Rows

__all__ = ["PostHocAccuracy", "V"]

V = range(1, 11)


@dataclass(frozen=True)
class PostHocAccuracy(Metric):
    """For each v = 1..10, the share of pairs that keep their label with only the top v words.

    A pair with fewer than v words is asked about whole.
    """

    name: ClassVar[str] = "post_hoc_accuracy"
    title: ClassVar[str] = "Post-hoc accuracy"
    summary: ClassVar[str] = "how often the top 1, 2, ... 10 words alone give the same label"
    scale: ClassVar[Scale] = Scale.SAME_LABEL

    def rows(self, case: Case) -> Rows:
        """Only the top v words, for each v."""
        return case.only_top(V)

    def measure(self, case: Case, answers: Answers) -> list[float] | None:  # noqa: ARG002
        """1 for each v that keeps the label."""
        return [float(same) for same in answers.agrees]

    def weights(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Each of the top v words alone counts the same."""
        return np.isin(np.arange(n + 1), V).astype(float), np.zeros(n + 1)
