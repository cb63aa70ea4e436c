"""Functions of word subsets as tables, and their multilinear extension: the exact expectation over random subsets."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

__all__ = [
    "EXACT",
    "best_order",
    "complete",
    "extension",
    "shapley",
    "shapley_interactions",
    "sizes",
    "subsets",
    "superset_means",
]

EXACT = 10  # a table over this many words is asked for whole; beyond, it is sampled and completed


@lru_cache(maxsize=16)
def subsets(k: int) -> np.ndarray:
    """All subsets of k words, bool `[2^k, k]`: word j is in subset S if bit j of S is set."""
    return (np.arange(2**k)[:, None] >> np.arange(k) & 1).astype(bool)


@lru_cache(maxsize=16)
def sizes(k: int) -> np.ndarray:
    """The number of words in each subset."""
    return subsets(k).sum(axis=1)


def extension(table: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The expectation of a table over subsets that hold word j with probability p_j, and its gradient.

        F(p) = sum_S prod_{j in S} p_j prod_{j not in S} (1 - p_j) table(S)

    Args:
        table: `[2^k]`.
        p: `[..., k]`.

    Returns:
        F, `[...]`, and dF/dp, `[..., k]`.
    """
    k = p.shape[-1]
    flat = p.reshape(-1, k)
    value = np.broadcast_to(table, (len(flat), 2**k))
    rises = []
    for j in reversed(range(k)):  # contract the word of the highest bit
        low, high = np.split(value, 2, axis=1)
        rises.append(high - low)
        value = low + flat[:, j, None] * rises[-1]
    gradient = np.empty_like(flat)
    weight = np.ones((len(flat), 1))
    for j in range(k):
        rise = rises.pop()
        gradient[:, j] = (weight * rise).sum(axis=1)
        high = weight * flat[:, j, None]
        weight = np.concatenate([weight - high, high], axis=1)
    return value[:, 0].reshape(p.shape[:-1]), gradient.reshape(p.shape)


def superset_means(table: np.ndarray) -> np.ndarray:
    """For every subset, the mean of a table over all sets that hold it: its extension at p = 1 in it, 1/2 elsewhere."""
    means = table.astype(float)
    for j in range(int(np.log2(len(table)))):
        halves = means.reshape(-1, 2, 2**j)  # without and with word j; a view
        halves[:, 0] = halves.mean(axis=1)
    return means


def shapley(table: np.ndarray) -> np.ndarray:
    """The exact Shapley values of a table, `[k]`: the integral of its extension's gradient along the diagonal."""
    k = int(np.log2(len(table)))
    nodes, weights = np.polynomial.legendre.leggauss(k // 2 + 1)  # exact for polynomials of degree k - 1
    _, gradient = extension(table, np.repeat((nodes[:, None] + 1) / 2, k, axis=1))
    return (weights[:, None] / 2 * gradient).sum(axis=0)


def shapley_interactions(table: np.ndarray) -> np.ndarray:
    """The exact Shapley interactions of each two words of a table, `[k, k]`, 0 on the diagonal.

    The second differences of the table, averaged as the values of the words are: over the extension's diagonal.
    """
    k = int(np.log2(len(table)))
    found = np.zeros((k, k))
    every = np.arange(2**k)
    nodes, weights = np.polynomial.legendre.leggauss(k // 2 + 1)
    diagonal = np.repeat((nodes[:, None] + 1) / 2, max(k - 2, 0), axis=1)
    for i in range(k):
        for j in range(i + 1, k):
            rest = every[(every >> i & 1 == 0) & (every >> j & 1 == 0)]
            both, one, other = rest | 1 << i | 1 << j, rest | 1 << i, rest | 1 << j
            differences = table[both] - table[one] - table[other] + table[rest]
            value = extension(differences, diagonal)[0] if k > 2 else differences
            found[i, j] = found[j, i] = float((weights / 2 * value).sum())
    return found


def complete(k: int, known: np.ndarray, values: np.ndarray) -> np.ndarray:
    """A whole table from some of its entries: the others from a ridge regression on words and pairs of words.

    Args:
        k: How many words.
        known: The subsets asked about, as indices.
        values: Their values.
    """
    features = _pair_features(k)
    sample = features[known]
    mean = values.mean()
    weights = np.linalg.solve(sample.T @ sample + np.eye(sample.shape[1]), sample.T @ (values - mean))
    low, high = values.min(), values.max()
    table = np.clip(features @ weights + mean, low, high)
    table[known] = values
    return table


@lru_cache(maxsize=4)
def _pair_features(k: int) -> np.ndarray:
    signs = 2.0 * subsets(k) - 1
    first, second = np.triu_indices(k, 1)
    return np.concatenate([signs, signs[:, first] * signs[:, second]], axis=1)


def best_order(gain: np.ndarray) -> list[int]:
    """The order of the k words whose prefixes have the greatest sum of `gain`, by dynamic programming."""
    k = int(np.log2(len(gain)))
    best = np.zeros(2**k)
    last = np.zeros(2**k, dtype=int)
    members, every = subsets(k), np.arange(2**k)
    for size in range(1, k + 1):
        layer = every[sizes(k) == size]
        before = np.where(members[layer], best[layer[:, None] & ~(1 << np.arange(k))], -np.inf)
        last[layer] = before.argmax(axis=1)
        best[layer] = gain[layer] + before.max(axis=1)
    order, subset = [], 2**k - 1
    while subset:
        order.append(int(last[subset]))
        subset ^= 1 << order[-1]
    return order[::-1]
