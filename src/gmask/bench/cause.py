"""A known cause: words without which, or with others in their place, the model says something else of a pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Cause", "spread"]


@dataclass(frozen=True)
class Cause:
    """A pair, the label the model gives it, the positions of the words that are a cause of it, and what kind they are.

    Words are counted through both sentences, as in an explanation.
    """

    first: str
    second: str
    label: str
    changed: tuple[int, ...]
    kind: str


def spread(choices: Iterable[Sequence[Cause]]) -> Iterator[Cause]:
    """One cause of each of several, of the kind there are fewest of so far; of these the first."""
    seen = Counter[str]()
    for causes in choices:
        if causes:
            chosen = min(causes, key=lambda cause: seen[cause.kind])
            seen[chosen.kind] += 1
            yield chosen
