"""Attention rollout (Abnar and Zuidema, ACL 2020): how much of each word reaches the place the prediction is read from.

    R = A_L' ... A_2' A_1',   A_l' = (mean over heads of A_l + I) / 2

It needs no target and no removals, and knows neither what a word is needed for nor whether it speaks for or against.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.method.base import Answer, Method, Questions, Task, option

__all__ = ["AttentionRollout"]


@dataclass(frozen=True)
class AttentionRollout(Method):
    """A word's attribution is the share of its tokens in what the prediction is read from."""

    name: ClassVar[str] = "attention-rollout"
    summary: ClassVar[str] = "how much of each word the layers' attention carries to where the prediction is read"
    needs_gradient: ClassVar[bool] = True  # it looks into the model, as gradients do

    read: str = option(
        "auto", "the token the prediction is read from, or the mean of all", choices=("auto", "first", "last", "mean")
    )

    def explain(self, task: Task) -> Questions:
        """Multiply the layers' attention."""
        yield from ()  # nothing to ask
        weights = task.bound.attentions().double().cpu().numpy().mean(axis=1)
        weights = (weights + np.eye(weights.shape[-1])) / 2
        weights /= weights.sum(axis=-1, keepdims=True)
        rollout = np.eye(weights.shape[-1])
        for layer in weights:
            rollout = layer @ rollout
        owners = task.bound.token_words()
        read = _read_from(owners, weights) if self.read == "auto" else self.read
        share = {"first": rollout[0], "last": rollout[-1], "mean": rollout.mean(axis=0)}[read]
        return Answer(np.bincount(owners[owners >= 0], share[owners >= 0], minlength=task.n), details={"read": read})


def _read_from(owners: np.ndarray, weights: np.ndarray) -> str:
    """Where a model with such tokens and such attention reads its prediction from."""
    if not np.triu(weights, 1).any():
        return "last"  # each token sees only those before it
    if (owners >= 0).all():
        return "mean"  # no special token that could gather the others
    return "first" if owners[0] < 0 else "last"
