"""Decomposable attention (Parikh et al. 2016): attend, compare, aggregate, and masks, so that padding is nothing.

Whatever belongs to a token alone is computed once a token: its projection a, F(a), and its two shares in the first
layer of G([a, beta]). That layer is linear and beta a mixture of tokens, so the mixing can as well be done after it.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from gmask.model.vocabulary import PAD

__all__ = ["DecomposableAttention"]


class DecomposableAttention(nn.Module):
    """The network.

    Args:
        vocabulary: How many embedding rows.
        dimensions: Of a word vector.
        hidden: Width of every feed-forward net.
        classes: How many.
        dropout: Before every layer, in training.
    """

    def __init__(self, vocabulary: int, dimensions: int, hidden: int, classes: int, dropout: float = 0.0) -> None:
        super().__init__()

        def layer(width: int, *, bias: bool = True) -> nn.Sequential:
            return nn.Sequential(nn.Dropout(dropout), nn.Linear(width, hidden, bias=bias))

        self.embedding = nn.Embedding(vocabulary, dimensions, padding_idx=PAD)
        self.project = nn.Linear(dimensions, hidden, bias=False)
        self.attend = nn.Sequential(layer(hidden), nn.ReLU(), layer(hidden), nn.ReLU())
        self.own = layer(hidden)
        self.other = layer(hidden, bias=False)
        self.compare = nn.Sequential(nn.ReLU(), layer(hidden), nn.ReLU())
        self.aggregate = nn.Sequential(layer(2 * hidden), nn.ReLU(), layer(hidden), nn.ReLU())
        self.classify = nn.Linear(hidden, classes)

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        """Logits `[m, classes]` for embedding rows `[m, tokens]` of the two sentences."""
        a, b = self.tokens(self.embedding(first)), self.tokens(self.embedding(second))
        return self.logits(a, first != PAD, b, second != PAD)

    def tokens(self, embeddings: Tensor) -> Tensor:
        """All that is computed for each token alone, `[..., 3 * hidden]`: F(a) and its shares in G, own and other."""
        a = self.project(embeddings)
        return torch.cat([self.attend(a), self.own(a), self.other(a)], dim=-1)

    def logits(self, a: Tensor, kept_a: Tensor, b: Tensor, kept_b: Tensor) -> Tensor:
        """Logits for what `tokens` returned, `[m, tokens, 3 * hidden]`, and which of them are there."""
        f_a, own_a, other_a = a.chunk(3, dim=-1)
        f_b, own_b, other_b = b.chunk(3, dim=-1)
        e = f_a @ f_b.mT
        v1 = self.compare(own_a + attention(e, kept_b) @ other_b).mul(kept_a[..., None]).sum(dim=1)
        v2 = self.compare(own_b + attention(e.mT, kept_a) @ other_a).mul(kept_b[..., None]).sum(dim=1)
        logits: Tensor = self.classify(self.aggregate(torch.cat([v1, v2], dim=-1)))
        return logits


def attention(scores: Tensor, kept: Tensor) -> Tensor:
    """Weights over the kept tokens, `[m, tokens, tokens]`; all zero where none is kept."""
    kept = kept[:, None, :]
    return scores.masked_fill(~kept, -1e9).softmax(dim=-1) * kept
