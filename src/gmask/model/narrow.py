"""Leaving out what nobody reads: the last layer's work on other tokens, where the answer is read at the first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

__all__ = ["first_token_only", "last_attention"]

PROBE = 8  # tokens
SAME = 1e-4


def last_attention(model: Any) -> nn.Module | None:
    """The attention of an encoder's last layer, if the logits stay as they are without the tokens after the first.

    Tried on the model itself: one that averages its tokens, say, gives other logits and is left alone.
    """
    layers = getattr(getattr(model.base_model, "encoder", None), "layer", None)
    attention = getattr(layers[-1], "attention", None) if isinstance(layers, nn.ModuleList) and len(layers) else None
    if not isinstance(attention, nn.Module):
        return None
    ids = torch.arange(PROBE, device=model.device)[None] % model.config.vocab_size
    try:
        with torch.inference_mode():
            whole = model(input_ids=ids).logits
            with first_token_only(attention):
                narrow = model(input_ids=ids).logits
    except Exception:  # noqa: BLE001  (a model that needs the other tokens can stumble anywhere)
        return None
    same = whole.shape == narrow.shape and torch.allclose(whole, narrow, rtol=SAME, atol=SAME)
    return attention if same else None


@contextmanager
def first_token_only(attention: nn.Module | None) -> Iterator[None]:
    """While the block runs, only the first token of each row gets past an attention."""
    if attention is None:
        yield
        return

    def hook(_module: nn.Module, _inputs: Any, found: Any) -> Any:
        return (found[0][:, :1], *found[1:]) if isinstance(found, tuple) else found[:, :1]

    handle = attention.register_forward_hook(hook)
    try:
        yield
    finally:
        handle.remove()
