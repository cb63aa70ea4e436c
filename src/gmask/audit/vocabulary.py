"""The words of the pairs of an audit: how frequent they are, and which may stand for which in a control."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count

from gmask.audit.lexicon import is_name
from gmask.audit.seen import Seen

__all__ = ["Vocabulary"]

NEAR = 40  # words of about equal frequency from which a control is drawn
TEXTS = 64  # first texts that are kept, to take words of
NAMES = 40
LONG = 4  # letters of words whose halves make up others
TURNS = 100  # halves that are tried as they are
USUAL = 0.5  # a word without a counterpart is as frequent as the word at this share of the list


class Vocabulary:
    """In how many texts of each side each word stands."""

    def __init__(self) -> None:
        self.counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        self.names: tuple[str, ...] = ()
        self._written: dict[str, Counter[str]] = {}
        self._texts: list[tuple[int, str]] = []
        self._ranked: list[list[str]] = [[], []]
        self._near: dict[tuple[str | None, int], list[str]] = {}  # what was asked for since the words were settled

    def add(self, seen: Seen) -> None:
        """One more pair."""
        for counts, text in zip(self.counts, seen.sides, strict=True):
            counts.update(set(text.words))
            for i, word in enumerate(text.words):
                if is_name(text, i):
                    start, end = text.spans[i]
                    self._written.setdefault(word, Counter())[text.text[start:end]] += 1
        self._texts = sorted([*self._texts, (seen.key, seen.texts[0])])[:TEXTS]

    def settle(self, suspected: frozenset[str]) -> None:
        """All pairs are there; suspected words stand for none."""
        self._ranked = [
            [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if word not in suspected]
            for counts in self.counts
        ]
        names = sorted(
            (w for w in self._written if not any(counts[w] > 2 * self._written[w].total() for counts in self.counts)),
            key=lambda w: (-self._written[w].total(), w),
        )
        self.names = tuple(self._written[w].most_common(1)[0][0] for w in names[:NAMES])
        self._near.clear()

    def stand_ins(self, word: str | None, side: int, key: int) -> Iterator[str]:
        """Words about as frequent on a side as a word, shuffled by a number; then the less alike."""
        if (word, side) not in self._near:
            self._near[word, side] = self._nearest(word, side)
        near = self._near[word, side]
        yield from sorted(near[:NEAR], key=lambda w: (zlib.crc32(f"{key} {w}".encode()), w))
        yield from near[NEAR:]
        yield from (f"word{i}" for i in range(10_000))  # only where the pairs have next to no words

    def made_up(self, side: int, key: int) -> str:
        """A word that no text has, chosen by a number: the first half of one word and the second of another."""
        words = [word for word in self._ranked[side] if len(word) >= LONG] or ["word", "text"]
        for turn in count():
            one, other = (words[zlib.crc32(f"{key} {turn} {end}".encode()) % len(words)] for end in ("head", "tail"))
            made = one[: len(one) // 2] + other[len(other) // 2 :] + "o" * (turn // TURNS)
            if not any(made in counts for counts in self.counts):
                return made
        raise AssertionError

    def nearest(self, word: str, side: int, others: Sequence[str]) -> str:
        """The one of some words that is most nearly as frequent as a word."""
        counts = self.counts[side]
        return min(others, key=lambda w: (abs(counts[w] - counts[word]), w))

    def other_text(self, key: int) -> str:
        """A first text, chosen by a number."""
        return self._texts[key // 2 % len(self._texts)][1]

    def _nearest(self, word: str | None, side: int) -> list[str]:
        ranked, counts = self._ranked[side], self.counts[side]
        wanted = counts[ranked[int(len(ranked) * USUAL)]] if word is None and ranked else counts[word or ""]
        alike = [w for w in ranked if w != word]
        return sorted(alike, key=lambda w: (abs(counts[w] - wanted) / (counts[w] + wanted), w))[: 4 * NEAR]
