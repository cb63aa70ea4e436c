"""What the explained pairs say of the causes: how many answers rest on each, and how often those are right."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gmask.audit.causes import Cause
from gmask.audit.seen import Seen

__all__ = ["Gathered", "Support", "gather"]

SHOWN = 30  # pairs kept of each cause, and of each group of errors, to be shown


@dataclass
class Support:
    """The pairs with a cause.

    Attributes:
        rests: The numbers of the pairs whose answer is its label and rests on it.
        there: How many pairs have it.
        said: Of these, how many were given its label.
        said_others: How many of the pairs without it were.
        fresh: The same four numbers, of the fresh half only: with it and its label, with it, without it and its label,
            without it.
        others: Of the pairs without it that were given its label: how many are right, and of how many that is known.
        shown: A few of the pairs whose answer rests on it, wrong ones first.
    """

    rests: list[int] = field(default_factory=list)
    there: int = 0
    fresh: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    others: list[int] = field(default_factory=lambda: [0, 0])
    shown: list[tuple[int, int, int, Seen]] = field(default_factory=list)

    def add(self, cause: Cause, seen: Seen) -> bool:
        """One more pair; returns whether its answer rests on the cause."""
        there, own = cause.pattern.holds(seen.sides), seen.label == cause.label
        self.there += there
        if seen.fresh:
            self.fresh[0 if there else 2] += own
            self.fresh[1 if there else 3] += 1
        if own and not there and seen.gold is not None:
            self.others[0] += bool(seen.right)
            self.others[1] += 1
        if not (own and there and cause.pattern.carries(seen)):
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
        table: Of each pair its number, what was said, what is right, and whether each text carries the answer alone.
        blamed: For each wrong answer, by the pair's number, the position of the cause it rests on, or a side, or nothing.
        wrong: A few wrong answers of each such group.
        survival: For each label and text, the sum of the survivals and of how often the answer is there anyway, and of
            how many pairs.
    """

    support: list[Support]
    table: list[tuple[int, int, int | None, bool, bool]] = field(default_factory=list)
    blamed: dict[int, str] = field(default_factory=dict)
    wrong: dict[str, list[tuple[int, int, int, Seen]]] = field(default_factory=dict)
    survival: Counter[tuple[int, str]] = field(default_factory=Counter)


def gather(pairs: Iterable[Seen], causes: Sequence[Cause]) -> Gathered:
    """Walk over the pairs."""
    found = Gathered([Support() for _ in causes])
    for seen in pairs:
        own = [i for i, cause in enumerate(causes) if found.support[i].add(cause, seen)]
        found.table.append((seen.number, seen.label, seen.gold, *seen.alone))
        if seen.survival is not None and seen.anyway is not None:
            for name, value in zip(("first", "second", "anyway"), (*seen.survival, seen.anyway), strict=True):
                found.survival[seen.label, name] += value  # type: ignore[assignment]
            found.survival[seen.label, "pairs"] += 1
        if seen.right is False:
            group = f"finding {own[0] + 1}" if own else _carrier(seen)
            found.blamed[seen.number] = group
            _keep(found.wrong.setdefault(group, []), seen)
    return found


def _carrier(seen: Seen) -> str:
    return "first text alone" if seen.alone[0] else "second text alone" if seen.alone[1] else "neither"


def _keep(kept: list[tuple[int, int, int, Seen]], seen: Seen) -> None:
    """Keep it if it is worth showing more than what is kept: wrong answers, the surest first."""
    item = (seen.right is False, round(seen.probability * 10_000), -seen.number, seen)
    if len(kept) < SHOWN:
        heapq.heappush(kept, item)
    else:
        heapq.heappushpop(kept, item)
