"""The search for reasons: words are screened, the model is asked about every subset of the best, and groups are chosen.

What a reason is, and how the groups are found on the tables of the model's answers, is in `reasons.py`; how the rows
are shared out where there is a budget, in `plan.py`.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.errors import GmaskError
from gmask.explanation import MEMBER
from gmask.method.base import Answer, Questions, Task, option
from gmask.method.order import TIES
from gmask.method.partners import find_partners
from gmask.method.plan import Plan, plan, within
from gmask.method.reasons import Reasons, Ties, find_reasons
from gmask.method.screening import grow, screen
from gmask.method.table import ask_tables
from gmask.multilinear import EXACT, best_order, subsets

__all__ = ["ReasonSearch"]

LARGEST = 13  # k: it takes 3^k pairs of subsets, 2 s for 13
LEAST = 1e-3  # importance of a reason; what does less is none
PREFERENCE = 0.1  # of words of reasons, in probability
NEEDED_FIRST = 1.0  # and of words that the whole pair needs
NEEDED = 0.2  # a word is needed if the firmness of the answer falls by so much without it
WEIGHTS = ("necessity", "brevity", "spare", "margin", "missing", "strange")


@dataclass(frozen=True)
class ReasonSearch:
    """Word groups that are each sufficient, and together necessary."""

    differentiates: ClassVar[bool] = False

    k: int = option(8, "how many candidate words, if the budget has room", low=1)
    screening: int = option(300, "random rows that choose the candidates", low=0)
    partners: int = option(6, "words of each text among which partners are looked for", low=0)
    groups: int | None = option(None, "at most this many groups", low=1)
    necessity: float = option(2.0, "weight of necessity", low=0)
    brevity: float = option(0.03, "price of a word", low=0)
    spare: float = option(0.3, "price of a word its group could do without", low=0)
    margin: float = option(0.1, "log probability a word must add to its group", low=1e-3)
    missing: float = option(0.5, "price of leaving out words that the whole pair needs", low=0)
    strange: float = option(2.0, "price of a word that has nothing to do with the others of its group", low=0)
    budget: int | None = option(1000, "ask the model about at most this many rows", low=16)

    def __post_init__(self) -> None:
        if self.k > LARGEST:
            raise GmaskError(f"k is at most {LARGEST} for the exact solver, not {self.k}")

    def fitting(self, task: Task, budget: int | None) -> Plan | None:
        """What fits so many rows."""
        return plan(task, budget, k=self.k, screening=self.screening, partners=self.partners)

    def explain(self, task: Task) -> Questions:
        """Choose candidates, ask for their tables, find the groups."""
        planned = within(task, self.budget, self.fitting)
        score, near = yield from screen(task, planned.screening, removed=planned.removed, alone=planned.alone)
        partners = yield from find_partners(task, score, planned.partners)
        carried, how = _with_partners(score, partners), {"pool": planned.pool, "further": planned.further}
        candidates, rest = yield from grow(task, carried, planned.k, start=planned.start, **how)
        tables = yield from ask_tables(task, candidates, both=True)
        ties = Ties(task.bound.sentences[candidates], near[candidates], partners[np.ix_(candidates, candidates)])
        weights = {name: getattr(self, name) for name in WEIGHTS}
        found = find_reasons(*tables, groups=self.groups, ties=ties, **weights)
        psi = yield from _importances(task, [candidates[subsets(len(candidates))[g]] for g in found.groups])
        return _answer(task, candidates, rest, tables, found, psi, ties.near)


def _with_partners(score: np.ndarray, partners: np.ndarray) -> np.ndarray:
    """Scores that bring a word's partner along: at least half of the word's own, and more for a firm one."""
    firm = score + np.minimum(partners, 1).max(axis=1, initial=0) / 2
    carried = np.where(partners > 0, firm[:, None] / 2, -np.inf).max(axis=0, initial=-np.inf)
    return np.maximum(firm, carried)


def _importances(task: Task, groups: Sequence[np.ndarray]) -> Generator[np.ndarray, np.ndarray, np.ndarray]:
    """psi: halfway between what each group gives alone and what its removal costs; rows of exact tables are known."""
    rows = np.stack([task.keep(()), *(task.keep(words) for words in groups)])
    only, without = np.split((yield np.concatenate([rows, ~rows])), 2)
    return ((only[1:] - only[0] + without[0] - without[1:]) / 2).clip(0, 1)


def _answer(
    task: Task,
    candidates: np.ndarray,
    rest: Sequence[int],
    tables: Sequence[np.ndarray],
    found: Reasons,
    psi: np.ndarray,
    near: np.ndarray,
) -> Answer:
    """Reasons that do something, and an order for all words.

    The candidates stand in the order that is best for keeping and removing, by dynamic programming, in which words of
    reasons, and words that the whole pair needs, come first unless that costs more than a little; theta = phi psi
    follows it. What only breaks ties, and for words outside the candidates what they add to them, is in the sixth
    decimal, where it decides nothing else.
    """
    only, without = tables
    phi, psi = found.phi[:, psi >= LEAST], psi[psi >= LEAST]
    needed = np.maximum(near, 0) / max(near.max(initial=0), NEEDED)
    order = best_order(only - without + subsets(len(candidates)) @ (PREFERENCE * phi @ psi + NEEDED_FIRST * needed))
    if len(psi):
        phi = _settled(phi, psi, order)
    place = np.empty(task.n)
    place[[*candidates[order], *rest]] = np.linspace(2, 0, task.n, endpoint=False)
    memberships = np.zeros((len(psi), task.n))
    memberships[:, candidates] = phi.T
    exact = len(candidates) <= EXACT
    details = {"candidates": candidates.tolist(), "exact": exact, "objective": found.objective}
    return Answer(psi @ memberships + TIES * place, list(zip(psi, memberships, strict=True)), details)


def _settled(phi: np.ndarray, psi: np.ndarray, order: Sequence[int]) -> np.ndarray:
    """A phi `[k, t]`, changed where theta = phi psi would not follow an order; no word changes its group.

    A word before its betters is raised, by a share of the most important group that does not make it a member, to what
    they are at least, and they come down to it, by a smaller phi.
    """
    floor = MEMBER * (phi >= MEMBER)
    low, theta, top = floor @ psi, phi @ psi, int(psi.argmax())
    least = np.maximum.accumulate(low[order][::-1])[::-1]  # of a word's own and those of all that follow it
    wanted = np.empty(len(phi))
    wanted[order] = np.minimum.accumulate(np.maximum(theta[order], least))
    share = np.divide(wanted - low, theta - low, out=np.ones_like(theta), where=theta > wanted)
    settled = floor + share[:, None] * (phi - floor)
    raised = wanted > theta
    settled[raised] = floor[raised]
    settled[raised, top] += np.minimum((wanted - low)[raised] / psi[top], np.nextafter(MEMBER, 0))
    return settled
