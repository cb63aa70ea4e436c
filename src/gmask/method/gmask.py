"""GMASK: groups of words that act together, and how much each group matters (Chen et al., NAACL 2021).

The default looks for *reasons* (see `gmask.method.reasons`) on tables of the model's own answers; `preset="paper"` is
the paper's objective (see `gmask.method.published`), solved exactly or, with `solver="sampling"`, as the paper does.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np

from gmask.errors import GmaskError
from gmask.explanation import MEMBER
from gmask.method.base import Answer, Method, Questions, Task, option
from gmask.method.imask import Imask
from gmask.method.partners import find_partners
from gmask.method.published import number_of_groups, objective, solve_by_sampling, solve_exactly
from gmask.method.reasons import Reasons, Ties, find_reasons
from gmask.method.screening import grow, random_rows, screen, three_in_five
from gmask.method.table import SAMPLED, ask_tables
from gmask.model.held import HeldPair
from gmask.multilinear import EXACT, best_order, subsets
from gmask.reference import COUNT

__all__ = ["Gmask"]

LARGEST = {"paper": 16, "reasons": 13}  # k: tables of 2^k entries, and for reasons 3^k pairs of subsets (2 s for 13)
EVIDENCE_ROWS = 32  # that every explanation asks for at its end
CURVE = 10  # of these, with the top words gone: a text may be wholly gone there
IMASK_SIDE = 10  # of its samples × epochs rows
TRIED = 6  # words that are tried as the next candidate, at least
FEW = 3  # words beside which another is often the only one of its text
LOOK = 20  # random rows, or one a word, that show something where single words are not removed
FLOOR = 1e-6
TIES = 1e-6  # the scale of what only breaks ties
LEAST = 1e-3  # importance of a reason; what does less is none
PREFERENCE = 0.1  # of words of reasons, in probability
NEEDED_FIRST = 1.0  # and of words that the whole pair needs
NEEDED = 0.2  # a word is needed if the firmness of the answer falls by so much without it

T = TypeVar("T")

WEIGHTS = {"necessity": 2.0, "brevity": 0.03, "spare": 0.3, "margin": 0.1, "missing": 0.5, "strange": 2.0}
REASONS = {"k": 8, "screening": 300, "partners": 6, "budget": 1000, **WEIGHTS}
PRESETS: dict[str, dict[str, Any]] = {
    "reasons": REASONS,
    "fast": {**REASONS, "k": 3, "screening": 0, "partners": 0, "budget": 300},
    "thorough": {**REASONS, "k": 10, "screening": 600, "partners": 8, "budget": None},
    "paper": {"k": 10, "gamma1": 10.0, "gamma2": 1.0, "samples": 500, "epochs": 100, "rate": 0.1, "restarts": 16},
}


@dataclass(frozen=True)
class Gmask(Method):
    """Word groups with importances. Settings left out are those of the preset."""

    name: ClassVar[str] = "gmask"
    summary: ClassVar[str] = "word groups across the two texts, each sufficient, together necessary (the default)"
    weighs: ClassVar[bool] = True

    preset: str = option("reasons", "reasons, fast (at most 300 rows), thorough, or paper", choices=tuple(PRESETS))
    solver: str = option("exact", "paper: exact, or sampling as in the paper", choices=("exact", "sampling"))
    k: int = option(None, "how many candidate words, if the budget has room", low=1)
    screening: int = option(None, "random rows that choose the candidates", low=0)
    partners: int = option(None, "words of each text among which partners are looked for", low=0)
    groups: int | None = option(None, "at most this many groups; paper: this many (default min(k1, k2))", low=1)
    necessity: float = option(None, "weight of necessity", low=0)
    brevity: float = option(None, "price of a word", low=0)
    spare: float = option(None, "price of a word its group could do without", low=0)
    margin: float = option(None, "log probability a word must add to its group", low=1e-3)
    missing: float = option(None, "price of leaving out words that the whole pair needs", low=0)
    strange: float = option(None, "price of a word that has nothing to do with the others of its group", low=0)
    gamma1: float = option(None, "paper: weight of an even spread of words over groups", low=0)
    gamma2: float = option(None, "paper: weight of few important groups", low=0)
    samples: int = option(None, "paper, sampling: masks drawn an epoch", low=2)
    epochs: int = option(None, "paper, sampling: steps", low=1)
    rate: float = option(None, "paper: learning rate", low=0)
    restarts: int = option(None, "paper, exact: starts", low=1)
    budget: int | None = option(None, "ask the model about at most this many rows", low=16)

    def __post_init__(self) -> None:
        super().__post_init__()
        preset = PRESETS[self.preset]
        for name, value in preset.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        for name in set().union(*PRESETS.values()) - set(preset) - {"groups", "budget"}:
            if getattr(self, name) is not None:
                raise GmaskError(f"{name} is no setting of preset {self.preset!r}; its settings: {', '.join(preset)}")
        if self.solver == "sampling" and self.preset != "paper":
            raise GmaskError('the sampling solver is the paper\'s; ask for it with preset="paper"')
        if self.solver == "sampling" and self.budget is not None:
            raise GmaskError("the sampling solver has no budget: it asks samples × epochs rows; choose fewer of these")
        largest = LARGEST["paper" if self.preset == "paper" else "reasons"]
        if self.solver == "exact" and self.k is not None and self.k > largest:
            more = '; use solver="sampling"' if self.preset == "paper" else ""
            raise GmaskError(f"k is at most {largest} for the exact solver, not {self.k}{more}")

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting that has a say."""
        return {name: value for name, value in super().settings.items() if value is not None}

    def spending(self, rows: int) -> Method:
        """With few rows, partners are looked for among fewer words, so that more can be candidates."""
        fewer = {} if self.partners is None or rows >= (self.budget or 0) else {"partners": self.partners // 2}
        return replace(super().spending(rows), **fewer)

    @property
    def differentiates(self) -> bool:
        """Only as in the paper."""
        return self.solver == "sampling"

    def explain(self, task: Task) -> Questions:
        """Choose candidates, ask for their table, find the groups."""
        if self.preset == "paper":
            return (yield from self._published(task))
        return (yield from self._reasons(task))

    def _reasons(self, task: Task) -> Questions:
        plan = self._within(task, self._fitting)
        score, near = yield from screen(task, plan.screening, removed=plan.removed, alone=plan.alone)
        partners = yield from find_partners(task, score, plan.partners)
        candidates, rest = yield from grow(
            task, _with_partners(score, partners), plan.k, start=plan.start, pool=plan.pool, further=plan.further
        )
        tables = yield from ask_tables(task, candidates, both=True)
        ties = Ties(task.bound.sentences[candidates], near[candidates], partners[np.ix_(candidates, candidates)])
        weights = {name: getattr(self, name) for name in WEIGHTS}
        found = find_reasons(*tables, groups=self.groups, ties=ties, **weights)
        psi = yield from _importances(task, [candidates[subsets(len(candidates))[g]] for g in found.groups])
        return _answer(task, candidates, rest, tables, found, psi, ties.near)

    def _published(self, task: Task) -> Questions:
        k, side = min(self.k, task.n), IMASK_SIDE
        if self.solver == "exact":
            k, side = self._within(task, self._fitting_published)
        solver = "gradient" if self.solver == "sampling" else "score"
        imask = yield from Imask(samples=side, epochs=side, solver=solver).explain(task)
        candidates = np.sort(np.argsort(-imask.attributions, kind="stable")[:k])
        sentences = task.bound.sentences[candidates]
        groups = self.groups or number_of_groups(sentences)
        weights: dict[str, Any] = {"gamma1": self.gamma1, "gamma2": self.gamma2, "groups": groups}
        details: dict[str, Any] = {"candidates": candidates.tolist(), "exact": self.solver == "exact" and k <= EXACT}
        if self.solver == "sampling":
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
        return Answer(attributions, list(zip(masks.psi, memberships, strict=True)), details)

    def _within(self, task: Task, fitting: Callable[[Task, int | None], T | None]) -> T:
        """What fits the budget, the method's or the model's; where nothing does, the least that would is told."""
        limits = [b for b in (self.budget, task.bound.model.budget) if b is not None]
        budget = min(limits, default=None)
        if (plan := fitting(task, budget)) is None:
            enough = next(b for b in itertools.count(min(limits)) if fitting(task, b) is not None)
            raise GmaskError(f"a budget of {budget} rows is too small for {task.n} words; give at least {enough}")
        return plan

    def _fitting(self, task: Task, budget: int | None) -> Plan | None:
        """The largest k whose rows fit the budget, and what else fits besides.

        Random rows come down to half of what was asked for, and the words that are tried as candidates to a few dozen,
        before k does; small budgets scale all of that down. Without a budget nothing is spared. Where no random rows
        are asked for, single words alone say too little: the score is the effect of single removals, and decides about
        the first candidate only; instead, more words are found given the others. What would show nothing is no plan: a
        single candidate, or a handful of random rows in the place of single removals.
        """
        n, most = task.n, min(self.k, task.n)
        ways = len(task.bound.ways)
        # Where a row is asked in several ways, or other texts stand in for a sentence that is gone, a word alone costs
        # more than it tells.
        alone = self.screening > 0 and ways == 1 and not isinstance(task.bound, HeldPair)
        partners = self.partners if task.bound.model.reads else 0
        if budget is None:
            return Plan(most, self._start(most), n, self._further, self.screening, partners, alone=alone)
        for count, removed, k in itertools.product(
            dict.fromkeys((partners, partners // 2, 0)), (True, False), range(most, min(most, 2) - 1, -1)
        ):
            if removed and ways * n > budget / 2:
                continue
            tables = 2 * ways * min(2**k, SAMPLED) + max(_foreign(task) - ways, 0) * _one_sided(task, k)
            known = ways * (2 + k * removed * (1 + alone) + 2 * (k - self._start(k)))  # of the tables
            ends = ways * EVIDENCE_ROWS + 3 * COUNT + 2
            looks = (2 + ways) * count**2 + ways * n * removed * (1 + alone)
            left = budget - ends - looks - tables + known * (k <= EXACT)
            if plan := self._squeezed(task, k, left, removed=removed):
                return replace(plan, partners=count, alone=alone and removed)
        return None

    def _squeezed(self, task: Task, k: int, left: int, *, removed: bool) -> Plan | None:
        """A plan with k candidates, if what is left of the budget has room for a look at the words."""
        n, ways, start = task.n, len(task.bound.ways), self._start(k)
        price = 2 * ways + max(_foreign(task) - ways, 0) * (start < FEW)  # of a word that is tried
        screening = self.screening if removed else max(self.screening, LOOK, left // 2)
        least = max(min(screening // 2, left // 3), 0 if removed else min(n, LOOK))
        untried = [max(n - settled, 0) for settled in range(start, k + self._further + 1)]
        room = (left - least) // price
        pool = n if sum(untried) <= room else min(n, room // len(untried))
        if pool < min(n, TRIED if k > 2 else 1):
            return None
        rows = _affordable(task, screening, left - price * sum(min(pool, words) for words in untried))
        return Plan(k, start, pool, self._further, rows, 0, removed=removed)

    @property
    def _further(self) -> int:
        return 2 if self.screening > 0 else 3

    def _start(self, k: int) -> int:
        return three_in_five(k) if self.screening > 0 else 1

    def _fitting_published(self, task: Task, budget: int | None) -> tuple[int, int] | None:
        """The largest k whose table fits the budget, and the side of IMASK's samples × epochs rows.

        IMASK comes down to half of its rows before k does; small budgets scale that down.
        """
        most = min(self.k, task.n)
        if budget is None:
            return most, IMASK_SIDE
        ways = len(task.bound.ways)
        room = (budget - 3 * COUNT * task.bound.model.reads) // ways - 2  # other texts, all words, and none
        more = max(_foreign(task) / ways - 1, 0)  # for a row with a sentence that is gone
        price = 1 + more * sum(0.5**words for words in _lengths(task))  # of a row of IMASK, about
        for k in range(most, min(most, 2) - 1, -1):
            groups = self.groups or max(1, k // 2)
            evidence = 12 + max(0, 10 - k) + groups if k <= EXACT else 22 + 2 * groups  # the rest is in the table
            foreign = math.ceil(more * (_one_sided(task, k) + CURVE))
            left = room - evidence - foreign - (min(2**k, SAMPLED) - 1)
            side = math.isqrt(int(max(left, 0) / price))
            if side >= 3 and left >= min(IMASK_SIDE**2 // 2, room // 4):
                return k, min(side, IMASK_SIDE)
        return None


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


def _lengths(task: Task) -> list[int]:
    """How many words each text has."""
    return [int((task.bound.sentences == side).sum()) for side in (0, 1)]


def _foreign(task: Task) -> int:
    """What a row costs that has no word of one of the texts."""
    bound = task.bound
    return len(bound.reference.firsts) if isinstance(bound, HeldPair) else len(bound.ways)


def _one_sided(task: Task, k: int) -> int:
    """How many subsets of k words have words of one text only, where each text has its half of them if it can."""
    fewer = min(k // 2, *_lengths(task))
    return int(2**fewer + 2 ** (k - fewer))


def _affordable(task: Task, rows: int, left: int) -> int:
    """How many random rows, of so many, fit in what is left of a budget."""
    if not isinstance(task.bound, HeldPair):
        return min(rows, left)
    drawn, sentences = random_rows(task, rows), task.bound.sentences
    whole = drawn[:, sentences == 0].any(axis=1) & drawn[:, sentences == 1].any(axis=1)
    return int((np.cumsum(np.where(whole, 1, _foreign(task))) <= left).sum())


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
