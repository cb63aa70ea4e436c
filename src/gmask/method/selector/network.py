"""L2X (Chen et al., ICML 2018): a network that selects words, trained together with one that must do with them.

    maximise over (selector, q)   E[ log q(Y | X * V) ],   V = max over i = 1..k of C_i,   C_i ~ Concrete(selector(X))

a lower bound of the mutual information between k selected words and what the model says. V is the relaxed k-subset: the
element-wise maximum of k draws from a Gumbel-softmax distribution over the words.

Left to themselves, the two agree on signs that mean nothing to the model. So q learns from random subsets what the
model says of the whole pair (as in REAL-X, Jethani et al., AISTATS 2021), and the selector alone from its own: today's
`l2x` is the selector of L2X with the reader of REAL-X. With `joint`, both learn from what is selected, as published,
and may agree on signs. One thing is not as published even then: a word that is not selected weighs exactly 0, the
slope going straight through, since a q that compares two sentences can read a word of weight 0.001 as well as any.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional as F

from gmask.pair import Word

__all__ = ["L2X", "Selector", "Shape", "collate", "encode", "with_subset"]


@dataclass(frozen=True)
class Shape:
    """The size of the networks and of the subset."""

    k: int = 5
    buckets: int = 8192
    width: int = 48
    temperature: float = 0.5


def encode(words: Sequence[Word], buckets: int) -> np.ndarray:
    """Words as numbers, int `[n, 4]`: two hashes of its lower-case text, its sentence, whether the other has it too.

    Hashes take the place of a vocabulary, so any model's words and any language will do; two of them, so that two words
    rarely share both. 0 is padding.
    """
    texts = [w.text.casefold() for w in words]
    own = [{t for t, w in zip(texts, words, strict=True) if w.sentence == s} for s in (0, 1)]
    rows = [
        (
            1 + zlib.crc32(t.encode()) % (buckets - 1),
            1 + zlib.crc32(b"2" + t.encode()) % (buckets - 1),
            w.sentence,
            t in own[1 - w.sentence],
        )
        for t, w in zip(texts, words, strict=True)
    ]
    return np.array(rows, dtype=np.int64)


def with_subset(record: np.ndarray, kept: np.ndarray | None) -> np.ndarray:
    """An encoded pair for training, `[n, 5]`: with a given subset (0 or 1 a word), or with one to be selected (-1)."""
    column = np.full(len(record), -1) if kept is None else kept
    return np.column_stack([record, column.astype(np.int64)])


def collate(records: Sequence[np.ndarray]) -> dict[str, Tensor]:
    """Encoded pairs as one tensor, padded."""
    longest = max(len(r) for r in records)
    return {"words": torch.from_numpy(np.stack([np.pad(r, ((0, longest - len(r)), (0, 0))) for r in records]))}


class _Words(nn.Module):
    """Vectors of encoded words, `[m, n, width]`."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.embedding = nn.Embedding(shape.buckets, shape.width, padding_idx=0)
        self.sentence = nn.Embedding(2, shape.width)

    def forward(self, words: Tensor) -> Tensor:
        x: Tensor = self.embedding(words[..., :2]).sum(dim=-2) + self.sentence(words[..., 2])
        return x


def _counterpart(x: Tensor, words: Tensor, there: Tensor) -> Tensor:
    """For each word, the words of the other sentence that are like it, mixed; `there` weighs them."""
    other = (words[:, :, None, 2] != words[:, None, :, 2]).to(x)
    likeness = x @ x.mT / math.sqrt(x.shape[-1])
    weights = likeness.softmax(dim=-1) * other * there[:, None, :]
    return (weights / (weights.sum(dim=-1, keepdim=True) + 1e-6)) @ x


class Selector(nn.Module):
    """Gives each word a log-probability of being selected: from it, its neighbours, its counterparts, the pair."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.words = _Words(shape)
        self.shared = nn.Embedding(2, shape.width)
        self.neighbours = nn.Conv1d(shape.width, shape.width, 3, padding=1)
        self.score = nn.Sequential(nn.Linear(5 * shape.width, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, words: Tensor) -> Tensor:
        """Log-probabilities `[m, n]` for encoded words `[m, n, 4]`; those of padding are next to none."""
        there = words[..., 0] != 0
        x = (self.words(words) + self.shared(words[..., 3])) * there[..., None]
        counterpart = _counterpart(x, words, there.to(x))
        near = self.neighbours(x.mT).mT.relu()
        whole = near.masked_fill(~there[..., None], 0).amax(dim=1, keepdim=True).expand_as(x)
        scores: Tensor = self.score(torch.cat([x, counterpart, x * counterpart, near, whole], dim=-1)).squeeze(-1)
        return scores.masked_fill(~there, -1e9).log_softmax(dim=-1)


class _Approximator(nn.Module):
    """q(Y | X * V): what the model says, from the selected words alone."""

    def __init__(self, shape: Shape, classes: int) -> None:
        super().__init__()
        self.words = _Words(shape)
        self.compare = nn.Sequential(nn.Linear(3 * shape.width, 64), nn.ReLU())
        self.classify = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, classes))

    def forward(self, words: Tensor, selected: Tensor) -> Tensor:
        x = self.words(words) * selected[..., None]
        counterpart = _counterpart(x, words, selected)
        compared = self.compare(torch.cat([x, counterpart, x * counterpart], dim=-1)) * selected[..., None]
        sums = [(compared * (words[..., 2, None] == s)).sum(dim=1) for s in (0, 1)]
        logits: Tensor = self.classify(torch.cat(sums, dim=-1))
        return logits


class L2X(nn.Module):
    """Selector and approximator together: words with a subset in, logits of what the model says out.

    Args:
        shape: Of the networks.
        classes: How many things the model may say.
        joint: Whether the approximator learns from what the selector selects, as published.
    """

    def __init__(self, shape: Shape, classes: int, *, joint: bool = False) -> None:
        super().__init__()
        self.shape, self.joint = shape, joint
        self.selector = Selector(shape)
        self.approximator = _Approximator(shape, classes)

    def forward(self, words: Tensor) -> Tensor:
        """Logits `[m, classes]` for encoded words `[m, n, 5]` (see `with_subset`).

        In training a relaxed random subset is selected, else the k most probable words.
        """
        words, given = words[..., :4], words[..., 4]
        scores = self.selector(words)
        there = words[..., 0] != 0
        own = self._draw(scores) if self.training else self._top(scores)
        if self.joint:
            logits: Tensor = self.approximator(words, own * there)
            return logits
        fixed = {name: weights.detach() for name, weights in self.approximator.named_parameters()}
        of_own: Tensor = functional_call(self.approximator, fixed, (words, own * there))
        of_given: Tensor = self.approximator(words, given.clamp(min=0) * there.to(scores))
        return torch.where(given[:, :1] < 0, of_own, of_given)

    def _draw(self, scores: Tensor) -> Tensor:
        draws = scores.unsqueeze(1).expand(-1, self.shape.k, -1)
        return F.gumbel_softmax(draws, tau=self.shape.temperature, hard=self.joint, dim=-1).amax(dim=1)

    def _top(self, scores: Tensor) -> Tensor:
        chosen = scores.topk(min(self.shape.k, scores.shape[1]), dim=-1).indices
        return torch.zeros_like(scores).scatter(1, chosen, 1.0)
