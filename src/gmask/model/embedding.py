"""Word embeddings of any family, scaled or replaced while a model runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from gmask.errors import GmaskError

__all__ = ["embedding_modules", "substituted"]


def embedding_modules(model: Any) -> list[nn.Module]:
    """The modules that look up word embeddings: one, or an encoder's and a decoder's."""
    if not model.config.is_encoder_decoder:
        return [_table(model)]
    stacks = (model.base_model.get_encoder(), model.base_model.get_decoder())
    return [stack.get_input_embeddings() for stack in stacks]


def _table(model: Any) -> nn.Module:
    """The word embeddings of a model; of one that does not say which they are, the largest table."""
    try:
        return model.get_input_embeddings()  # type: ignore[no-any-return]
    except NotImplementedError:
        tables = [module for module in model.modules() if isinstance(module, nn.Embedding)]
        if not tables:
            raise GmaskError(f"{type(model).__name__} has no word embeddings that can be found") from None
        return max(tables, key=lambda table: table.num_embeddings)


@contextmanager
def substituted(
    modules: list[nn.Module],
    *,
    weights: torch.Tensor | None = None,
    embeddings: torch.Tensor | None = None,
    source: torch.Tensor | None = None,
    tokens_first: bool = False,
) -> Iterator[None]:
    """While the block runs, other word embeddings reach the model.

    Args:
        modules: What `embedding_modules` found.
        weights: Factors of the word embeddings, `[rows, tokens]`.
        embeddings: Instead of the word embeddings, `[rows, tokens, dimensions]`.
        source: For an encoder-decoder, the token that stands at each place of the decoder's input, -1 for its start.
        tokens_first: Whether the model looks up embeddings as `[tokens, rows]`.
    """
    calls = 0

    def hook(_module: nn.Module, _inputs: Any, found: torch.Tensor) -> torch.Tensor:
        nonlocal calls
        calls += 1
        if calls > 1 and source is None:
            return found  # a decoder that reads none of the words
        found = found.transpose(0, 1) if tokens_first else found
        places = None if calls == 1 else source  # the encoder looks up first, the decoder second
        if embeddings is not None:
            found = embeddings.to(found) if places is None else _moved(embeddings.to(found), places, found)
        if weights is not None:
            factors = weights.to(found).unsqueeze(-1)
            found = found * (factors if places is None else _moved(factors, places, torch.ones_like(factors)))
        return found.transpose(0, 1) if tokens_first else found

    changed = {} if weights is None and embeddings is None else {id(m): m for m in modules}
    handles = [module.register_forward_hook(hook) for module in changed.values()]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _moved(values: torch.Tensor, places: torch.Tensor, start: torch.Tensor) -> torch.Tensor:
    """Values a token `[rows, tokens, d]`, moved to where the decoder reads the token; `start` where it reads none."""
    index = places.unsqueeze(-1)
    return torch.where(index < 0, start, values.gather(1, index.clamp(min=0).expand_as(values)))
