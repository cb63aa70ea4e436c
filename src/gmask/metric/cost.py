"""What an explanation costs: model rows and seconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from gmask.metric.base import Answers, Case, Metric

__all__ = ["ModelRows", "Seconds"]


@dataclass(frozen=True)
class ModelRows(Metric):
    """The different rows a method asked the model about, and those it put through for their gradients.

    Rows that an earlier method of a study had asked are counted too.
    """

    name: ClassVar[str] = "rows"
    title: ClassVar[str] = "Model rows"
    summary: ClassVar[str] = "how many rows of kept words the model was asked about"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def measure(self, case: Case, answers: Answers) -> list[float] | None:  # noqa: ARG002
        """The rows, as the explanation counts them."""
        e = case.explanation
        return [float(e.rows + e.details.get("gradient_rows", 0))]


@dataclass(frozen=True)
class Seconds(Metric):
    """The time an explanation took, its evidence included."""

    name: ClassVar[str] = "seconds"
    title: ClassVar[str] = "Seconds"
    summary: ClassVar[str] = "how long an explanation takes"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def measure(self, case: Case, answers: Answers) -> list[float] | None:  # noqa: ARG002
        """The seconds, as the explanation counts them."""
        return [case.explanation.seconds or 0.0]
