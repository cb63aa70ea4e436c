"""Differentiating in pieces: no more rows at a time than fit in memory, and by nothing but what was given."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from gmask.errors import GmaskError

if TYPE_CHECKING:
    from gmask.model.bound import BoundPair

__all__ = ["in_pieces", "out_of_memory"]

Run = Callable[[torch.Tensor], torch.Tensor]


def in_pieces(run: Run, inputs: torch.Tensor, bound: BoundPair) -> torch.Tensor:
    """The value of each row of inputs, `[m]`, differentiable by them.

    Each value depends on its own row alone. So the slopes by the rows are computed with the values, piece by piece, and
    a pass backward only has to multiply by them; what is computed on the way is forgotten piece by piece.

    Args:
        run: Makes values `[rows]` of rows of inputs.
        inputs: `[m, ...]`.
        bound: The pair they are about.
    """
    found: torch.Tensor = _Pieces.apply(inputs, run, bound)  # type: ignore[no-untyped-call]
    return found


class _Pieces(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, inputs: torch.Tensor, run: Run, bound: BoundPair) -> torch.Tensor:
        values, slopes, start = [], [], 0
        while start < len(inputs):
            piece = inputs[start : start + bound.together].detach().requires_grad_()
            try:
                with torch.enable_grad():
                    value = run(piece)
                    (slope,) = torch.autograd.grad(value.sum(), piece)
            except RuntimeError as error:
                if not out_of_memory(error):
                    raise
                if len(piece) == 1:
                    raise GmaskError("there is not enough memory to differentiate the model on this pair") from None
                bound.together = len(piece) // 2
                continue
            values.append(value.detach())
            slopes.append(slope)
            start += len(piece)
        ctx.save_for_backward(torch.cat(slopes))
        return torch.cat(values)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        (slopes,) = ctx.saved_tensors
        factors = gradients[0].to(slopes)
        return factors.reshape(-1, *(1,) * (slopes.dim() - 1)) * slopes, None, None


def out_of_memory(error: RuntimeError) -> bool:
    """Whether an error of PyTorch says that there was not enough memory."""
    return any(sign in str(error).lower() for sign in ("out of memory", "can't allocate memory"))
