"""What predictions may have in common: words on a side or on both, or a relation of the two sides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gmask.audit.lexicon import is_name, is_negation, is_number
from gmask.audit.seen import Seen, Text

__all__ = ["RELATIONS", "TOGETHER", "Pattern"]

RELATIONS = {  # patterns without words of their own
    "numbers": "the numbers of the two texts differ",
    "names": "the names of the two texts differ",
    "same": "the two texts have words in common",
    "contained": "the second text has no word that the first has not",
    "longer": "the second text is as long as the first, or longer",
}
TOGETHER = ("pair", "overlap", "set")  # kinds of two words
_PLACES = ("first", "second")

Sides = tuple[Text, Text]
Places = tuple[frozenset[int], frozenset[int]]  # positions of words in the first and in the second text


@dataclass(frozen=True)
class Pattern:
    """What some pairs have in common.

    Attributes:
        kind: `word`: a word of one text. `pair`: a word of the first with another of the second. `overlap`: the same
            word in both. `set`: several words of one text. `opening`: a word that a text begins with. `absent`: a word
            that is not there. `alike`, `negation`: any of several words of one text. The others are in `RELATIONS`.
        first: Its words in the first text.
        second: Its words in the second text.
    """

    kind: str
    first: tuple[str, ...] = ()
    second: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Of the first and of the second text."""
        return self.first, self.second

    @property
    def side(self) -> int:
        """The text its words are in, where they are in one."""
        return 0 if self.first else 1

    @property
    def named(self) -> frozenset[str]:
        """All its words."""
        return frozenset((*self.first, *self.second))

    @property
    def general(self) -> bool:
        """Whether it is of a kind of words, or of how the texts relate, not of words of its own."""
        return self.kind == "negation" or self.kind in RELATIONS

    @property
    def together(self) -> bool:
        """Whether it is of two words that are put in together."""
        return self.kind in TOGETHER

    @property
    def single(self) -> tuple[Pattern, ...]:
        """Each of its words by itself."""
        return tuple(
            Pattern("word", (word,), ()) if side == 0 else Pattern("word", (), (word,))
            for side, own in enumerate(self.words)
            for word in own
        )

    @property
    def any_of(self) -> bool:
        """Whether one of its words is enough."""
        return self.kind in ("alike", "negation")

    def holds(self, sides: Sides) -> bool:
        """Whether the two texts have it."""
        if self.kind in RELATIONS:
            return _RELATES[self.kind](*sides)
        there = [[word in sides[side].words for word in own] for side, own in enumerate(self.words)]
        if self.kind == "absent":
            return not any(there[self.side])
        if self.kind == "opening":
            return sides[self.side].words[:1] == self.words[self.side]
        if self.kind == "negation":  # of one text only: two negated texts may well say the same
            return any(there[self.side]) and not any(is_negation(w) for w in sides[1 - self.side].words)
        return any(there[self.side]) if self.any_of else all(map(all, there))

    def places(self, sides: Sides) -> Places:
        """Where what makes it stands."""
        first, second = sides
        if self.kind in ("same", "contained"):
            shared = set(first.words) & set(second.words)
            return _where(first, shared), _where(second, shared)
        if self.kind in ("numbers", "names"):
            apart = set(_marked(self.kind, first)) ^ set(_marked(self.kind, second))
            return _where(first, apart), _where(second, apart)
        if self.kind == "longer":
            return frozenset(), frozenset()
        if self.kind == "opening":
            return (frozenset((0,)), frozenset()) if self.side == 0 else (frozenset(), frozenset((0,)))
        return _where(first, self.first), _where(second, self.second)

    def carries(self, seen: Seen) -> bool:
        """Whether the answer rests on it: it is there, and on each side it has words on, the answer rests on some.

        Of a word that is not there, and of lengths, no answer can be said to rest on words: there it is enough.
        """
        if not self.holds(seen.sides):
            return False
        places = self.places(seen.sides)
        if self.kind == "absent" or not any(places):
            return True
        found = [bool(own & resting) for own, resting in zip(places, seen.resting, strict=True)]
        if self.kind in ("pair", "overlap"):
            return all(found)
        if self.kind == "set":
            own = seen.sides[self.side]
            return all(set(own.where(word)) & seen.resting[self.side] for word in self.words[self.side])
        return any(found)

    def __str__(self) -> str:
        """In words."""
        if self.kind in RELATIONS:
            return RELATIONS[self.kind]
        if self.kind == "overlap":
            return f"“{self.first[0]}” in both texts"
        if self.kind == "pair":
            return f"“{self.first[0]}” in the first text, “{self.second[0]}” in the second"
        if self.kind == "negation":
            return f"a negation in the {_PLACES[self.side]} text only"
        if self.kind == "opening":
            return f"“{self.words[self.side][0]}” at the start of the {_PLACES[self.side]} text"
        joined = (" or " if self.any_of else " and ").join(f"“{word}”" for word in self.words[self.side])
        return f"{'no ' if self.kind == 'absent' else ''}{joined} in the {_PLACES[self.side]} text"


def _marked(kind: str, text: Text) -> list[str]:
    """The numbers or the names of a text."""
    if kind == "numbers":
        return [word for word in text.words if is_number(word)]
    return [text.words[i] for i in range(len(text.words)) if is_name(text, i)]


def _differ(kind: str, first: Text, second: Text) -> bool:
    one, other = set(_marked(kind, first)), set(_marked(kind, second))
    return bool(one and other) and one != other


def _contained(first: Text, second: Text) -> bool:
    return set(second.words) <= set(first.words)


_RELATES: dict[str, Callable[[Text, Text], bool]] = {
    "numbers": lambda first, second: _differ("numbers", first, second),
    "names": lambda first, second: _differ("names", first, second),
    "same": lambda first, second: bool(set(first.words) & set(second.words)),
    "contained": _contained,
    "longer": lambda first, second: len(second.words) >= len(first.words),
}


def _where(text: Text, words: Sequence[str] | set[str]) -> frozenset[int]:
    return frozenset(i for word in words for i in text.where(word))
