"""Leaving out what nobody reads: the last layer's work on other tokens, where the answer is read at the first.

In BERT's last layer the other tokens are only looked at. With one query q a head, its scores and what it gathers are

    q . (W_k x_t + b_k) = (W_k' q) . x_t + a constant,      sum_t a_t (W_v x_t + b_v) = W_v (sum_t a_t x_t) + b_v

so that no key and no value need be computed: the weights meet one token a row instead of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

__all__ = ["Narrow", "narrow"]

PROBE = 8  # tokens
SAME = 1e-4


class Narrow:
    """The attention of an encoder's last layer, past which only the first token of a row is needed.

    Args:
        attention: The attention.
        gathers: Whether it is BERT's, which then does without keys and values; else only what follows is left out.
    """

    def __init__(self, attention: nn.Module, *, gathers: bool) -> None:
        self.attention, self.gathers = attention, gathers

    @contextmanager
    def first_token_only(self) -> Iterator[None]:
        """While the block runs, only the first token of each row gets past the attention."""
        handle = self.attention.register_forward_hook(_cut)
        if self.gathers:
            self.attention.forward = self._gather  # type: ignore[method-assign]
        try:
            yield
        finally:
            handle.remove()
            if self.gathers:
                vars(self.attention).pop("forward", None)

    def _gather(self, hidden: torch.Tensor, attention_mask: torch.Tensor | None = None, *_: Any, **__: Any) -> Any:
        own: Any = self.attention.self
        first = hidden[:, :1]
        query = own.query(first).unflatten(-1, (own.num_attention_heads, -1)).squeeze(1)  # [rows, heads, size]
        keys, values = (linear.weight.unflatten(0, (own.num_attention_heads, -1)) for linear in (own.key, own.value))
        scores = torch.einsum("rhs,hsd->rhd", query, keys) @ hidden.transpose(1, 2) / query.shape[-1] ** 0.5
        if attention_mask is not None:
            seen = attention_mask[:, 0, :1]  # by the first token
            scores = scores.masked_fill(~seen, -torch.inf) if seen.dtype == torch.bool else scores + seen
        gathered = torch.einsum("rhd,hsd->rhs", scores.softmax(dim=-1) @ hidden, values).flatten(1) + own.value.bias
        return self.attention.output(gathered[:, None], first), None  # type: ignore[operator]


def narrow(model: Any) -> Narrow | None:
    """What a model can leave out without changing its logits, if anything, tried on the model itself.

    One that averages its tokens, say, gives other logits and is left alone.
    """
    layers = getattr(getattr(model.base_model, "encoder", None), "layer", None)
    attention = getattr(layers[-1], "attention", None) if isinstance(layers, nn.ModuleList) and len(layers) else None
    if not isinstance(attention, nn.Module):
        return None
    own = getattr(attention, "self", None)
    plain = all(type(getattr(own, name, None)) is nn.Linear for name in ("query", "key", "value"))
    plain = plain and "forward" not in vars(attention)
    ways = (Narrow(attention, gathers=gathers) for gathers in ((True, False) if plain else (False,)))
    return next((way for way in ways if _holds(model, way)), None)


def _holds(model: Any, way: Narrow) -> bool:
    """Whether the logits stay the same, of a row by itself and beside one that ends in padding."""
    ids = torch.arange(2 * PROBE, device=model.device).reshape(2, PROBE) % model.config.vocab_size
    mask = torch.ones_like(ids)
    mask[1, PROBE // 2 :] = 0
    try:
        with torch.inference_mode():
            for rows in (1, 2):
                inputs = {"input_ids": ids[:rows], "attention_mask": mask[:rows]}
                whole = model(**inputs).logits
                with way.first_token_only():
                    less = model(**inputs).logits
                if whole.shape != less.shape or not torch.allclose(whole, less, rtol=SAME, atol=SAME):
                    return False
    except Exception:  # noqa: BLE001  (a model that needs the other tokens can stumble anywhere)
        return False
    return True


def _cut(_module: nn.Module, _inputs: Any, found: Any) -> Any:
    return (found[0][:, :1], *found[1:]) if isinstance(found, tuple) else found[:, :1]
