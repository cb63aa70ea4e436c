"""What the explained pairs say of the causes: how many answers rest on each, and how often those are right."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gmask.audit.causes import Cause
from gmask.audit.seen import Seen

__all__ = ["Gathered", "Support", "gather"]

COLUMNS = (
    *("number", "label", "gold", "survival_first", "survival_second", "anyway"),
    *("fresh", "alone_first", "alone_second"),  # the numbers of the pairs that are
)
SHOWN = 30  # pairs kept of each cause, and of each group of errors, to be shown


@dataclass
class Support:
    """The pairs with a cause.

    Attributes:
        rests: The numbers of the pairs whose answer is its label and rests on it.
        there: The numbers of the pairs that have it.
        shown: A few of the pairs whose answer rests on it, wrong ones first.
    """

    rests: list[int] = field(default_factory=list)
    there: list[int] = field(default_factory=list)
    shown: list[tuple[int, int, int, Seen]] = field(default_factory=list)

    def add(self, cause: Cause, seen: Seen) -> bool:
        """One more pair; returns whether its answer rests on the cause."""
        if not cause.pattern.holds(seen.sides):
            return False
        self.there.append(seen.number)
        if seen.label != cause.label or not cause.pattern.carries(seen):
            return False
        self.rests.append(seen.number)
        _keep(self.shown, seen)
        return True

    @property
    def examples(self) -> list[Seen]:
        """Those that are shown, in their order."""
        return [seen for *_, seen in sorted(self.shown, reverse=True)]


@dataclass
class Gathered:
    """All that one walk over the pairs gathers.

    Attributes:
        support: Of each cause.
        table: What is kept of each pair.
        blamed: For each wrong answer, by the pair's number: the cause it rests on, or the text that carries it.
        wrong: A few wrong answers of each such group.
    """

    support: list[Support]
    table: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in COLUMNS})
    blamed: dict[int, str] = field(default_factory=dict)
    wrong: dict[str, list[tuple[int, int, int, Seen]]] = field(default_factory=dict)


def gather(pairs: Iterable[Seen], causes: Sequence[Cause], labels: Sequence[str]) -> Gathered:
    """Walk over the pairs."""
    found = Gathered([Support() for _ in causes])
    for seen in pairs:
        own = [i for i, cause in enumerate(causes) if found.support[i].add(cause, seen)]
        _row(found.table, seen, labels)
        if seen.right is False:
            group = f"finding {own[0] + 1}" if own else _carrier(seen)
            found.blamed[seen.number] = group
            _keep(found.wrong.setdefault(group, []), seen)
    return found


def _row(table: dict[str, list[Any]], seen: Seen, labels: Sequence[str]) -> None:
    """One more pair: what every pair has, and the numbers of the pairs of which something holds."""
    table["number"].append(seen.number)
    table["label"].append(labels[seen.label])
    table["gold"].append(None if seen.gold is None else labels[seen.gold])
    for name, value in zip(("survival_first", "survival_second"), seen.survival or (None, None), strict=True):
        table[name].append(None if value is None else round(value, 4))
    table["anyway"].append(None if seen.anyway is None else round(seen.anyway, 4))
    for name, holds in (("fresh", seen.fresh), ("alone_first", seen.alone[0]), ("alone_second", seen.alone[1])):
        if holds:
            table[name].append(seen.number)


def _carrier(seen: Seen) -> str:
    return "first text alone" if seen.alone[0] else "second text alone" if seen.alone[1] else "neither"


def _keep(kept: list[tuple[int, int, int, Seen]], seen: Seen) -> None:
    """Keep it if it is worth showing more than what is kept: wrong answers, the surest first."""
    item = (seen.right is False, round(seen.probability * 10_000), -seen.number, seen)
    if len(kept) < SHOWN:
        heapq.heappush(kept, item)
    else:
        heapq.heappushpop(kept, item)
