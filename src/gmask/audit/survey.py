"""One walk over the explained pairs: what must be known of them before anything can be suspected."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator

from gmask.audit.seen import Seen
from gmask.audit.vocabulary import Vocabulary

__all__ = ["Hosts", "Survey", "survey"]

KEPT = 1_000  # pairs a label and a half in which edits can be made; so memory does not grow with the data


class Hosts:
    """Pairs to make edits in: those the model gets right, where that is known; those with the lowest keys."""

    def __init__(self) -> None:
        self._kept: dict[int, list[tuple[int, int, Seen]]] = {}

    def add(self, seen: Seen) -> None:
        """One more pair."""
        kept = self._kept.setdefault(seen.label, [])
        if len(kept) < KEPT:
            heapq.heappush(kept, (-seen.key, -seen.number, seen))
        else:
            heapq.heappushpop(kept, (-seen.key, -seen.number, seen))

    def __iter__(self) -> Iterator[Seen]:
        """In the order of their keys, labels mixed, each text pair once."""
        kept = sorted((item for own in self._kept.values() for item in own), key=lambda item: (-item[0], -item[1]))
        before = None
        for _, _, seen in kept:
            if seen.texts != before:
                yield seen
            before = seen.texts

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Survey:
    """What is known of the pairs.

    Attributes:
        vocabulary: Their words.
        hosts: Pairs to make edits in, of the half that suspicions come from, and of the fresh half.
        pairs: How many there are.
        gold: Of how many the right answer is known.
        right: Of how many the answer is right.
        said: How many were given each label.
        golds: How many have each label.
    """

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.hosts = (Hosts(), Hosts())
        self.pairs = self.gold = self.right = 0
        self.said: Counter[int] = Counter()
        self.golds: Counter[int] = Counter()

    @property
    def labelled(self) -> bool:
        """Whether there are right answers to hold the model's against."""
        return self.gold > 0

    def add(self, seen: Seen) -> None:
        """One more pair."""
        self.vocabulary.add(seen)
        self.pairs += 1
        self.said[seen.label] += 1
        if seen.gold is not None:
            self.gold += 1
            self.right += bool(seen.right)
            self.golds[seen.gold] += 1


def survey(pairs: Iterable[Seen], *, labelled: bool) -> Survey:
    """Walk over the pairs.

    Args:
        pairs: The explained pairs.
        labelled: Whether only pairs with a right answer may be edited.
    """
    found = Survey()
    for seen in pairs:
        found.add(seen)
        if seen.right or not labelled:
            found.hosts[seen.fresh].add(seen)
    return found
