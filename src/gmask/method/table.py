"""Asking the door about every subset of some candidate words."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from gmask.method.base import Task
from gmask.model.bound import Request
from gmask.multilinear import EXACT, complete, sizes, subsets

__all__ = ["SAMPLED", "ask_tables", "asked_whole"]

SAMPLED = 1024  # rows of a table that is too large to ask for whole


def ask_tables(
    task: Task, candidates: np.ndarray, *, both: bool, in_turn: bool = False
) -> Generator[np.ndarray | list[Request], np.ndarray, list[np.ndarray]]:
    """p(y | only S) and, with `both`, p(y | all but S), for every subset S of the candidates.

    Args:
        task: What is explained.
        candidates: Some of its words.
        both: Whether the second table is asked for too.
        in_turn: Whether each row is asked in one way of removing words only: neighbours in different ways, and what is
            kept and what is removed too. The ends are asked in all.
    """
    k = len(candidates)
    asked = np.arange(2**k)
    whole = asked_whole(task, k)
    if not whole:
        inner = task.random().choice(np.arange(1, 2**k - 1), SAMPLED - 2, replace=False)
        asked = np.sort(np.concatenate([[0, 2**k - 1], inner]))
    rows = np.zeros((len(asked), task.n), dtype=bool)
    rows[:, candidates] = subsets(k)[asked]
    blocks = [rows, ~rows] if both else [rows]
    ways = [task.bound] if not in_turn else task.bound.ways
    turns = np.concatenate([(sizes(k)[asked] + i) % len(ways) for i in range(len(blocks))])
    every = np.concatenate(blocks)
    ends = np.isin(np.tile(asked, len(blocks)), [0, 2**k - 1])
    groups = [np.flatnonzero(ends), *(np.flatnonzero(~ends & (turns == turn)) for turn in range(len(ways)))]
    found = yield [(bound, every[own]) for bound, own in zip([task.bound, *ways], groups, strict=True)]
    values = np.empty(len(every))
    values[np.concatenate(groups)] = found
    return [table if whole else complete(k, asked, table) for table in np.split(values, len(blocks))]


def asked_whole(task: Task, k: int) -> bool:
    """Whether a table over k words is asked for whole, not sampled: it is small, or rows cost next to nothing."""
    return k <= EXACT or task.bound.model.apart
