"""What a budget of rows has room for, in the search for reasons and for the paper's objective."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from gmask.errors import GmaskError
from gmask.method.base import Task
from gmask.method.screening import random_rows, three_in_five
from gmask.method.table import SAMPLED
from gmask.model.held import HeldPair
from gmask.multilinear import EXACT
from gmask.reference import COUNT

__all__ = ["Plan", "foreign", "lengths", "one_sided", "plan", "within"]

EVIDENCE_ROWS = 32  # that every explanation asks for at its end
TRIED = 6  # words that are tried as the next candidate, at least
FEW = 3  # words beside which another is often the only one of its text
LOOK = 20  # random rows, or one a word, that show something where single words are not removed

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
    """

    k: int
    start: int
    pool: int
    further: int
    screening: int
    partners: int
    removed: bool = True
    alone: bool = False


def within(task: Task, budget: int | None, fitting: Callable[[Task, int | None], T | None]) -> T:
    """What fits the budget, the method's or the model's; where nothing does, the least that would is told."""
    limits = [b for b in (budget, task.bound.model.budget) if b is not None]
    least = min(limits, default=None)
    if (found := fitting(task, least)) is None:
        enough = next(b for b in itertools.count(min(limits)) if fitting(task, b) is not None)
        raise GmaskError(f"a budget of {least} rows is too small for {task.n} words; give at least {enough}")
    return found


def plan(task: Task, budget: int | None, *, k: int, screening: int, partners: int) -> Plan | None:
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
    """
    n, most = task.n, min(k, task.n)
    ways = len(task.bound.ways)
    # Where a row is asked in several ways, or other texts stand in for a sentence that is gone, a word alone costs
    # more than it tells.
    alone = screening > 0 and ways == 1 and not isinstance(task.bound, HeldPair)
    partners = partners if task.bound.model.reads else 0
    if budget is None:
        return Plan(most, _start(most, screening), n, _further(screening), screening, partners, alone=alone)
    for count, removed, fewer in itertools.product(
        dict.fromkeys((partners, partners // 2, 0)), (True, False), range(most, min(most, 2) - 1, -1)
    ):
        if removed and ways * n > budget / 2:
            continue
        tables = 2 * ways * min(2**fewer, SAMPLED) + max(foreign(task) - ways, 0) * one_sided(task, fewer)
        known = ways * (2 + fewer * removed * (1 + alone) + 2 * (fewer - _start(fewer, screening)))  # of the tables
        ends = ways * EVIDENCE_ROWS + 3 * COUNT + 2
        looks = (2 + ways) * count**2 + ways * n * removed * (1 + alone)
        left = budget - ends - looks - tables + known * (fewer <= EXACT)
        if found := _squeezed(task, fewer, left, screening, removed=removed):
            return replace(found, partners=count, alone=alone and removed)
    return None


def _squeezed(task: Task, k: int, left: int, wanted: int, *, removed: bool) -> Plan | None:
    """A plan with k candidates, if what is left of the budget has room for a look at the words."""
    n, ways, start = task.n, len(task.bound.ways), _start(k, wanted)
    price = 2 * ways + max(foreign(task) - ways, 0) * (start < FEW)  # of a word that is tried
    screening = wanted if removed else max(wanted, LOOK, left // 2)
    least = max(min(screening // 2, left // 3), 0 if removed else min(n, LOOK))
    untried = [max(n - settled, 0) for settled in range(start, k + _further(wanted) + 1)]
    room = (left - least) // price
    pool = n if sum(untried) <= room else min(n, room // len(untried))
    if pool < min(n, TRIED if k > 2 else 1):
        return None
    rows = _affordable(task, screening, left - price * sum(min(pool, words) for words in untried))
    return Plan(k, start, pool, _further(wanted), rows, 0, removed=removed)


def _further(screening: int) -> int:
    return 2 if screening > 0 else 3


def _start(k: int, screening: int) -> int:
    return three_in_five(k) if screening > 0 else 1


def lengths(task: Task) -> list[int]:
    """How many words each text has."""
    return [int((task.bound.sentences == side).sum()) for side in (0, 1)]


def foreign(task: Task) -> int:
    """What a row costs that has no word of one of the texts."""
    bound = task.bound
    return len(bound.reference.firsts) if isinstance(bound, HeldPair) else len(bound.ways)


def one_sided(task: Task, k: int) -> int:
    """How many subsets of k words have words of one text only, where each text has its half of them if it can."""
    fewer = min(k // 2, *lengths(task))
    return int(2**fewer + 2 ** (k - fewer))


def _affordable(task: Task, rows: int, left: int) -> int:
    """How many random rows, of so many, fit in what is left of a budget."""
    if not isinstance(task.bound, HeldPair):
        return min(rows, left)
    drawn, sentences = random_rows(task, rows), task.bound.sentences
    whole = drawn[:, sentences == 0].any(axis=1) & drawn[:, sentences == 1].any(axis=1)
    return int((np.cumsum(np.where(whole, 1, foreign(task))) <= left).sum())
