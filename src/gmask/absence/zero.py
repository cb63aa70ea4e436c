"""Words become nothing where they stand: their embeddings are multiplied by 0 (the paper's equation 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from gmask.absence.base import Absence
from gmask.model.bound import BoundPair, Rows

if TYPE_CHECKING:
    import torch

__all__ = ["Zero"]


class Zero(Absence):
    """The word's embedding times 0; its place is still there."""

    name: ClassVar[str] = "zero"
    summary: ClassVar[str] = "leave a place whose embedding is zero"
    sloping: ClassVar[bool] = True

    def rows(self, model: Any, bound: BoundPair, kept: Rows) -> Any:
        """All tokens, some of them with a zero embedding."""
        return model.zeroed(bound, kept)

    def soft(self, model: Any, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:
        """Every embedding times its word's weight."""
        return model.soft_zeroed(bound, weights)  # type: ignore[no-any-return]
