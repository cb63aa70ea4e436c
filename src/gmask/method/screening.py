"""Which words may matter: the first, cheap look at a pair that chooses the candidates of GMASK."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from gmask.method.base import Task

__all__ = ["screen"]

Rows = np.ndarray


def screen(task: Task, rows: int, *, singles: bool = True) -> Generator[Rows, np.ndarray, np.ndarray]:
    """Score every word: what it does alone, what its absence does, and what it does among random others.

    Single removals and single words are cheap and sharp but blind to redundancy: under (A and B) or (C and D) neither
    changes anything. Rows with random words missing, and a ridge regression on them, see that.

    Args:
        task: What is explained.
        rows: How many random rows.
        singles: Whether to look at single words, 2n rows.

    Returns:
        A score a word, `[n]`, in probability: higher matters more.
    """
    n = task.n
    eye = np.eye(n, dtype=bool)
    random = task.random()
    noisy = random.random((rows, n)) < random.uniform(0.2, 1.0, size=(rows, 1))
    ones = [~eye, eye] if singles else []
    values = yield np.concatenate([np.ones((1, n), bool), np.zeros((1, n), bool), *ones, noisy])
    score = np.zeros(n)
    if singles:
        score += (values[0] - values[2 : 2 + n] + values[2 + n : 2 + 2 * n] - values[1]) / 2
    if rows:
        score += _ridge(noisy, values[-rows:])
    return score


def _ridge(kept: np.ndarray, values: np.ndarray, penalty: float = 1.0) -> np.ndarray:
    x = kept - kept.mean(axis=0)
    return np.linalg.solve(x.T @ x + penalty * np.eye(x.shape[1]), x.T @ (values - values.mean()))
