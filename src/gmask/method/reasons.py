"""Reasons: word groups that are each sufficient on their own and together necessary, found exactly.

With p(S) = p(y | only S) and B(S) = -log(1 - p(y | all but S)) over the subsets S of k words, and

    A(G) = -log of the harmonic mean of p(S) over all S that hold G

choose disjoint groups G_1 ... G_t and their union U to

    minimise  mean_i A(G_i)                 each reason is sufficient, in whatever company
            + sum_i short(G_i)              and carries the answer on its own
            + necessity * B(U)              together they are necessary
            + brevity * |U|                 few words
            + missing * sum_{j not in U} near_j     a word that the whole pair needs is in a reason
            + spare * sum_i idle(G_i)       no reason has a word it could do without
            + strange * sum_i strangers(G_i)        nor one that has nothing to do with the others
            + sum_i cut(G_i)                partners stay together

    short(G) = max(0, log level - log p(G)),  level = p(nothing) + 0.9 (p(everything) - p(nothing))
    idle(G) = sum_{j in G, without a partner in G} max(0, 1 - (A(G without j) - A(G)) / margin)
    strangers(G) = sum_{j in G} max(0, 1 - r_j(G) / tie),   r_j(G) = the strongest tie of j to another word of G
    cut(G) = sum_{j in G, i not in G} partners(i, j)

near_j is how much the firmness of the answer falls when j alone goes. For an answer that rests on what matches, B is of
another table: of the higher p when S goes from the first text alone, and from the second alone (see `search.py`). The
tie of two words is how firmly they are partners (see `gmask.method.partners`), across the texts; within a text it is
their Shapley interaction among the candidates, averaged over both tables. In a reason across the texts a word must be
tied to one of the other text. Where nothing is known of partners, no word is a stranger.

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
from gmask.multilinear import shapley_interactions, sizes, subsets, superset_means

__all__ = ["Reasons", "Ties", "find_reasons"]

CARRIES = 0.9  # a group carries the answer if it alone is this far from nothing to everything
TIE = 0.1  # how strong the tie of two words is, usually, that are no strangers
NEAR_ENOUGH = 2.0  # beyond this, what is left out counts no more
FLOOR = 1e-3  # probabilities are read no closer to 0 than this, so that one row cannot outweigh all others


@dataclass(frozen=True)
class Ties:
    """What is known of k words besides their tables.

    Attributes:
        sides: The text (0 or 1) of each.
        near: How much the firmness of the answer falls when it alone goes.
        partners: How firmly each two are partners, `[k, k]`, 0 where they are not.
        firm: Two words with this strong a tie are no strangers.
    """

    sides: np.ndarray
    near: np.ndarray
    partners: np.ndarray
    firm: float = TIE

    @classmethod
    def unknown(cls, k: int) -> Ties:
        """Nothing is known."""
        return cls(np.zeros(k, int), np.zeros(k), np.zeros((k, k)))


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
    missing: float = 0.5,
    strange: float = 2.0,
    ties: Ties | None = None,
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
        missing: The price of leaving out words that the whole pair needs.
        strange: The price of a word that has nothing to do with the others of its group.
        ties: What is known of the words besides the tables. Default: nothing.
        temperature: phi is the Gibbs distribution of a word's place, the others staying, at this temperature.
    """
    k = int(np.log2(len(only)))
    ties = ties or Ties.unknown(k)
    members = subsets(k)
    sufficient = np.log(superset_means(1 / np.maximum(only, FLOOR)))
    left_out = np.minimum((~members) @ np.maximum(ties.near, 0), NEAR_ENOUGH)
    shared = -necessity * np.log(np.maximum(1 - without, FLOOR)) + brevity * sizes(k) + missing * left_out
    level = only[0] + CARRIES * (without[0] - only[0])
    short = np.log(np.maximum(1, level / np.maximum(only, FLOOR)))
    cut = np.einsum("sj,ji,si->s", members, np.minimum(ties.partners, 1), ~members)
    interactions = (shapley_interactions(only) + shapley_interactions(without[::-1])) / 2
    own = short + spare * _idle(sufficient, margin, ties) + strange * _strangers(interactions, ties) + cut
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


def _idle(sufficient: np.ndarray, margin: float, ties: Ties) -> np.ndarray:
    """For every subset, how many of its words it could do without; a word beside its partner is none of them."""
    k = int(np.log2(len(sufficient)))
    members, every = subsets(k), np.arange(2**k)
    lost = np.stack([sufficient[every & ~(1 << j)] - sufficient for j in range(k)], axis=1)
    accompanied = members @ (ties.partners > 0) > 0
    return (np.clip(1 - lost / margin, 0, 1) * (members & ~accompanied)).sum(axis=1)


def _strangers(interactions: np.ndarray, ties: Ties) -> np.ndarray:
    """For every subset, how many of its words have no tie to the others; alone, a word is no stranger."""
    k = len(interactions)
    members = subsets(k)
    across = ties.sides[:, None] != ties.sides
    if not ties.partners.any():
        return np.zeros(2**k)
    strength = np.where(across, ties.partners, interactions)
    np.fill_diagonal(strength, 0)
    to_any = np.where(members[:, None, :], strength, 0).max(axis=2)
    to_other = np.where(members[:, None, :] & across, strength, 0).max(axis=2)
    first, second = (members[:, ties.sides == side].any(axis=1) for side in (0, 1))
    tied = np.where(np.reshape(first & second, (-1, 1)), to_other, to_any)
    found: np.ndarray = (np.clip(1 - tied / ties.firm, 0, 1) * members).sum(axis=1)
    found[sizes(k) < 2] = 0
    return found


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
