"""Normalised AOPC (Edin et al., ACL 2025): the AOPC between the lowest and the highest that the pair allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.explanation import Explanation
from gmask.metric.aopc import Aopc, U
from gmask.metric.base import Answers, Case, Metric, Variant
from gmask.model.bound import Rows

__all__ = ["NormalisedAopc"]

LIMITS = tuple(f"best-order:measure=aopc:goal={goal}" for goal in ("lowest", "highest"))


@dataclass(frozen=True)
class NormalisedAopc(Metric):
    """(AOPC - lowest) / (highest - lowest), where the limits are those of the orders of the pair's words.

    How high an AOPC can be depends on the model and the pair, so averages over models say as much about these as about
    the method. The limits are found by the method `best-order`: exactly for pairs of few words, else by its beam search
    (the paper has both, and calls the second an approximation); an order beyond what was found is a limit itself. A
    pair whose limits are the same has no number.
    """

    name: ClassVar[str] = "normalised_aopc"
    title: ClassVar[str] = "Normalised AOPC"
    summary: ClassVar[str] = "the AOPC between the lowest (0) and the highest (1) found for the pair"
    needs: ClassVar[str] = "pairs whose answer depends on the order in which words go"
    costly: ClassVar[bool] = True

    def variants(self, explanation: Explanation) -> Sequence[Variant]:
        """The orders with the lowest and the highest AOPC."""
        e = explanation
        return [Variant(e.first, e.second, e.seed, method) for method in LIMITS]

    def rows(self, case: Case) -> Rows:
        """Those of the AOPC, for the explanation and for both limits."""
        limits = [case.variants[variant] for variant in self.variants(case.explanation)]
        return np.concatenate([Aopc().rows(Case(e)) for e in (case.explanation, *limits)])

    def measure(self, case: Case, answers: Answers) -> list[float] | None:  # noqa: ARG002
        """Its place between them."""
        own, *limits = (float(np.sum(p[0] - p[1:]) / (U + 1)) for p in np.split(answers.values, 3))
        low, high = min(own, *limits), max(own, *limits)
        return None if high - low < 1e-9 else [(own - low) / (high - low)]
