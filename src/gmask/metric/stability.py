"""Stability: whether the top words, and the groups, stay when nothing that matters changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import ClassVar

import numpy as np

from gmask.explanation import Explanation
from gmask.jaccard import jaccard, match
from gmask.metric.base import Answers, Case, Metric, Variant

__all__ = ["CHANGES", "ChangeStability", "GroupStability", "SeedStability", "Stability", "measure_stability"]

TOP = 4  # the paper's figures show four words
SEEDS = (1, 2)  # added to the study's own seed
NAMES = ("James", "John", "Peter", "David", "Michael", "Robert", "Mary", "Anna", "Sarah", "Laura", "Emma", "Linda")


@dataclass(frozen=True)
class Stability(Metric):
    """How like the explanations of its variants an explanation is, on average; those of another label do not count."""

    needs: ClassVar[str] = "variants that the model gives the same label"
    costly: ClassVar[bool] = True

    def likeness(self, own: Explanation, other: Explanation) -> float | None:
        """The share of the top words that stay."""
        return _overlap(own, other)

    def measure(self, case: Case, answers: Answers) -> list[float] | None:  # noqa: ARG002
        """The mean likeness over the variants."""
        own = case.explanation
        others = [case.variants[v] for v in self.variants(own)]
        found = [self.likeness(own, other) for other in others if other.label == own.label]
        known = [value for value in found if value is not None]
        return [sum(known) / len(known)] if known else None


@dataclass(frozen=True)
class SeedStability(Stability):
    """The share of the top four words that stay with two other seeds, averaged over the seeds."""

    name: ClassVar[str] = "seed_stability"
    title: ClassVar[str] = "Stability over seeds"
    summary: ClassVar[str] = "how many of the top four words stay with another seed"

    def variants(self, explanation: Explanation) -> Sequence[Variant]:
        """The same pair with two other seeds."""
        e = explanation
        return [Variant(e.first, e.second, e.seed + step) for step in SEEDS]


@dataclass(frozen=True)
class ChangeStability(Stability):
    """The share of the top four words that stay under small changes that should not matter.

    The changes are: a full stop at the end put there or taken away, the first letter's case turned, contractions
    written out, the first comma taken away or one put before the first "and", and given names changed. Those that do
    not change the texts, and those after which the model says another label (so that another explanation is due), are
    passed over.
    """

    name: ClassVar[str] = "change_stability"
    title: ClassVar[str] = "Stability over small changes"
    summary: ClassVar[str] = (
        "how many of the top four words stay when a full stop, a comma, a capital or a name changes"
    )

    def variants(self, explanation: Explanation) -> Sequence[Variant]:
        """The pair after each change that changes it."""
        e = explanation
        texts = {(change(e.first), change(e.second)) for change in CHANGES} - {(e.first, e.second)}
        return [Variant(first, second, e.seed) for first, second in sorted(texts)]


@dataclass(frozen=True)
class GroupStability(Stability):
    """How alike the groups are with two other seeds and after small changes. Methods without groups have none."""

    name: ClassVar[str] = "group_stability"
    title: ClassVar[str] = "Stability of the groups"
    summary: ClassVar[str] = "how like the groups are with another seed or after a change that should not matter"
    needs: ClassVar[str] = "groups"

    def variants(self, explanation: Explanation) -> Sequence[Variant]:
        """The variants of both kinds."""
        return [*SeedStability().variants(explanation), *ChangeStability().variants(explanation)]

    def likeness(self, own: Explanation, other: Explanation) -> float | None:
        """How alike the groups are."""
        return _likeness(own, other) if own.groups else None


def measure_stability(e: Explanation, explain: Callable[[Variant], Explanation]) -> dict[str, float]:
    """The stabilities of one explanation, by name.

    Args:
        e: The explanation.
        explain: Explains a variant of its pair in the same way.
    """
    metrics = (SeedStability(), ChangeStability(), GroupStability())
    explained = {v: explain(v) for v in dict.fromkeys(v for m in metrics for v in m.variants(e))}
    case, nothing = Case(e, variants=explained), Answers(np.empty(0), np.empty(0))
    measured = {m.name: m.measure(case, nothing) for m in metrics}
    return {name: numbers[0] for name, numbers in measured.items() if numbers is not None}


def _full_stop(text: str) -> str:
    bare = text.rstrip()
    if bare.endswith("."):
        return bare.rstrip(". ")
    return f"{bare}." if bare[-1:].isalnum() else text


def _first_letter(text: str) -> str:
    return text[:1].swapcase() + text[1:]


def _contractions(text: str) -> str:
    text = re.sub(r"\b(do|does|did|is|are|was|were|has|have|had|would|could|should)n['’]t\b", r"\1 not", text)
    return re.sub(r"\b(I)['’]m\b", r"\1 am", re.sub(r"\b(\w+)['’]re\b", r"\1 are", text))


def _comma(text: str) -> str:
    return text.replace(",", "", 1) if "," in text else re.sub(r"(\w) and\b", r"\1, and", text, count=1)


def _names(text: str) -> str:
    following = dict(zip(NAMES, NAMES[1:] + NAMES[:1], strict=True))
    return re.sub(r"\b(" + "|".join(NAMES) + r")\b", lambda found: following[found[0]], text)


CHANGES: tuple[Callable[[str], str], ...] = (_full_stop, _first_letter, _contractions, _comma, _names)


def _overlap(own: Explanation, other: Explanation) -> float:
    """The share of the top words of one that are top words of the other, found again by their place in the text."""
    count = min(TOP, len(own.words))
    again = {i: j for i, j in _aligned(own, other) if j in other.order()[:count]}
    return sum(i in again for i in own.order()[:count]) / count


def _likeness(own: Explanation, other: Explanation) -> float:
    """How like the groups of one are those of the other; words that the change took or brought count as others."""
    place = {j: i for i, j in _aligned(own, other)}
    found = [[place.get(j, len(own.words) + j) for j in g.members] for g in other.groups if g.members]
    return match(jaccard([g.members for g in own.groups if g.members], found))


def _aligned(own: Explanation, other: Explanation) -> list[tuple[int, int]]:
    keys = [[(w.sentence, w.text.casefold()) for w in e.words] for e in (own, other)]
    blocks = SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_matching_blocks()
    return [(b.a + k, b.b + k) for b in blocks for k in range(b.size)]
