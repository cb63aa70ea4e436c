"""Words are left out; the others keep their positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from gmask.absence.base import Absence
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair, Rows

if TYPE_CHECKING:
    import torch

__all__ = ["Drop"]


class Drop(Absence):
    """The word's tokens are gone, and nobody sees them; the others stay where they stood."""

    name: ClassVar[str] = "drop"
    summary: ClassVar[str] = "are left out, and the others keep their places"
    sloping: ClassVar[bool] = True

    def rows(self, model: Any, bound: BoundPair, kept: Rows) -> Any:
        """The tokens that stay."""
        return model.dropped(bound, kept)

    def soft(self, model: Any, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:
        """The embeddings of the words that stay times their weights; one of weight 0 is seen by nobody."""
        return model.soft_dropped(bound, weights)  # type: ignore[no-any-return]

    def slope(self, model: PairModel) -> str | None:
        """A word that is dropped has no slope; its embedding times a weight has one (the paper's equation 1)."""
        return "zero" if "zero" in model.removals else self.name
