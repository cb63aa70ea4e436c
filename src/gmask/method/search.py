"""The search for reasons: words are screened, the model is asked about every subset of the best, and groups are chosen.

What a reason is, and how the groups are found on the tables of the model's answers, is in `reasons.py`; how the rows
are shared out where there is a budget, in `plan.py`.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from gmask.errors import GmaskError
from gmask.explanation import MEMBER
from gmask.method.apart import look
from gmask.method.base import Answer, Questions, Task, option
from gmask.method.order import TIES
from gmask.method.partners import alike, find_partners, matched
from gmask.method.plan import MATCHED, Asked, Plan, plan, within
from gmask.method.reasons import TIE, Reasons, Ties, find_reasons
from gmask.method.room import affordable, ends, matching
from gmask.method.screening import grow, removals, screen
from gmask.method.table import ask_tables, asked_whole
from gmask.model.bound import Request, Rows
from gmask.multilinear import best_order, subsets

__all__ = ["ReasonSearch"]

LARGEST = 13  # k: it takes 3^k pairs of subsets, 2 s for 13
EASED = 6  # candidates of a plain answer
GLANCE = 24  # random rows for it
NEXT = 4  # words of each text among which partners are looked for, if it rests on a difference
POOL = 12  # words that are tried as the next candidate
LATER = 6  # and as the next word after the candidates
ORDERED = 10  # words that are found given the ones before, candidates and others
COMPANY = 24  # random companies in which a reason is tried
WORSE = 0.1  # a reason does not hold if it does so much worse in them
PLAIN = 0.3  # an answer is plain if its firmness falls by so much without some word
FIRM = 0.3  # how strong a tie of words that match must be
LEAST = 1e-3  # importance of a reason; what does less is none
PREFERENCE = 0.1  # of words of reasons, in probability
NEEDED_FIRST = 0.2  # and of words that the whole pair needs
LITTLE = 0.2  # where the firmness of the answer falls by less without any word, none is needed much
NEEDED = 0.5  # a word is needed if without it the firmness of the answer falls by this share of what it does at most
WEIGHTS = ("necessity", "brevity", "spare", "margin", "missing", "strange")


@dataclass(frozen=True)
class ReasonSearch:
    """Word groups that are each sufficient, and together necessary."""

    differentiates: ClassVar[bool] = False

    k: int = option(8, "how many candidate words, if the budget has room", low=1)
    screening: int = option(200, "random rows that choose the candidates", low=0)
    partners: int = option(6, "words of each text among which partners are looked for", low=0)
    groups: int | None = option(None, "at most this many groups", low=1)
    necessity: float = option(2.0, "weight of necessity", low=0)
    brevity: float = option(0.03, "price of a word", low=0)
    spare: float = option(0.3, "price of a word its group could do without", low=0)
    margin: float = option(0.1, "log probability a word must add to its group", low=1e-3)
    missing: float = option(0.5, "price of leaving out words that the whole pair needs", low=0)
    strange: float = option(2.0, "price of a word that has nothing to do with the others of its group", low=0)
    encodings: int = option(
        60, "of either text at most, where a model encodes them apart: there these count, no rows", low=60
    )
    adaptive: bool = option(True, "ask less where single words turn the answer, and no more than it takes")
    budget: int | None = option(1000, "ask the model about at most this many rows", low=16)

    def __post_init__(self) -> None:
        if self.k > LARGEST:
            raise GmaskError(f"k is at most {LARGEST} for the exact solver, not {self.k}")

    def fitting(self, task: Task, budget: int | None) -> Plan | None:
        """What fits so many rows."""
        return plan(task, budget, k=self.k, screening=self.screening, partners=self.partners)

    def easing(self, task: Task, budget: int | None) -> Plan | None:
        """What fits so many rows of what a plain answer takes; single words tell much of it."""
        k, screening = min(self.k, EASED), min(self.screening, GLANCE)
        partners = self.partners if alike(task) else min(self.partners, NEXT)
        further = max(ORDERED - k, 0)
        found = plan(task, budget, k=k, screening=screening, partners=partners, start=2, further=further)
        return found and replace(found, pool=min(found.pool, POOL), later=min(found.pool, LATER), alone=False)

    def explain(self, task: Task) -> Questions:
        """Look at single words; then, where these say enough, at as little more as it takes, else at all there is."""
        if task.bound.model.apart:
            return (yield from self._apart(task))
        planned, asked = within(task, self.budget, self.fitting), Asked()
        near = (yield from asked.counting(task, removals(task))) if planned.removed else np.zeros(task.n)
        if self.adaptive and self.screening > 0 and near.max(initial=0) >= PLAIN:
            needed = np.flatnonzero(near >= NEEDED * near.max(initial=0))
            plain = self._search(task, within(task, self.budget, self.easing), asked, near, needed)
            answer, holds = yield from asked.counting(task, plain)
            left = self.fitting(task, asked.left(task, self.budget))
            if holds or left is None or left.k < len(answer.details["candidates"]):
                return answer
            planned = left
        answer, _ = yield from asked.counting(task, self._search(task, planned, asked, near))
        return answer

    def _search(
        self, task: Task, planned: Plan, asked: Asked, near: np.ndarray, needed: np.ndarray | None = None
    ) -> Generator[Rows | list[Request], np.ndarray, tuple[Answer, bool]]:
        """Choose candidates, ask for their tables, find the groups; the answer, and whether its reasons hold."""
        score = yield from screen(task, near, planned.screening, alone=planned.alone)
        partners = yield from find_partners(task, (score + near) / 2, planned.partners)
        carried = _with_partners(score, partners)
        candidates, rest = yield from grow(
            task,
            carried,
            planned.k,
            start=planned.start,
            pool=planned.pool,
            further=planned.further,
            later=planned.later,
            needed=needed,
        )
        matches = alike(task) and bool(partners.any())
        pairs = max(1, min(MATCHED, planned.k // 2)) if matches else 0
        candidates, rest = self._fitting(task, asked, carried, candidates, rest, pairs)
        known = tables = yield from ask_tables(task, candidates, both=True, in_turn=True)
        words = candidates
        if matches:
            words = matched(partners, pairs)
            tables = yield from _matches(task, words)
        ties = Ties(task.bound.sentences[words], near[words], partners[np.ix_(words, words)], FIRM if matches else TIE)
        weights = {name: getattr(self, name) for name in WEIGHTS}
        found = find_reasons(*tables, groups=self.groups, ties=ties, **weights)
        psi = yield from _importances(task, [words[subsets(len(words))[g]] for g in found.groups])
        theta = np.zeros(task.n)
        theta[words] = found.phi @ psi
        order = [*candidates[_order(known, near[candidates], theta[candidates])], *rest]
        holds = needed is None or matches
        if not holds and _fallen(known[1]):
            left = asked.left(task, self.budget)
            cost = COMPANY * len(found.groups) * task.bound.asks + ends(task, candidates, len(found.groups))
            holds = (left is not None and left < cost) or (yield from _holds(task, words, tables[0], found))
        details = {
            "candidates": candidates.tolist(),
            "exact": asked_whole(task, len(candidates)),
            "objective": found.objective,
            "asked": "all that the budget allows" if needed is None else "what it takes",
        }
        return _answer(task, words, order, found, psi, details), holds

    def _fitting(
        self, task: Task, asked: Asked, score: np.ndarray, candidates: np.ndarray, rest: list[int], pairs: int
    ) -> tuple[np.ndarray, list[int]]:
        """Candidates whose tables fit in what is left: where they are of one text, rows cost more than was planned.

        Args:
            task: What is explained.
            asked: What has been asked.
            score: A score a word; candidates with the lowest go first.
            candidates: Those that were found.
            rest: The other words.
            pairs: So many pairs of words that match have tables of their own.
        """
        left = asked.left(task, self.budget)
        if left is None:
            return candidates, rest
        ranked = sorted(candidates, key=lambda j: -score[j])
        most = self.groups or len(ranked)
        fit = affordable(task, ranked, left - matching(task, pairs), most, both=True, in_turn=True)
        return np.sort(np.array(ranked[:fit], dtype=int)), [*ranked[fit:], *rest]

    def _apart(self, task: Task) -> Questions:
        """The same for a model that encodes the texts apart, with more candidates, and tables that are always whole."""
        seen = yield from look(task, min(self.k + self.k // 2, LARGEST), self.encodings)
        words, near = seen.candidates, seen.near[seen.candidates]
        tables = yield from ask_tables(task, words, both=True)
        ties = Ties(task.bound.sentences[words], near, np.zeros((len(words), len(words))))
        found = find_reasons(*tables, groups=self.groups, ties=ties, **{name: getattr(self, name) for name in WEIGHTS})
        psi = yield from _importances(task, [words[subsets(len(words))[g]] for g in found.groups])
        details = {"candidates": words.tolist(), "exact": True, "objective": found.objective}
        return _answer(task, words, [*words[_order(tables, near, found.phi @ psi)], *seen.rest], found, psi, details)


def _holds(
    task: Task, words: np.ndarray, only: np.ndarray, found: Reasons
) -> Generator[list[Request], np.ndarray, bool]:
    """Whether reasons do as well among random others as among the candidates."""
    members, random = subsets(len(words)), task.random()
    for group in found.groups:
        rows = random.random((COMPANY, task.n)) < random.random((COMPANY, 1))
        rows[:, words[members[group]]] = True
        values = yield task.in_turn(rows)
        expected = only[(np.arange(len(only)) & group) == group].mean()
        if values.mean() < expected - WORSE:
            return False
    return True


def _matches(task: Task, words: np.ndarray) -> Generator[Any, np.ndarray, list[np.ndarray]]:
    """For an answer that rests on what matches, p(y | only S), and p(y | all but S) where one text alone loses S.

    Partners that go together leave two texts that still match. So words are necessary if the answer falls without
    those of the first text, the second staying whole, and without those of the second; the table has the higher p.
    """
    (only,) = yield from ask_tables(task, words, both=False, in_turn=True)
    sentences = task.bound.sentences
    gone = np.zeros((len(only), task.n), bool)
    gone[:, words] = subsets(len(words))
    one, other = np.split((yield ~np.concatenate([gone & (sentences == 0), gone & (sentences == 1)])), 2)
    return [only, np.maximum(one, other)]


def _order(tables: Sequence[np.ndarray], near: np.ndarray, theta: np.ndarray) -> list[int]:
    """The order of the candidates that is best for keeping and removing, by dynamic programming.

    Words of reasons, and words that the whole pair needs, come first unless that costs more than a little.
    """
    only, without = tables
    needed = np.maximum(near, 0) / max(near.max(initial=0), LITTLE)
    return best_order(only - without + subsets(len(near)) @ (PREFERENCE * theta + NEEDED_FIRST * needed))


def _fallen(without: np.ndarray) -> bool:
    """Whether little is left of the answer without the candidates."""
    return bool(without[-1] <= without[0] / 2)


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
    task: Task, words: np.ndarray, order: Sequence[int], found: Reasons, psi: np.ndarray, details: dict[str, Any]
) -> Answer:
    """Reasons that do something, and attributions of all words, theta = phi psi, which follow an order.

    What only breaks ties, and for words after those of the reasons what they add, is in the sixth decimal, where it
    decides nothing else.
    """
    memberships = np.zeros((task.n, len(psi)))
    memberships[words] = found.phi
    memberships, psi = memberships[:, psi >= LEAST], psi[psi >= LEAST]
    if len(psi):
        last = max(place for place, word in enumerate(order) if memberships[word].any())
        first = list(order[: max(last + 1, len(details["candidates"]))])
        memberships[first] = _settled(memberships[first], psi, range(len(first)))
    place = np.empty(task.n)
    place[list(order)] = np.linspace(2, 0, task.n, endpoint=False)
    return Answer(memberships @ psi + TIES * place, list(zip(psi, memberships.T, strict=True)), details)


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
