"""Which words of the two texts belong to each other, by the model's own account.

Two words, one of each text, are partners where the model takes one for the other: put in each other's place they change
the answer less than any other word would (or, for an answer that unrelated texts get too and that so rests on a
difference, turn it more), and alone together they say more than either does with another word. Both are asked of the
model, the first near the pair as it is, the second near nothing:

    fit(i, j) = margin of f(p(i in j's place)), f(p(j in i's place)), the worse of the two, over the next best
              + margin of p(i and j alone) over the next best

where "the next best" is the best other word for either of them. The best fit makes the first two partners. An answer
that rests on a difference has these, unless others fit one of them just as well; one that rests on what matches has
more: the best fit of the rest, and so on.
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from gmask.method.base import Task
from gmask.method.screening import firmness
from gmask.model.bound import Request
from gmask.model.held import HeldPair

__all__ = ["alike", "find_partners", "matched"]

MATCHES = (3, 0.05)  # of an answer that rests on what matches: how many, and what being the best adds to a fit
DIFFERENCE = (1, 0.1)  # of one that rests on a difference
TIED = 1e-6  # fits that differ by less are the same
MOVES = 0.02  # exchanges that change the firmness of the answer by less say nothing


def find_partners(
    task: Task, score: np.ndarray, count: int
) -> Generator[np.ndarray | list[Request], np.ndarray, np.ndarray]:
    """How firmly each two words are partners, `[n, n]`, 0 where they are not.

    Args:
        task: What is explained.
        score: A score a word; those with the highest are tried.
        count: So many words of each text.
    """
    n, sentences = task.n, task.bound.sentences
    ranked = [int(i) for i in np.argsort(-score, kind="stable")]
    first, second = ([i for i in ranked if sentences[i] == side][:count] for side in (0, 1))
    partners = np.zeros((n, n))
    if min(len(first), len(second)) < 2:
        return partners
    shape = (len(first), len(second))
    places = [(i, j) for i in first for j in second]
    alone = (yield [(task.bound.ways[0], np.array([task.keep(place) for place in places]))]).reshape(shape)
    others = [task.bound.exchanged(*place) for i, j in places for place in ((i, j), (j, i))]
    answers = yield [(other, np.ones((1, len(other.words)), bool)) for other in others]
    stands = firmness(answers).reshape(*shape, 2)
    if np.ptp(stands) < MOVES:
        return partners
    matches = alike(task)
    fit = _margin(stands.min(axis=2) if matches else -stands.max(axis=2)) + _margin(alone)
    pairs, certain = MATCHES if matches else DIFFERENCE
    for _ in range(min(pairs, *shape)):
        x, y = np.unravel_index(int(fit.argmax()), shape)
        if not matches and (np.append(fit[x], fit[:, y]) > fit[x, y] - TIED).sum() > 2:  # it is in both itself
            break
        i, j = first[x], second[y]
        partners[i, j] = partners[j, i] = certain + max(float(fit[x, y]), 0.0)
        fit[x], fit[:, y] = -np.inf, -np.inf
    return partners


def alike(task: Task) -> bool:
    """Whether the answer rests on what matches: one that unrelated texts would not get."""
    return isinstance(task.bound, HeldPair)


def matched(partners: np.ndarray, count: int) -> np.ndarray:
    """The words of the firmest partners, of so many pairs at most."""
    pairs = [(int(i), int(j)) for i, j in np.argwhere(np.triu(partners) > 0)]
    firmest = sorted(pairs, key=lambda pair: -partners[pair])[:count]
    return np.unique(np.array(firmest, dtype=int))


def _margin(table: np.ndarray) -> np.ndarray:
    """How far each entry is above the best other entry of its row and its column."""
    return table - np.maximum(_best_other(table, 1), _best_other(table, 0))


def _best_other(table: np.ndarray, axis: int) -> np.ndarray:
    """For each entry, the largest of the others along an axis."""
    ordered = np.sort(table, axis=axis)
    largest = np.take(ordered, [-1], axis=axis)
    second = np.take(ordered, [-2], axis=axis)
    return np.where(table == largest, second, largest)
