"""Linear layers by oneDNN, with their weights laid out for it once.

PyTorch multiplies single-precision matrices on a processor with a library that does not use all of what some makers'
processors can do. oneDNN, which comes with PyTorch too and serves its compiled models, does: more than twice as fast on
an AMD EPYC. Both are single precision throughout; sums are added up in another order.

It makes a program for each number of tokens, which takes time and is not given back. So numbers are rounded up, with
zeros that nobody reads, and few programs serve all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

__all__ = ["STEP", "Linears", "replaced"]

TOKENS = 2048  # that a weight is laid out for; any number will do
MOST = 500_000_000  # weights that are laid out: they are in memory twice
STEP = 64  # to whose multiples numbers of tokens are rounded up


class Linears:
    """The linear layers of a module, and what to call in their place. Weights that are changed are laid out anew.

    Args:
        module: Only its plain linear layers count, with nobody's hooks or changes.
    """

    def __init__(self, module: nn.Module) -> None:
        linears = [m for m in module.modules() if type(m) is nn.Linear]
        self._linears = linears if sum(m.weight.numel() for m in linears) <= MOST else []
        self._laid_out: dict[nn.Linear, tuple[object, torch.Tensor]] = {}

    def faster(self) -> list[tuple[nn.Linear, Callable[[torch.Tensor], torch.Tensor]]]:
        """Each layer that oneDNN can take, with a function that does the same; for inference only."""
        known = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
        if not known or torch.is_grad_enabled():
            return []
        return [(linear, self._function(linear)) for linear in self._linears if _can(linear)]

    @contextmanager
    def replaced(self) -> Iterator[None]:
        """While the block runs, the layers are multiplied by oneDNN."""
        with ExitStack() as stack:
            for linear, faster in self.faster():
                stack.enter_context(replaced(linear, faster))
            yield

    def _function(self, linear: nn.Linear) -> Callable[[torch.Tensor], torch.Tensor]:
        weight = linear.weight
        state = (weight.data_ptr(), weight._version)
        known, laid_out = self._laid_out.get(linear, (None, weight))
        if known != state:
            laid_out = torch.ops.mkldnn._reorder_linear_weight(weight.detach(), TOKENS)
            self._laid_out[linear] = state, laid_out
        bias = linear.bias

        def multiply(x: torch.Tensor) -> torch.Tensor:
            flat = x.reshape(-1, x.shape[-1])
            tokens = len(flat)
            if tokens % STEP:
                flat = F.pad(flat, (0, 0, 0, -tokens % STEP))
            found = torch.ops.mkldnn._linear_pointwise(flat, laid_out, bias, "none", [], "")[:tokens]
            return found.unflatten(0, x.shape[:-1])  # type: ignore[no-any-return]

        return multiply


@contextmanager
def replaced(module: Any, forward: Any) -> Iterator[None]:
    """While the block runs, a module does something else."""
    module.forward = forward
    try:
        yield
    finally:
        vars(module).pop("forward", None)


def _can(linear: nn.Linear) -> bool:
    weight = linear.weight
    plain = weight.device.type == "cpu" and weight.dtype == torch.float32 and not weight.is_inference()
    return plain and "forward" not in vars(linear) and not linear._forward_hooks and not linear._forward_pre_hooks
