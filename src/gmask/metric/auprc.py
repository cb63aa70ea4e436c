"""Agreement with people, without a threshold: AUPRC of ERASER (DeYoung et al. 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.metric.base import Answers, Case, Metric
from gmask.metric.rationale import MARKED, rationale_of

__all__ = ["Auprc"]


@dataclass(frozen=True)
class Auprc(Metric):
    """The area under the precision-recall curve of the words people marked, by attribution, averaged over pairs."""

    name: ClassVar[str] = "auprc"
    title: ClassVar[str] = "AUPRC"
    summary: ClassVar[str] = "the area under precision and recall of the words people marked"
    needs: ClassVar[str] = MARKED

    def measure(self, case: Case, answers: Answers) -> list[float] | None:  # noqa: ARG002
        """The area, by the trapezoid rule."""
        people = rationale_of(case)
        if people is None:
            return None
        order = np.argsort(-people.attributions, kind="stable")
        scores, hits = people.attributions[order], np.cumsum(people.marked[order])
        last = np.append(np.flatnonzero(np.diff(scores)), len(scores) - 1)  # words with equal scores come together
        precision = np.append(1.0, hits[last] / (last + 1))
        recall = np.append(0.0, hits[last] / hits[-1])
        return [float(np.sum(np.diff(recall) * (precision[1:] + precision[:-1]) / 2))]
