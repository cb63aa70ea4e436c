"""Whom an encoder of texts belongs to: how it reads a text as either side, makes vectors of it, and compares two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from gmask.errors import GmaskError, one_of
from gmask.model.likeness import find_likeness
from gmask.model.owner import Owner
from gmask.pair import Span

__all__ = ["POOLINGS", "Embedder", "PooledEmbedder", "Tokens"]

Features = dict[str, Tensor]


@dataclass(frozen=True)
class Tokens:
    """The tokens of a text as a model takes them, and for each the characters it stands for, None for special ones."""

    inputs: dict[str, np.ndarray]
    offsets: Sequence[Span | None]


class Embedder(Owner):
    """A model that makes vectors of a text.

    Args:
        model: A Hugging Face model.
        tokenizer: Its tokenizer.
        prompts: What stands before the first text, and before the second.
        similarity: How alike it finds two texts.
    """

    def __init__(self, model: Any, tokenizer: Any, prompts: tuple[str, str], similarity: str) -> None:
        super().__init__(model, tokenizer)
        self.prompts = prompts
        self.similarity = similarity

    @property
    def alike(self) -> bool:
        """Whether it reads the second text as it reads the first."""
        return self.prompts[0] == self.prompts[1]

    @property
    def about(self) -> dict[str, Any]:
        """What it does with texts and vectors, as plain data."""
        prompts = list(self.prompts) if any(self.prompts) else None
        return {"similarity": self.similarity, "prompts": prompts}

    def tokens(self, text: str, side: int, limit: int | None) -> Tokens:
        """The tokens of a text as it reads one side, at most so many."""
        prompt = self.prompts[side]
        truncation = {} if limit is None else {"truncation": True, "max_length": limit}
        encoding = self.tokenizer(prompt + text, return_offsets_mapping=True, verbose=False, **truncation)
        offsets = [
            None if place is None or (start < len(prompt) and end <= len(prompt)) else (start, end)
            for place, (start, end) in zip(encoding.sequence_ids(), encoding["offset_mapping"], strict=True)
        ]
        inputs = {name: np.array(encoding[name], np.int64) for name in encoding if name != "offset_mapping"}
        return Tokens(inputs, [o and (max(o[0] - len(prompt), 0), o[1] - len(prompt)) for o in offsets])

    def vectors(self, features: Features, side: int) -> Tensor:
        """A vector `[rows, d]`, or several `[rows, t, d]`, zero where one has no say, of vectors of tokens."""
        raise NotImplementedError


def _mean(hidden: Tensor, mask: Tensor) -> Tensor:
    weights = mask.unsqueeze(-1).to(hidden)
    return (hidden * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1e-9)


def _first(hidden: Tensor, mask: Tensor) -> Tensor:
    return hidden[torch.arange(len(hidden), device=hidden.device), mask.int().argmax(dim=1)]


def _last(hidden: Tensor, mask: Tensor) -> Tensor:
    places = mask.shape[1] - 1 - mask.int().flip(1).argmax(dim=1)
    return hidden[torch.arange(len(hidden), device=hidden.device), places]


POOLINGS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {"mean": _mean, "cls": _first, "last": _last}


class PooledEmbedder(Embedder):
    """`(model, tokenizer)` and a pooling.

    Args:
        model: A Hugging Face model that gives vectors of tokens.
        tokenizer: Its tokenizer.
        pooling: `mean` of all tokens, `cls` (the first), or `last`.
        similarity: `cosine`, `dot`, `euclidean` or `manhattan`.
        normalize: Whether vectors are made one long.
        prompts: Texts before the first text and before the second. Default: none.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        pooling: str,
        similarity: str = "cosine",
        normalize: bool = False,
        prompts: tuple[str, str] | None = None,
    ) -> None:
        if pooling not in POOLINGS:
            raise one_of("pooling", pooling, POOLINGS)
        single = ("cosine", "dot", "euclidean", "manhattan")
        if similarity not in single:
            raise one_of("similarity", similarity, single)
        super().__init__(model, tokenizer, check_prompts(prompts), similarity)
        self.pooling, self.normalize = pooling, normalize

    @property
    def about(self) -> dict[str, Any]:
        """With its pooling."""
        return {**super().about, "pooling": self.pooling, "normalize": self.normalize or None}

    @property
    def ways(self) -> list[str]:
        """Its pooling."""
        return [f"its pooling {self.pooling!r}"]

    def vectors(self, features: Features, side: int) -> Tensor:  # noqa: ARG002
        """One vector a row."""
        found = POOLINGS[self.pooling](features["token_embeddings"], features["attention_mask"])
        return F.normalize(found, dim=-1) if self.normalize else found

    @torch.inference_mode()
    def prediction(self, first: str, second: str, limit: int | None) -> Tensor | None:
        """By calling the tokenizer and the model on each text."""
        found = []
        for side, text in enumerate((first, second)):
            truncation = {} if limit is None else {"truncation": True, "max_length": limit}
            inputs = self.tokenizer(self.prompts[side] + text, return_tensors="pt", verbose=False, **truncation)
            taken = {name: values.to(self.model.device) for name, values in inputs.items() if name in self._arguments}
            hidden = getattr(self.model(**taken), "last_hidden_state", None)
            if hidden is None:
                raise GmaskError(f"{type(self.model).__name__} is no encoder: it gives no vectors of tokens")
            found.append(self.vectors({**inputs.to(self.model.device), "token_embeddings": hidden}, side).double())
        return find_likeness(self.similarity)(*found)


def check_prompts(prompts: Any) -> tuple[str, str]:
    """The texts before either side, if they are two."""
    if prompts is None:
        return "", ""
    if isinstance(prompts, str) or len(prompts) != 2 or not all(isinstance(p, (str, type(None))) for p in prompts):
        raise GmaskError(f"prompts must be two, for the first text and for the second, not {prompts!r}")
    return prompts[0] or "", prompts[1] or ""
