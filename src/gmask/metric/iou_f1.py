"""Agreement with people, span by span: IOU F1 of ERASER (DeYoung et al. 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.metric.base import Answers, Case, Metric
from gmask.metric.rationale import MARKED, rationale_of, spans

__all__ = ["IouF1"]


@dataclass(frozen=True)
class IouF1(Metric):
    """F1 of precision and recall averaged over pairs, where a span counts as found at an overlap of half.

    A span is a run of neighbouring words of one sentence: of those people marked, or of as many top words. A top span
    hits if for some span of people's the words in both are at least half of the words in either.
    """

    name: ClassVar[str] = "iou_f1"
    title: ClassVar[str] = "IOU F1"
    summary: ClassVar[str] = "how many spans of top words overlap by half with spans people marked"
    needs: ClassVar[str] = MARKED

    def measure(self, case: Case, answers: Answers) -> list[float] | None:  # noqa: ARG002
        """Precision and recall of the spans."""
        people = rationale_of(case)
        if people is None:
            return None
        truth, found = spans(people.sentences, people.marked), spans(people.sentences, people.chosen)
        hits = sum(any(2 * len(f & t) >= len(f | t) for t in truth) for f in found)
        return [hits / len(found), hits / len(truth)]

    def figure(self, mean: np.ndarray) -> np.ndarray:
        """F1 of the averages."""
        precision, recall = mean[..., :1], mean[..., 1:]
        return np.asarray(2 * precision * recall / np.maximum(precision + recall, 1e-12))
