"""What a budget of rows has room for, in the search for reasons and for the paper's objective."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from gmask.errors import GmaskError
from gmask.method.base import Task
from gmask.method.partners import alike
from gmask.method.screening import random_rows, three_in_five
from gmask.method.table import SAMPLED
from gmask.model.bound import Request, Rows
from gmask.reference import COUNT

__all__ = ["MATCHED", "Asked", "Plan", "foreign", "lengths", "limited", "one_sided", "plan", "within"]

EVIDENCE_ROWS = 32  # that every explanation asks for at its end
TRIED = 6  # words that are tried as the next candidate, at least
FEW = 3  # words beside which another is often the only one of its text
LOOK = 20  # random rows, or one a word, that show something where single words are not removed

MATCHED = 3  # pairs of partners that reasons are made of, at most

T = TypeVar("T")


@dataclass(frozen=True)
class Plan:
    """What a budget has room for.

    Args:
        k: Candidates.
        start: Those of them that the score decides about.
        pool: Words tried for each of the others.
        further: Words after the candidates that are found as the others are.
        screening: Random rows.
        partners: Words of each text among which partners are looked for.
        removed: Whether single words are removed.
        alone: Whether single words are kept alone.
        later: Words tried for each of the further ones. Default: as many as for candidates.
    """

    k: int
    start: int
    pool: int
    further: int
    screening: int
    partners: int
    removed: bool = True
    alone: bool = False
    later: int | None = None


class Asked:
    """What has been asked of a pair, so that it is known what is left of a budget."""

    def __init__(self) -> None:
        self._rows: set[tuple[int, bytes]] = set()

    def counting(
        self, task: Task, questions: Generator[Rows | list[Request], np.ndarray, T]
    ) -> Generator[Rows | list[Request], np.ndarray, T]:
        """The same questions, counted: those that rows are made of, each once."""
        try:
            wanted = next(questions)
            while True:
                for bound, rows in wanted if isinstance(wanted, list) else [(task.bound, wanted)]:
                    made = (part for row in bound.check(rows) for part in bound.made_of(row))
                    self._rows |= {(id(part), np.packbits(row).tobytes()) for part, row in made}
                wanted = questions.send((yield wanted))
        except StopIteration as stop:
            found: T = stop.value
            return found

    def left(self, task: Task, budget: int | None) -> int | None:
        """What is left of the budget, the method's or the model's; None without one."""
        limit = limited(task, budget)
        return None if limit is None else limit - len(self._rows)


def limited(task: Task, budget: int | None) -> int | None:
    """The budget, the method's or the model's, whichever is smaller."""
    return min((b for b in (budget, task.bound.model.budget) if b is not None), default=None)


def within(task: Task, budget: int | None, fitting: Callable[[Task, int | None], T | None]) -> T:
    """What fits the budget, the method's or the model's; where nothing does, the least that would is told."""
    least = limited(task, budget)
    if (found := fitting(task, least)) is None:
        enough = next(b for b in itertools.count(least or 0) if fitting(task, b) is not None)
        raise GmaskError(f"a budget of {least} rows is too small for {task.n} words; give at least {enough}")
    return found


def plan(
    task: Task,
    budget: int | None,
    *,
    k: int,
    screening: int,
    partners: int,
    start: int | None = None,
    further: int | None = None,
) -> Plan | None:
    """The largest k whose rows fit the budget, and what else fits besides.

    Random rows come down to half of what was asked for, and the words that are tried as candidates to a few dozen,
    before k does; small budgets scale all of that down. Without a budget nothing is spared. Where no random rows
    are asked for, single words alone say too little: the score is the effect of single removals, and decides about
    the first candidate only; instead, more words are found given the others. What would show nothing is no plan: a
    single candidate, or a handful of random rows in the place of single removals.

    Args:
        task: What is explained.
        budget: So many rows, or as many as it takes.
        k: Candidates wanted.
        screening: Random rows wanted.
        partners: Words of each text wanted, among which partners are looked for.
        start: Candidates that the score decides about. Default: three in five, or one without random rows.
        further: Words after the candidates that are found as they are. Default: two, or three without random rows.
    """
    n, most = task.n, min(k, task.n)
    ways = len(task.bound.ways)
    further = (2 if screening > 0 else 3) if further is None else further
    starts = {c: min(c, start or (three_in_five(c) if screening > 0 else 1)) for c in range(1, most + 1)}
    # Where a row is asked in several ways, or other texts stand in for a sentence that is gone, a word alone costs
    # more than it tells.
    alone = screening > 0 and ways * task.bound.asks == 1 and not task.bound.stand_ins
    partners = partners if task.bound.model.reads else 0
    if budget is None:
        return Plan(most, starts[most], n, further, screening, partners, alone=alone)
    for removed, fewer, count in itertools.product(
        (True, False), range(most, min(most, 2) - 1, -1), dict.fromkeys((partners, partners // 2, 0))
    ):
        if removed and ways * task.bound.asks * n > budget / 2:
            continue
        ends = ways * task.bound.asks * EVIDENCE_ROWS + 3 * COUNT + 2
        looks = _looks(task, count, removed=removed, alone=alone)
        left = budget - ends - looks - _tables(task, fewer, matches=count > 0 and alike(task))
        if found := _squeezed(task, Plan(fewer, starts[fewer], n, further, screening, count), left, removed=removed):
            return replace(found, alone=alone and removed)
    return None


def _looks(task: Task, partners: int, *, removed: bool, alone: bool) -> int:
    """Rows for a look at single words and at partners."""
    ways = len(task.bound.ways) * task.bound.asks
    return task.n * ways * (1 + alone) * removed + 3 * partners**2


def _tables(task: Task, k: int, *, matches: bool) -> int:
    """Rows for two tables of k words, asked in turn, and for those of words that match."""
    asks, ways = task.bound.asks, len(task.bound.ways)
    one_sided_too = max(foreign(task, in_turn=True) - asks, 0)
    rows = asks * (2 * min(2**k, SAMPLED) + 4 * ways) + one_sided_too * one_sided(task, k)
    side = 2 ** min(MATCHED, max(1, k // 2))
    return rows + matches * (side**2 + 2 * side * (ways + max(foreign(task) - asks, 0)))


def _squeezed(task: Task, wanted: Plan, left: int, *, removed: bool) -> Plan | None:
    """A plan with as many candidates, if what is left of the budget has room for a look at the words."""
    n, start = task.n, wanted.start
    asks = task.bound.asks
    price = 2 * asks + 2 * max(foreign(task, in_turn=True) - asks, 0) * (start < FEW)  # of a word that is tried
    screening = wanted.screening if removed else max(wanted.screening, LOOK, left // 2)
    least = max(min(screening // 2, left // 3), 0 if removed else min(n, LOOK))
    untried = [max(n - settled, 0) for settled in range(start, wanted.k + wanted.further + 1)]
    room = (left - least) // price
    pool = n if sum(untried) <= room else min(n, room // len(untried))
    if pool < min(n, TRIED if wanted.k > 2 else 1):
        return None
    rows = _affordable(task, screening, left - price * sum(min(pool, words) for words in untried))
    return replace(wanted, pool=pool, screening=rows, removed=removed)


def lengths(task: Task) -> list[int]:
    """How many words each text has."""
    return [int((task.bound.sentences == side).sum()) for side in (0, 1)]


def foreign(task: Task, *, in_turn: bool = False) -> int:
    """What a row costs that has no word of one of the texts."""
    bound = task.bound
    return bound.ways[0].stand_ins or bound.asks if in_turn else bound.stand_ins or len(bound.ways)


def one_sided(task: Task, k: int) -> int:
    """How many subsets of k words have words of one text only, where each text has its half of them if it can."""
    fewer = min(k // 2, *lengths(task))
    return int(2**fewer + 2 ** (k - fewer))


def _affordable(task: Task, rows: int, left: int) -> int:
    """How many random rows, of so many, fit in what is left of a budget."""
    if not task.bound.stand_ins or task.bound.asks > 1:
        return min(rows, left // task.bound.asks)
    drawn, sentences = random_rows(task, rows), task.bound.sentences
    whole = drawn[:, sentences == 0].any(axis=1) & drawn[:, sentences == 1].any(axis=1)
    return int((np.cumsum(np.where(whole, 1, foreign(task, in_turn=True))) <= left).sum())
