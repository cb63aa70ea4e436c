"""The one place that turns a model's outputs into the number an explanation explains."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gmask.errors import GmaskError, one_of

__all__ = ["DIRECTIONS", "Target", "choose_target", "find_target", "relevant"]

DIRECTIONS = ("low", "high")  # what a model with one output can say
# Labels that mean that a text answers a query, or supports a claim, the surest first.
RELEVANT = (
    "relevant", "entailment", "supported", "yes", "true", "answer", "duplicate", "paraphrase", "similar", "equivalent",
    "match", "related", "positive", "high",
)  # fmt: skip
_ENDS = math.log(9)  # a raw score with all words stands at probability 0.9, that of the reference at 0.1


@dataclass(frozen=True)
class Target:
    """What is asked about: a class, perhaps held against another, or the direction of a raw score.

    `value` maps outputs `[..., classes]` to a number in [0, 1]: the probability of the class; against another class,
    its share of the two; for a raw score, a sigmoid that puts the score with all words at 0.9 and that of the reference
    at 0.1 (or the reverse, if the score moves away from the direction asked about), unless it is steeper than it may
    be. It works on arrays and tensors.
    """

    labels: tuple[str, ...]
    index: int
    other: int | None = None
    middle: float | None = None  # set for raw scores only
    slope: float = 1.0
    multilabel: bool = False  # each label has a probability of its own

    @property
    def label(self) -> str:
        """The name of what is explained."""
        return self.labels[self.index]

    @property
    def against(self) -> str | None:
        """The name of the class it is held against."""
        return None if self.other is None else self.labels[self.other]

    def value(self, outputs: Any) -> Any:
        """The explained number for each row of outputs."""
        if self.middle is not None:
            z = (outputs[..., 0] - self.middle) * self.slope
            return z.sigmoid() if hasattr(z, "sigmoid") else 1 / (1 + np.exp(-np.clip(z, -60, 60)))
        p = outputs[..., self.index]
        if self.other is None:
            return p
        return p / (p + outputs[..., self.other] + 1e-12)

    def shown(self, outputs: np.ndarray) -> np.ndarray:
        """What people are shown for each row: a raw score in its own units, else the value."""
        return outputs[..., 0] if self.middle is not None else np.asarray(self.value(outputs))

    def agrees(self, outputs: np.ndarray) -> np.ndarray:
        """Whether each row of outputs still says the label."""
        if self.middle is not None or self.other is not None or self.multilabel:
            return self.value(outputs) >= 0.5
        return outputs.argmax(axis=-1) == self.index


def choose_target(
    labels: tuple[str, ...],
    full: np.ndarray,
    empty: np.ndarray,
    *,
    raw: bool,
    multilabel: bool = False,
    span: float = 0.0,
    target: str | int | None = None,
    against: str | int | None = None,
) -> Target:
    """The target a user asked for; by default what the model says of the whole pair, or finds most probable.

    Args:
        labels: The names a target can have.
        full: The model's outputs with every word, `[classes]`.
        empty: The same with nothing left, by the reference.
        raw: Whether the one output is a raw score.
        multilabel: Whether each label has a probability of its own.
        span: How far a raw score goes from one end to the other, at least.
        target: A label, or its position where labels are not numbers.
        against: A label to hold it against.
    """
    index, other = find_target(labels, raw=raw, target=target, against=against)
    if raw:
        rise = float(full[0] - empty[0])
        index = int(rise >= 0) if index is None else index
        toward = 1.0 if index == 1 else -1.0
        slope = toward * 2 * _ENDS / max(abs(rise), span, 1e-6)
        return Target(labels, index, middle=float(full[0] + empty[0]) / 2, slope=slope)
    index = int(full.argmax()) if index is None else index
    if other == index:
        raise GmaskError(f"{labels[index]!r} cannot be held against itself; `against` must name another class")
    return Target(labels, index, other, multilabel=multilabel)


def find_target(
    labels: tuple[str, ...], *, raw: bool, target: str | int | None, against: str | int | None
) -> tuple[int | None, int | None]:
    """The positions of the labels asked for; what no pair can be explained with is refused."""
    if raw and against is not None:
        raise GmaskError("a raw score has no classes to hold against each other; leave `against` out")
    return (
        None if target is None else _index("target", target, labels),
        None if against is None else _index("class to hold it against", against, labels),
    )


def relevant(labels: tuple[str, ...]) -> int | None:
    """The position of the label that means relevant: one called so, else the second of two."""
    folded = [label.casefold() for label in labels]
    known = next((folded.index(name) for name in RELEVANT if name in folded), None)
    return 1 if known is None and len(labels) == 2 else known


def _index(kind: str, name: str | int, labels: tuple[str, ...]) -> int:
    if str(name) in labels:
        return labels.index(str(name))
    numbered = all(label.removeprefix("-").isdecimal() for label in labels)  # then a number is a label, no position
    whole = isinstance(name, (int, np.integer)) and not isinstance(name, bool)
    if whole and not numbered and 0 <= name < len(labels):  # type: ignore[operator]
        return int(name)
    folded = [label.casefold() for label in labels]
    if isinstance(name, str) and name.casefold() in folded:
        return folded.index(name.casefold())
    raise one_of(kind, name, labels)
