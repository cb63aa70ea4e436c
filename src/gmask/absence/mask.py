"""Words are hidden behind the model's own mask token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from gmask.absence.base import Absence
from gmask.errors import GmaskError
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair, Rows

if TYPE_CHECKING:
    import torch

__all__ = ["Mask"]


class Mask(Absence):
    """The mask token stands in the place of each of the word's tokens."""

    name: ClassVar[str] = "mask"
    summary: ClassVar[str] = "have the mask token in their place"
    sloping: ClassVar[bool] = True

    def check(self, model: PairModel) -> None:
        """The tokenizer must have a mask token."""
        if not model.masks:
            valid = ", ".join(r for r in model.removals if r != self.name)
            raise GmaskError(f"the tokenizer of {model.name} has no mask token; valid removals: {valid}")

    def rows(self, model: Any, bound: BoundPair, kept: Rows) -> Any:
        """All tokens, some of them masked."""
        return model.masked(bound, kept)

    def soft(self, model: Any, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:
        """Every embedding between its own and that of the mask token."""
        return model.soft_masked(bound, weights)  # type: ignore[no-any-return]
