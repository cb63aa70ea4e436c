"""Reasons: word groups that are each sufficient on their own and together necessary, found exactly.

With p(S) = p(y | only S) and B(S) = -log(1 - p(y | all but S)) over the subsets S of k words, and

    A(G) = -log of the harmonic mean of p(S) over all S that hold G

choose disjoint groups G_1 ... G_t and their union U to

    minimise  mean_i A(G_i)                 each reason is sufficient, whatever else is there
            + sum_i short(G_i)              and carries the answer on its own
            + necessity * B(U)              together they are necessary
            + brevity * |U|                 few words
            + spare * sum_i idle(G_i)       no reason has a word it could do without

    short(G) = max(0, log level - log p(G)),  level = p(nothing) + 0.9 (p(everything) - p(nothing))
    idle(G) = sum_{j in G} max(0, 1 - (A(G without j) - A(G)) / margin)

A word is idle in its group to the degree that the group is as sufficient without it; without that term the best
"reason" for (A and B) or (C and D) would be {A, B, C}, which is sufficient, and necessary, and wrong. Were A(G) only
-log p(G), one word would do as the reason of a model that says yes for one or three of three words. The objective is
a sum over groups plus a function of their union, so dynamic programming over subsets finds the best assignment of all,
with no start, no step size and no local minimum:

    best_c(U) = min over G in U, holding U's first word, of cost(G) + best_{c-1}(U without G)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gmask.explanation import MEMBER
from gmask.multilinear import sizes, subsets, superset_means

__all__ = ["Reasons", "find_reasons"]

CARRIES = 0.9  # a group carries the answer if it alone is this far from nothing to everything
FLOOR = 1e-3  # probabilities are read no closer to 0 than this, so that one row cannot outweigh all others


@dataclass(frozen=True)
class Reasons:
    """The groups as subsets (bit masks), their objective, and phi, `[k, t]`: how firmly each word is in each."""

    groups: tuple[int, ...]
    objective: float
    phi: np.ndarray


def find_reasons(
    only: np.ndarray,
    without: np.ndarray,
    *,
    groups: int | None = None,
    necessity: float = 1.0,
    brevity: float = 0.03,
    spare: float = 0.3,
    margin: float = 0.1,
    temperature: float = 0.02,
) -> Reasons:
    """Find the best reasons for tables of p(y | only S) and p(y | all but S), `[2^k]` each.

    Args:
        only: The probability with only the words of each subset.
        without: The probability with all words but those of each subset.
        groups: At most this many reasons. Default: as many as there are.
        necessity: The weight of B.
        brevity: The price of a word.
        spare: The price of a word its group could do without.
        margin: How much, in log probability, a word must add to its group to be no such word.
        temperature: phi is the Gibbs distribution of a word's place, the others staying, at this temperature.
    """
    k = int(np.log2(len(only)))
    sufficient = np.log(superset_means(1 / np.maximum(only, FLOOR)))
    shared = -necessity * np.log(np.maximum(1 - without, FLOOR)) + brevity * sizes(k)
    level = only[0] + CARRIES * (without[0] - only[0])
    own = spare * _idle(sufficient, margin) + np.log(np.maximum(1, level / np.maximum(only, FLOOR)))
    best_objective, best_cost = np.inf, sufficient
    best_groups: tuple[int, ...] = ()
    for count in range(1, min(groups or k, k) + 1):
        cost = sufficient / count + own
        total, parts = _partition(cost, count)
        total = total + shared
        union = int(total.argmin())
        if total[union] < best_objective - 1e-9:
            best_objective, best_groups, best_cost = float(total[union]), parts(union), cost
    return Reasons(best_groups, best_objective, _places(best_groups, best_cost, shared, temperature))


def _idle(sufficient: np.ndarray, margin: float) -> np.ndarray:
    """For every subset, how many of its words it could do without."""
    k = int(np.log2(len(sufficient)))
    members, every = subsets(k), np.arange(2**k)
    lost = np.stack([sufficient[every & ~(1 << j)] - sufficient for j in range(k)], axis=1)
    return (np.clip(1 - lost / margin, 0, 1) * members).sum(axis=1)


def _partition(cost: np.ndarray, count: int) -> tuple[np.ndarray, Callable[[int], tuple[int, ...]]]:
    """For every union of words, the cheapest way to cut it into `count` groups, and a function that tells them."""
    k = int(np.log2(len(cost)))
    unions, group, starts = _splits(k)
    layers, choices = [cost.copy()], []
    layers[0][0] = np.inf
    for _ in range(count - 1):
        candidates = cost[group] + layers[-1][unions ^ group]
        layer = np.full_like(cost, np.inf)
        layer[1:] = np.minimum.reduceat(candidates, starts)
        layers.append(layer)
        choices.append(candidates)

    def parts(union: int) -> tuple[int, ...]:
        found = []
        for candidates in reversed(choices):
            low = starts[union - 1]
            high = starts[union] if union < len(starts) else len(unions)
            chosen = int(group[low + candidates[low:high].argmin()])
            found.append(chosen)
            union ^= chosen
        return (*found, union)

    return layers[-1], parts


@lru_cache(maxsize=8)
def _splits(k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every union with each of its subsets that holds the union's lowest word; where each union's run starts."""
    unions: list[int] = []
    groups: list[int] = []
    starts: list[int] = []
    for union in range(1, 2**k):
        low = union & -union
        rest = union ^ low
        starts.append(len(unions))
        subset = rest
        while True:
            unions.append(union)
            groups.append(subset | low)
            if subset == 0:
                break
            subset = (subset - 1) & rest
    return np.array(unions), np.array(groups), np.array(starts)


def _places(groups: tuple[int, ...], cost: np.ndarray, shared: np.ndarray, temperature: float) -> np.ndarray:
    """phi_j(i), `[k, t]`: softmax of the objective over the places of word j (each group, or none), others staying.

    Where many places are about as good, its own may get less than a member must have; it is given that much.
    """
    k = int(np.log2(len(cost)))
    phi = np.zeros((k, len(groups)))
    for j in range(k):
        bare = [g & ~(1 << j) for g in groups]
        places = [[g | (1 << j) if i == place else g for i, g in enumerate(bare)] for place in range(len(groups) + 1)]
        objectives = np.array([cost[own].sum() + shared[np.bitwise_or.reduce(own)] for own in places])
        weights = np.exp(-(objectives - objectives.min()) / temperature)
        phi[j] = (weights / weights.sum())[:-1]
        for own in (i for i, g in enumerate(groups) if g >> j & 1 and phi[j, i] < MEMBER):
            phi[j] *= (1 - MEMBER) / (1 - phi[j, own])
            phi[j, own] = MEMBER
    return phi
