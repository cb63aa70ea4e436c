"""The evidence that stands beside every explanation, and that anyone can repeat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from gmask.explanation import MEMBER, Evidence, Group
from gmask.method.base import Answer
from gmask.model.bound import BoundPair, Request
from gmask.model.held import HeldPair, hold
from gmask.reference import Reference, References
from gmask.target import Target

__all__ = ["CURVE", "Witness", "numbers"]

CURVE = 10  # the evidence curve shows this many top words
BRIEF = 4  # and of what is known so far, this many


@dataclass(frozen=True)
class Witness:
    """What to ask about a method's answer, and what it shows.

    Args:
        bound: The pair.
        reference: What its answer is held against.
        references: What it may be held against, from which sentences are exchanged for others.
        target: What is explained.
        answer: Of the method.
        brief: With fewer top words, and without exchanges.
    """

    bound: BoundPair
    reference: Reference
    references: References
    target: Target
    answer: Answer
    brief: bool = False

    @property
    def requests(self) -> list[Request]:
        """Top words and groups, kept and removed; a sentence emptied, and exchanged for others."""
        held, n = hold(self.bound, self.reference), len(self.bound.words)
        members = np.array([m >= MEMBER for _, m in self.answer.groups], dtype=bool).reshape(-1, n)
        rank = np.argsort(np.argsort(-self.answer.attributions, kind="stable"))
        top = rank <= np.arange(min(BRIEF if self.brief else CURVE, n))[:, None]
        emptied = np.array([self.bound.sentences != 0, self.bound.sentences != 1])
        return [
            *((held, rows) for rows in (top, ~top, members, ~members)),
            (self.bound, emptied),
            *chain(*self._exchanges),
        ]

    def read(self, outputs: Sequence[np.ndarray], nothing: np.ndarray) -> tuple[tuple[Group, ...], Evidence]:
        """What it shows.

        Args:
            outputs: Of each request.
            nothing: The output where no word is left.
        """
        shown = self.target.shown
        kept, removed, only, without, alone, *foreign = outputs
        groups = [
            Group(float(importance), numbers(memberships), kept=float(k), removed=float(r))
            for (importance, memberships), k, r in zip(self.answer.groups, shown(only), shown(without), strict=True)
        ]
        evidence = Evidence(
            kept=numbers(shown(kept)),
            removed=numbers(shown(removed)),
            emptied=_pair(shown(alone)),
            nothing=float(shown(nothing)),
            **self._survival(foreign),
        )
        return tuple(sorted(groups, key=lambda g: -g.importance)), evidence

    @cached_property
    def _exchanges(self) -> list[list[Request]]:
        """The pair with its first, and with its second, sentence exchanged for others, and pairs of others alone."""
        model, choice = self.bound.model, self.references
        if self.brief or not model.reads or choice.kind == "empty":
            return []
        if (unrelated := choice.unrelated(*self.bound.texts)) is None:
            return []
        held = hold(self.bound, unrelated)
        assert isinstance(held, HeldPair)
        sides = (held.beside(1), held.beside(0), held.nothing)
        return [[(other, np.ones((1, len(other.words)), bool)) for other in side] for side in sides]

    def _survival(self, outputs: Sequence[np.ndarray]) -> dict[str, Any]:
        """How often the answer stays with a sentence exchanged; where unrelated pairs have it too, that says little."""
        if not self._exchanges:
            return {"survives": (False, False)}
        places = np.cumsum([len(side) for side in self._exchanges])[:-1]
        first, second, both = np.split(np.concatenate(outputs), places)
        shares = [float(self.target.agrees(own).mean()) for own in (first, second, both)]
        return {
            "survives": (shares[0] == 1 > shares[2], shares[1] == 1 > shares[2]),
            "exchanged": _pair(self.target.shown(own).mean() for own in (first, second)),
            "survival": _pair(shares[:2]),
            "anyway": shares[2],
        }


def numbers(values: Iterable[Any]) -> tuple[float, ...]:
    """Plain ones."""
    return tuple(float(v) for v in values)


def _pair(values: Iterable[Any]) -> tuple[float, float]:
    first, second = numbers(values)
    return first, second
