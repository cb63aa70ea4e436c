"""GMASK: groups of words that act together, and how much each group matters (Chen et al., NAACL 2021).

The default looks for *reasons* (see `gmask.method.reasons`) on tables of the model's own answers; `preset="paper"` is the
published objective (see `gmask.method.published`), solved exactly or, with `solver="sampling"`, as published.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gmask.errors import GmaskError
from gmask.method.base import Answer, Method, Questions, Task, option
from gmask.method.imask import Imask
from gmask.method.published import number_of_groups, objective, solve_by_sampling, solve_exactly
from gmask.method.reasons import find_reasons
from gmask.method.screening import screen
from gmask.multilinear import EXACT, best_order, complete, subsets

__all__ = ["Gmask"]

LARGEST = 16  # the largest table that is completed from samples
SAMPLED = 1024  # rows of a table that is too large to ask for whole
FLOOR = 1e-6

REASONS = {"k": 8, "screening": 200, "groups": 4, "necessity": 1.0, "brevity": 0.03, "spare": 0.3, "margin": 0.1}
PRESETS: dict[str, dict[str, Any]] = {
    "reasons": REASONS,
    "fast": {**REASONS, "k": 5, "screening": 80},
    "thorough": {**REASONS, "k": 10, "screening": 600},
    "paper": {"k": 10, "gamma1": 10.0, "gamma2": 1.0, "samples": 500, "epochs": 100, "rate": 0.1, "restarts": 16},
}


@dataclass(frozen=True)
class Gmask(Method):
    """Word groups with importances. Settings left out are those of the preset."""

    name: ClassVar[str] = "gmask"
    summary: ClassVar[str] = "word groups across the two texts, each sufficient, together necessary (the default)"

    preset: str = option("reasons", "reasons, fast (at most 200 rows), thorough, or paper", choices=tuple(PRESETS))
    solver: str = option("exact", "exact, or sampling as published", choices=("exact", "sampling"))
    k: int | None = option(None, "how many candidate words", low=1)
    screening: int | None = option(None, "random rows that choose the candidates", low=0)
    groups: int | None = option(None, "at most this many groups", low=1)
    necessity: float | None = option(None, "weight of necessity", low=0)
    brevity: float | None = option(None, "price of a word", low=0)
    spare: float | None = option(None, "price of a word its group could do without", low=0)
    margin: float | None = option(None, "log probability a word must add to its group", low=0)
    gamma1: float | None = option(None, "paper: weight of an even spread of words over groups", low=0)
    gamma2: float | None = option(None, "paper: weight of few important groups", low=0)
    samples: int | None = option(None, "paper, sampling: masks drawn an epoch", low=2)
    epochs: int | None = option(None, "paper, sampling: steps", low=1)
    rate: float | None = option(None, "paper: learning rate", low=0)
    restarts: int | None = option(None, "paper, exact: starts", low=1)
    budget: int | None = option(None, "ask the model about at most this many rows", low=16)

    def __post_init__(self) -> None:
        super().__post_init__()
        preset = PRESETS[self.preset]
        for name, value in preset.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        for name in set().union(*PRESETS.values()) - set(preset) - {"groups"}:
            if getattr(self, name) is not None:
                raise GmaskError(f"{name} is no setting of preset {self.preset!r}; its settings: {', '.join(preset)}")
        if self.solver == "sampling" and self.preset != "paper":
            raise GmaskError('the sampling solver is the paper\'s; ask for it with preset="paper"')
        if self.solver == "exact" and self.k is not None and self.k > LARGEST:
            raise GmaskError(f'k is at most {LARGEST} for the exact solver, not {self.k}; use solver="sampling"')

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting that has a say."""
        return {name: value for name, value in super().settings.items() if value is not None}

    def explain(self, task: Task) -> Questions:
        """Choose candidates, ask for their table, find the groups."""
        if self.preset == "paper":
            return (yield from self._published(task))
        return (yield from self._reasons(task))

    def _reasons(self, task: Task) -> Questions:
        k, screening = self._within_budget(task)
        score = yield from screen(task, screening)
        candidates = np.sort(np.argsort(-score, kind="stable")[:k])
        only, without = yield from _tables(task, candidates, both=True)
        found = find_reasons(
            only,
            without,
            groups=self.groups,
            necessity=self.necessity,
            brevity=self.brevity,
            spare=self.spare,
            margin=self.margin,
        )
        return _answer(task, candidates, score, only, without, found)

    def _published(self, task: Task) -> Questions:
        through_model = self.solver == "sampling" and task.bound.model.differentiable
        imask = yield from Imask(solver="gradient" if through_model else "score").explain(task)
        k = min(self.k, task.n)
        candidates = np.sort(np.argsort(-imask.attributions, kind="stable")[:k])
        sentences = task.bound.sentences[candidates]
        groups = self.groups or number_of_groups(sentences)
        weights = {"gamma1": self.gamma1, "gamma2": self.gamma2, "groups": groups}
        details: dict[str, Any] = {"candidates": candidates.tolist()}
        if self.solver == "sampling":
            masks = solve_by_sampling(
                task, candidates, samples=self.samples, epochs=self.epochs, rate=self.rate, temperature=0.5, **weights
            )
            details["gradient_rows"] = masks.gradient_rows + imask.details.get("gradient_rows", 0)
        else:
            (only,) = yield from _tables(task, candidates, both=False)
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
        return Answer(attributions, list(zip(masks.psi, memberships, strict=True)), details)

    def _within_budget(self, task: Task) -> tuple[int, int]:
        """k and screening rows that fit the budget: k falls first to 5, then the screening shrinks, then k again."""
        k, screening = min(self.k, task.n), self.screening
        limits = [b for b in (self.budget, task.bound.model.budget) if b is not None]
        if not limits:
            return k, screening
        left = min(limits) - 2 * task.n - 2 - 30  # single words and the evidence come first
        while k > 1 and 2 * min(2**k, SAMPLED) + (screening if k <= 5 else screening // 2) > left:
            if k <= 5 and screening > 0:
                screening = max(0, min(screening - 1, left - 2 * 2**k))
                if 2 * 2**k + screening <= left:
                    break
                if screening > 0:
                    continue
            k -= 1
        if 2 * 2**k > left:
            raise GmaskError(f"a budget of {min(limits)} rows is too small for {task.n} words; give at least {64 + 2 * task.n}")
        return k, max(0, min(screening, left - 2 * min(2**k, SAMPLED)))


def _tables(task: Task, candidates: np.ndarray, *, both: bool) -> Generator[np.ndarray, np.ndarray, list[np.ndarray]]:
    """p(y | only S) and, with `both`, p(y | all but S), for every subset S of the candidates."""
    k = len(candidates)
    asked = np.arange(2**k)
    if k > EXACT:
        inner = task.random().choice(np.arange(1, 2**k - 1), SAMPLED - 2, replace=False)
        asked = np.sort(np.concatenate([[0, 2**k - 1], inner]))
    rows = np.zeros((len(asked), task.n), dtype=bool)
    rows[:, candidates] = subsets(k)[asked]
    values = yield np.concatenate([rows, ~rows]) if both else rows
    tables = np.split(values, 2) if both else [values]
    return [table if k <= EXACT else complete(k, asked, table) for table in tables]


def _answer(task, candidates, score, only, without, found) -> Answer:
    n, k = task.n, len(candidates)
    full = without[0]
    psi = np.array([((only[g] - only[0]) + (full - without[g])) / 2 for g in found.groups])
    psi = np.clip(psi, 0, 1)
    order = best_order(only - without)
    theta = found.phi @ psi
    rank = np.empty(k); rank[order] = np.arange(k)[::-1]
    attributions = np.zeros(n)
    attributions[candidates] = theta
    attributions[candidates] += 1e-4 * (1 + rank / k)
    outside = np.setdiff1d(np.arange(n), candidates)
    if len(outside):
        low, high = score[outside].min(), score[outside].max()
        attributions[outside] = 1e-4 * (score[outside] - low) / (high - low + 1e-12)
    memberships = np.zeros((len(found.groups), n))
    memberships[:, candidates] = found.phi.T
    details = {"candidates": candidates.tolist(), "objective": found.objective}
    return Answer(attributions, list(zip(psi, memberships, strict=True)), details)
