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
        dropout: Of the projected words, within G, and around H, in training.
    """

    def __init__(self, vocabulary: int, dimensions: int, hidden: int, classes: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, dimensions, padding_idx=PAD)
        self.project = nn.Linear(dimensions, hidden, bias=False)
        self.attend = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.own = nn.Linear(hidden, hidden)
        self.other = nn.Linear(hidden, hidden, bias=False)
        self.compare = nn.Sequential(nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, hidden), nn.ReLU())
        self.aggregate = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.classify = nn.Linear(hidden, classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        """Logits `[m, classes]` for embedding rows `[m, tokens]` of the two sentences."""
        return self.logits(self.lookup(first), first != PAD, self.lookup(second), second != PAD)

    def lookup(self, rows: Tensor) -> Tensor:
        """What `tokens` says of embedding rows, computed once for each different row."""
        different, place = rows.unique(return_inverse=True)
        return self.tokens(self.embedding(different))[place]

    def tokens(self, embeddings: Tensor) -> Tensor:
        """All that is computed for each token alone, `[..., 3 * hidden]`: F(a) and its shares in G, own and other."""
        a = self.dropout(self.project(embeddings))
        return torch.cat([self.attend(a), self.own(a), self.other(a)], dim=-1)

    def logits(self, a: Tensor, kept_a: Tensor, b: Tensor, kept_b: Tensor) -> Tensor:
        """Logits for what `tokens` returned, `[m, tokens, 3 * hidden]`, and which of them are there."""
        f_a, own_a, other_a = a.chunk(3, dim=-1)
        f_b, own_b, other_b = b.chunk(3, dim=-1)
        e = f_a @ f_b.mT
        v1 = self.compare(own_a + attention(e, kept_b) @ other_b).mul(kept_a[..., None]).sum(dim=1)
        v2 = self.compare(own_b + attention(e.mT, kept_a) @ other_a).mul(kept_b[..., None]).sum(dim=1)
        logits: Tensor = self.classify(self.dropout(self.aggregate(self.dropout(torch.cat([v1, v2], dim=-1)))))
        return logits


def attention(scores: Tensor, kept: Tensor) -> Tensor:
    """Weights over the kept tokens, `[m, tokens, tokens]`; all zero where none is kept."""
    kept = kept[:, None, :]
    return scores.masked_fill(~kept, -1e9).softmax(dim=-1) * kept
