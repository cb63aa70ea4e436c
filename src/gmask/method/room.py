"""What is still to be asked for, counted in questions to the model, once it is known which words are the candidates.

A plan is made before any word is known. What a table costs depends on the words: where a row has no word of one of the
texts, several others stand in for it, and candidates may all be of one text. So what a plan set out to do is held
against what is left of the budget before the largest part of it is asked, and is done with fewer candidates if need be.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gmask.evidence import CURVE
from gmask.method.base import Task
from gmask.method.table import SAMPLED, asked_whole
from gmask.multilinear import subsets
from gmask.reference import COUNT

__all__ = ["affordable", "ends", "matching"]

FEWEST = 2  # candidates: with fewer, nothing is shown that acts together


def prices(task: Task, rows: np.ndarray, ways: int) -> np.ndarray:
    """How many questions each row is made of, at most, if one with words of both texts is asked in so many ways."""
    sentences, bound = task.bound.sentences, task.bound
    there = rows[:, sentences == 0].any(axis=1) & rows[:, sentences != 0].any(axis=1)
    stand_ins = (bound.ways[0] if ways == 1 else bound).stand_ins
    return np.where(there, ways, stand_ins // bound.asks or ways) * bound.asks


def matching(task: Task, pairs: int) -> int:
    """How many questions tables take, at most, that are asked about so many pairs of words that match."""
    if not pairs:
        return 0
    ways, side = len(task.bound.ways) * task.bound.asks, 2**pairs
    return int(side**2 * task.bound.asks + 2 * side * max(ways, task.bound.stand_ins))


def affordable(
    task: Task, ranked: Sequence[int] | np.ndarray, left: int | None, groups: int, *, both: bool, in_turn: bool
) -> int:
    """How many of the first candidates, two at least, have tables that fit in what is left, with what comes after.

    Args:
        task: What is explained.
        ranked: Candidates, those first that come first.
        left: So many questions; None for any number.
        groups: At most so many groups are found.
        both: Whether the table of what is removed is asked for, too.
        in_turn: Whether a row is asked in one way only.
    """
    if left is None:
        return len(ranked)
    least = min(len(ranked), FEWEST)
    fits = (k for k in range(len(ranked), least, -1) if _tables(task, ranked[:k], groups, both, in_turn) <= left)
    return next(fits, least)


def _tables(task: Task, words: Sequence[int] | np.ndarray, groups: int, both: bool, in_turn: bool) -> int:
    """Questions for tables of these words, and after them."""
    k, n, ways = len(words), task.n, len(task.bound.ways)
    only = np.zeros((2**k, n), bool)
    only[:, list(words)] = subsets(k)
    costs = [prices(task, rows, 1 if in_turn else ways) for rows in (only, ~only)[: 1 + both]]
    if not (whole := asked_whole(task, k)):
        costs = [np.sort(own)[-SAMPLED:] for own in costs]  # those that cost most may be the ones that are drawn
    known = whole and (ways == 1 or not in_turn)  # tables have the rows that every explanation ends with
    return int(sum(own.sum() for own in costs)) + ends(task, words, groups, only=known, without=known and both)


def ends(
    task: Task, words: Sequence[int] | np.ndarray, groups: int, *, only: bool = False, without: bool = False
) -> int:
    """Questions at the end of every explanation, at most: top words and groups kept and removed, texts exchanged.

    Args:
        task: What is explained.
        words: The candidates, which are the top words.
        groups: So many groups.
        only: Whether rows that keep candidates alone are known.
        without: Whether rows that remove them are.
    """
    n, k, ways = task.n, len(words), len(task.bound.ways)
    every, most = np.ones((1, n), bool), max(ways * task.bound.asks, task.bound.stand_ins)
    lengths, sides = (np.bincount(task.bound.sentences[list(own)], minlength=2)[:2] for own in (range(n), words))
    reach = sides.max() if sides.min() else n  # so many top words may be of one text
    curve = sum(
        int(prices(task, every, ways)[0]) if two_sided else most
        for step in range(1, min(CURVE, n) + 1)
        for two_sided, free in ((step > reach, only), (step < lengths.min(), without))
        if not (free and step <= k)
    )
    return curve + groups * (2 - only - without) * most + 3 * ways * task.bound.asks + 3 * COUNT
