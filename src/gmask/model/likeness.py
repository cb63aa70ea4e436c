"""How alike two encodings are: of two vectors, or of two texts with a vector a token (late interaction).

A vector that has no say, as that of padding, is all zero.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from gmask.errors import one_of

__all__ = ["Likeness", "cosine", "dot", "euclidean", "find_likeness", "manhattan", "maxsim", "mean_maxsim"]

Likeness = Callable[[Tensor, Tensor], Tensor]  # encodings of the first texts and of the second -> a score each, [m]


def cosine(first: Tensor, second: Tensor) -> Tensor:
    """The cosine of the angle between vectors `[m, d]`."""
    return dot(F.normalize(first, dim=-1), F.normalize(second, dim=-1))


def dot(first: Tensor, second: Tensor) -> Tensor:
    """The dot product of vectors."""
    return (first * second).sum(dim=-1)


def euclidean(first: Tensor, second: Tensor) -> Tensor:
    """The distance of vectors, negative, so that more is more alike."""
    return -(first - second).norm(dim=-1)


def manhattan(first: Tensor, second: Tensor) -> Tensor:
    """The sum of differences, negative."""
    return -(first - second).abs().sum(dim=-1)


def maxsim(first: Tensor, second: Tensor) -> Tensor:
    """For each vector of the first text `[m, t, d]` its best dot product with one of the second; their sum."""
    best = (first @ second.mT).masked_fill(~_there(second)[:, None], -torch.inf).amax(dim=2)
    return torch.where(_there(first) & best.isfinite(), best, 0).sum(dim=1)


def mean_maxsim(first: Tensor, second: Tensor) -> Tensor:
    """The same, divided by the number of vectors of the first text."""
    return maxsim(first, second) / _there(first).sum(dim=1).clamp(min=1)


LIKENESSES: dict[str, Likeness] = {
    "cosine": cosine,
    "dot": dot,
    "euclidean": euclidean,
    "manhattan": manhattan,
    "maxsim": maxsim,
    "meanmaxsim": mean_maxsim,
}


def find_likeness(name: str) -> Likeness:
    """A likeness by name, as sentence-transformers names them."""
    if name not in LIKENESSES:
        raise one_of("similarity", name, LIKENESSES)
    return LIKENESSES[name]


def _there(vectors: Tensor) -> Tensor:
    return (vectors != 0).any(dim=-1)
