"""The door as a game of a library that calls it when it likes."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from gmask.method.base import Task
from gmask.model.bound import Rows

__all__ = ["Game", "replay"]

Game = Callable[[np.ndarray], np.ndarray]  # the value of each coalition of players, a row each


def replay(compute: Callable[[Game], Any], task: Task, players: np.ndarray) -> Generator[Rows, np.ndarray, Any]:
    """Run a computation that calls its game as it likes: when it asks what is not known, ask, and run it again.

    So the questions of many pairs can be answered together, which a game that answers at once would prevent.
    """
    known: dict[bytes, float] = {}

    def game(coalitions: np.ndarray) -> np.ndarray:
        rows = np.asarray(coalitions, dtype=bool)
        missing = [row for row in rows if row.tobytes() not in known]
        if missing:
            raise _Unknown(np.array(missing))
        return np.array([known[row.tobytes()] for row in rows])

    while True:
        try:
            return compute(game)
        except _Unknown as unknown:
            asked = unknown.rows
        rows = np.ones((len(asked), task.n), dtype=bool)
        rows[:, players] = asked
        known |= {row.tobytes(): float(value) for row, value in zip(asked, (yield rows), strict=True)}


class _Unknown(Exception):  # noqa: N818
    """A game was asked about rows that have no answer yet."""

    def __init__(self, rows: np.ndarray) -> None:
        super().__init__()
        self.rows = rows
