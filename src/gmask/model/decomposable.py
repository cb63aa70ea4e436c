"""Decomposable attention (Parikh et al. 2016): attend, compare, aggregate, and masks, so that padding is nothing."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from gmask.model.vocabulary import PAD

__all__ = ["DecomposableAttention"]


def _feed_forward(width: int, hidden: int, dropout: float) -> nn.Sequential:
    layers: list[nn.Module] = []
    for size in (width, hidden):
        layers += [nn.Dropout(dropout), nn.Linear(size, hidden), nn.ReLU()]
    return nn.Sequential(*layers)


class DecomposableAttention(nn.Module):
    """The network; its parts are named as in the paper.

    Args:
        vocabulary: How many embedding rows.
        dimensions: Of a word vector.
        hidden: Width of every feed-forward net.
        classes: How many.
        dropout: Before every layer, in training.
    """

    def __init__(self, vocabulary: int, dimensions: int, hidden: int, classes: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, dimensions, padding_idx=PAD)
        self.project = nn.Linear(dimensions, hidden, bias=False)
        self.attend = _feed_forward(hidden, hidden, dropout)
        self.compare = _feed_forward(2 * hidden, hidden, dropout)
        self.aggregate = _feed_forward(2 * hidden, hidden, dropout)
        self.classify = nn.Linear(hidden, classes)

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        """Logits `[m, classes]` for embedding rows `[m, tokens]` of the two sentences."""
        return self.logits(self.embedding(first), first != PAD, self.embedding(second), second != PAD)

    def scores(self, a: Tensor, b: Tensor) -> Tensor:
        """How well each projected token of one sentence goes with each of the other, `[m, tokens, tokens]`."""
        scores: Tensor = self.attend(a) @ self.attend(b).mT
        return scores

    def logits(self, first: Tensor, kept_first: Tensor, second: Tensor, kept_second: Tensor) -> Tensor:
        """Logits for embeddings `[m, tokens, dimensions]` and which of them are there, bool `[m, tokens]`."""
        a, b = self.project(first), self.project(second)
        e = self.scores(a, b)
        beta = _weights(e, kept_second) @ b
        alpha = _weights(e.mT, kept_first) @ a
        v1 = self.compare(torch.cat([a, beta], dim=-1)).mul(kept_first[..., None]).sum(dim=1)
        v2 = self.compare(torch.cat([b, alpha], dim=-1)).mul(kept_second[..., None]).sum(dim=1)
        logits: Tensor = self.classify(self.aggregate(torch.cat([v1, v2], dim=-1)))
        return logits


def _weights(scores: Tensor, kept: Tensor) -> Tensor:
    """Attention over the kept tokens; all zero where none is kept."""
    kept = kept[:, None, :]
    return scores.masked_fill(~kept, -1e9).softmax(dim=-1) * kept
