"""What answered rows show of each word before a method is done: the same for every method."""

from __future__ import annotations

import numpy as np

from gmask.method.screening import firmness

__all__ = ["estimate"]

PENALTY = 1.0  # of the ridge regression, as of the first look at a pair


def estimate(rows: np.ndarray, values: np.ndarray, whole: float) -> np.ndarray:
    """A number a word, `[n]`: what its absence alone does, and what it adds among the other rows by ridge regression.

    Args:
        rows: Which words were there, bool `[m, n]`.
        values: The target's value of each row.
        whole: That of all words.
    """
    n = rows.shape[1]
    gone = n - rows.sum(axis=1)
    single, others = gone == 1, (gone > 1) & (gone < n)
    near, counts = np.zeros(n), np.zeros(n)
    np.add.at(near, (~rows[single]).argmax(axis=1), firmness(np.array([whole])) - firmness(values[single]))
    np.add.at(counts, (~rows[single]).argmax(axis=1), 1)
    near /= np.maximum(counts, 1)
    if not others.any():
        return near
    x, y = rows[others].astype(float), (values[others] + firmness(values[others])) / 2
    x, y = x - x.mean(axis=0), y - y.mean()
    # As X' (X X' + penalty)^-1 y, whose system has a row a row and not a word: there may be thousands of words.
    weights: np.ndarray = x.T @ np.linalg.solve(x @ x.T + PENALTY * np.eye(len(x)), y)
    return near / 2 + weights
