"""Several ways at once: each row is asked in every way, and the answers are averaged.

What holds under one way of removing words only is an artefact of it. Under the mean of two, words and groups are found
that hold under others as well, also under those that are no part of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gmask.absence.base import JOINT, Absence
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair, Rows

if TYPE_CHECKING:
    import torch

__all__ = ["Mixture"]


class Mixture(Absence):
    """The mean of what a model says with words gone in each of several ways.

    Args:
        parts: The ways.
    """

    def __init__(self, parts: Sequence[Absence]) -> None:
        self._parts = tuple(parts)
        self.name = JOINT.join(part.name for part in parts)  # type: ignore[misc]
        self.summary = ", or ".join(part.summary for part in parts)  # type: ignore[misc]
        self.sloping = any(part.sloping for part in parts)  # type: ignore[misc]

    @property
    def parts(self) -> Sequence[Absence]:
        """The ways."""
        return self._parts

    def check(self, model: PairModel) -> None:
        """Each way must be possible."""
        for part in self.parts:
            part.check(model)

    def rows(self, model: Any, bound: BoundPair, kept: Rows) -> Any:
        """Never asked: a bound pair asks its parts."""
        raise NotImplementedError

    def soft(self, model: Any, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:
        """The mean of the ways that have something between a word that stays and one that goes."""
        import torch

        found = [part.soft(model, bound, weights) for part in self.parts if part.sloping]
        return torch.stack(found).mean(dim=0)

    def slope(self, model: PairModel) -> str | None:
        """That of the first way that has one."""
        return next((slope for part in self.parts if (slope := part.slope(model))), None)
