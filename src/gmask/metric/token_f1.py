"""Agreement with people, word by word: token F1 of ERASER (DeYoung et al. 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gmask.metric.base import Answers, Case, Metric
from gmask.metric.rationale import MARKED, rationale_of

__all__ = ["TokenF1"]


@dataclass(frozen=True)
class TokenF1(Metric):
    """F1 of the top words against the words people marked, as many of the one as of the other, averaged over pairs."""

    name: ClassVar[str] = "token_f1"
    title: ClassVar[str] = "Token F1"
    summary: ClassVar[str] = "how many of the words people marked are among as many top words"
    needs: ClassVar[str] = MARKED

    def measure(self, case: Case, answers: Answers) -> list[float] | None:  # noqa: ARG002
        """F1 of the words."""
        people = rationale_of(case)
        if people is None:
            return None
        # With as many words on both sides precision, recall and their F1 are one number.
        return [float((people.chosen & people.marked).sum() / people.marked.sum())]
