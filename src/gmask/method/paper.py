"""The paper's objective (`published.py`) on candidates of IMASK: solved exactly, or by the paper's sampling."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gmask.errors import GmaskError
from gmask.method.base import Answer, Questions, Task, option
from gmask.method.imask import Imask
from gmask.method.plan import Asked, foreign, lengths, one_sided, within
from gmask.method.published import number_of_groups, objective, solve_by_sampling, solve_exactly
from gmask.method.room import affordable
from gmask.method.table import SAMPLED, ask_tables
from gmask.multilinear import EXACT
from gmask.reference import COUNT

__all__ = ["PaperObjective"]

LARGEST = 16  # k: tables of 2^k entries
CURVE = 10  # rows every explanation asks for at its end, with the top words gone: a text may be wholly gone there
SIDE = 10  # of IMASK's samples × epochs rows
FLOOR = 1e-6
BEHIND = 1e-9  # words that are no candidates stand behind all that are, in the order of IMASK


@dataclass(frozen=True)
class PaperObjective:
    """Word groups that share the candidates evenly, and of which few matter."""

    solver: str = option("exact", "exact, or sampling as in the paper", choices=("exact", "sampling"))
    k: int = option(10, "how many candidate words, if the budget has room", low=1)
    groups: int | None = option(None, "this many (default min(k1, k2))", low=1)
    gamma1: float = option(10.0, "weight of an even spread of words over groups", low=0)
    gamma2: float = option(1.0, "weight of few important groups", low=0)
    samples: int = option(500, "masks drawn an epoch, where it samples", low=2)
    epochs: int = option(100, "steps, where it samples", low=1)
    rate: float = option(0.1, "learning rate", low=0)
    restarts: int = option(16, "starts, where it is exact", low=1)
    budget: int | None = option(None, "ask the model about at most this many rows", low=16)

    def __post_init__(self) -> None:
        if self.differentiates and self.budget is not None:
            raise GmaskError("the sampling solver has no budget: it asks samples × epochs rows; choose fewer of these")
        if not self.differentiates and self.k > LARGEST:
            raise GmaskError(f'k is at most {LARGEST} for the exact solver, not {self.k}; use solver="sampling"')

    @property
    def differentiates(self) -> bool:
        """Only as in the paper."""
        return self.solver == "sampling"

    def explain(self, task: Task) -> Questions:
        """Choose candidates, learn phi and psi on them."""
        k, side = min(self.k, task.n), SIDE
        if not self.differentiates:
            k, side = within(task, self.budget, self.fitting)
        solver = "gradient" if self.differentiates else "score"
        asked = Asked()
        imask = yield from asked.counting(task, Imask(samples=side, epochs=side, solver=solver).explain(task))
        ranked = np.argsort(-imask.attributions, kind="stable")
        if not self.differentiates:
            left = asked.left(task, self.budget)
            k = affordable(task, ranked[:k], left, self.groups or max(1, k // 2), both=False, in_turn=False)
        candidates = np.sort(ranked[:k])
        sentences = task.bound.sentences[candidates]
        groups = self.groups or number_of_groups(sentences)
        weights: dict[str, Any] = {"gamma1": self.gamma1, "gamma2": self.gamma2, "groups": groups}
        details: dict[str, Any] = {"candidates": candidates.tolist(), "exact": not self.differentiates and k <= EXACT}
        if self.differentiates:
            masks = solve_by_sampling(
                task, candidates, samples=self.samples, epochs=self.epochs, rate=self.rate, temperature=0.5, **weights
            )
            details["gradient_rows"] = masks.gradient_rows + imask.details.get("gradient_rows", 0)
        else:
            (only,) = yield from ask_tables(task, candidates, both=False)
            loss = -np.log(np.maximum(only, FLOOR))
            masks = solve_exactly(
                loss, sentences, restarts=self.restarts, steps=200, rate=self.rate, random=task.random(), **weights
            )
            value, _, _ = objective(loss, sentences, masks.phi[None], masks.psi[None], self.gamma1, self.gamma2)
            details["objective"] = float(value[0])
        memberships = np.zeros((groups, task.n))
        memberships[:, candidates] = masks.phi.T
        attributions = np.zeros(task.n)
        attributions[candidates] = masks.theta
        attributions[ranked[k:]] = min(BEHIND, masks.theta.min() / 2) * np.linspace(1, 0, task.n - k, endpoint=False)
        return Answer(attributions, list(zip(masks.psi, memberships, strict=True)), details)

    def fitting(self, task: Task, budget: int | None) -> tuple[int, int] | None:
        """The largest k whose table fits the budget, and the side of IMASK's samples × epochs rows.

        IMASK comes down to half of its rows before k does; small budgets scale that down.
        """
        most = min(self.k, task.n)
        if budget is None:
            return most, SIDE
        ways = len(task.bound.ways)
        room = (budget - 3 * COUNT * task.bound.model.reads) // ways - 2  # other texts, all words, and none
        more = max(foreign(task) / ways - 1, 0)  # for a row with a sentence that is gone
        price = 1 + more * sum(0.5**words for words in lengths(task))  # of a row of IMASK, about
        for k in range(most, min(most, 2) - 1, -1):
            groups = self.groups or max(1, k // 2)
            evidence = 12 + max(0, 10 - k) + groups if k <= EXACT else 22 + 2 * groups  # the rest is in the table
            others = math.ceil(more * (one_sided(task, k) + CURVE))
            left = room - evidence - others - (min(2**k, SAMPLED) - 1)
            side = math.isqrt(int(max(left, 0) / price))
            if side >= 3 and left >= min(SIDE**2 // 2, room // 4):
                return k, min(side, SIDE)
        return None
