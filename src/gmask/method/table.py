"""Asking the door about every subset of some candidate words."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from gmask.method.base import Task
from gmask.multilinear import EXACT, complete, subsets

__all__ = ["SAMPLED", "ask_tables", "asked_whole"]

SAMPLED = 1024  # rows of a table that is too large to ask for whole


def ask_tables(
    task: Task, candidates: np.ndarray, *, both: bool
) -> Generator[np.ndarray, np.ndarray, list[np.ndarray]]:
    """p(y | only S) and, with `both`, p(y | all but S), for every subset S of the candidates."""
    k = len(candidates)
    asked = np.arange(2**k)
    whole = asked_whole(task, k)
    if not whole:
        inner = task.random().choice(np.arange(1, 2**k - 1), SAMPLED - 2, replace=False)
        asked = np.sort(np.concatenate([[0, 2**k - 1], inner]))
    rows = np.zeros((len(asked), task.n), dtype=bool)
    rows[:, candidates] = subsets(k)[asked]
    values = yield np.concatenate([rows, ~rows]) if both else rows
    tables = np.split(values, 2) if both else [values]
    return [table if whole else complete(k, asked, table) for table in tables]


def asked_whole(task: Task, k: int) -> bool:
    """Whether a table over k words is asked for whole, not sampled: it is small, or rows cost next to nothing."""
    return k <= EXACT or task.bound.model.apart
