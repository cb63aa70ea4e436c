"""What is done to a pair to see whether a pattern causes answers: words put in, taken out or exchanged.

Each edit has controls: the same done with words of equal frequency that no suspicion names. Words that are put in have
another, words that no text has: a model may be upset by any that it does not expect. Of a pattern of two words each is
replaced by itself, while the other is real: so it must do more than its parts.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from gmask.audit.lexicon import NUMBERS, is_name, is_number
from gmask.audit.pattern import Pattern
from gmask.audit.seen import Seen, Text, text_of
from gmask.audit.vocabulary import Vocabulary

__all__ = ["Arms", "Pair", "edit", "insert", "remove", "replace"]

Pair = tuple[str, str]
LENGTHENED = 6  # words that make a text longer


@dataclass(frozen=True)
class Arms:
    """A pair as it becomes with the pattern, and as it becomes by each control."""

    treated: Pair
    controls: tuple[Pair, ...]


def insert(text: Text, *words: str, place: int) -> str:
    """A text with words put in before the one at a position; after the last, if there are fewer."""
    if place >= len(text.words):
        start = text.spans[-1][1]
        return text.text[:start] + "".join(f" {word}" for word in words) + text.text[start:]
    start = text.spans[place][0]
    return text.text[:start] + "".join(f"{word} " for word in words) + text.text[start:]


def remove(text: Text, places: Sequence[int]) -> str:
    """A text without the words at some positions."""
    return replace(text, dict.fromkeys(places, ""))


def replace(text: Text, words: dict[int, str]) -> str:
    """A text with other words at some positions."""
    whole = text.text
    for place in sorted(words, reverse=True):
        start, end = text.spans[place]
        head, tail = whole[:start], whole[end:]
        whole = (
            head + words[place] + tail if words[place] else head + (tail.lstrip() if head[-1:] in ("", " ") else tail)
        )
    return whole.strip()


def edit(pattern: Pattern, host: Seen, vocabulary: Vocabulary) -> Arms | None:
    """The pair with the pattern brought about, and its controls; None where it cannot be brought about in this pair."""
    if pattern.holds(host.sides):
        return None
    if pattern.together and any(word.holds(host.sides) for word in pattern.single):
        return None  # what each of the words does alone is asked as well
    if pattern.kind == "absent":
        return _take_out(pattern, host, vocabulary)
    if pattern.kind in ("numbers", "names"):
        return _exchange(pattern.kind, host, vocabulary)
    if pattern.kind == "contained":
        return _contain(host, vocabulary)
    if pattern.kind == "longer":
        return _lengthen(host, vocabulary)
    if pattern.kind == "opening":
        return _open(pattern, host, vocabulary)
    return _put_in(pattern, host, vocabulary)


def _put_in(pattern: Pattern, host: Seen, vocabulary: Vocabulary) -> Arms:
    """Words put in; in each control, another stands for one of them."""
    words: tuple[Sequence[str], Sequence[str]] = pattern.words
    if pattern.any_of:
        own = pattern.words[pattern.side]
        one = own[host.key // 2 % len(own)]
        words = ((one,), ()) if pattern.side == 0 else ((), (one,))
    if pattern.kind == "same":
        there = {*host.sides[0].words, *host.sides[1].words}
        shared, other = islice((w for w in vocabulary.stand_ins(None, 1, host.key) if w not in there), 2)
        return Arms(_with(host, (shared,), (shared,)), (_with(host, (other,), (shared,)),))
    stand_ins = {
        (side, word): next(
            w
            for w in vocabulary.stand_ins(word, side, host.key)
            if w not in host.sides[side].words and w not in pattern.named
        )
        for side, own in enumerate(words)
        for word in own
    }
    treated = _with(host, *words)
    controls = [
        _with(host, *([stand_ins[s, w] if (s, w) == gone else w for w in own] for s, own in enumerate(words)))
        for gone in stand_ins
    ]
    # Nor is it enough that any words stand there, or any word on both sides.
    first, second = ([vocabulary.made_up(s, host.key + i) for i in range(len(own))] for s, own in enumerate(words))
    controls.append(_with(host, first, first if pattern.kind == "overlap" else second))
    return Arms(treated, tuple(controls))


def _with(host: Seen, first: Sequence[str], second: Sequence[str]) -> Pair:
    texts = []
    for side, own in enumerate((first, second)):
        text = host.sides[side]
        texts.append(insert(text, *own, place=host.key // 2 % len(text.words)) if own else text.text)
    return texts[0], texts[1]


def _open(pattern: Pattern, host: Seen, vocabulary: Vocabulary) -> Arms | None:
    """The word put before all others; in the controls it stands elsewhere, or another word stands there."""
    side, (word,) = pattern.side, pattern.words[pattern.side]
    text = host.sides[side]
    if len(text.words) < 2:
        return None
    other = next(w for w in vocabulary.stand_ins(word, side, host.key) if w not in text.words)
    elsewhere = insert(text, word, place=1 + host.key // 2 % (len(text.words) - 1))
    changed = (insert(text, word, place=0), elsewhere, insert(text, other, place=0))
    treated, *controls = (_instead(host, side, own) for own in changed)
    return Arms(treated, tuple(controls))


def _take_out(pattern: Pattern, host: Seen, vocabulary: Vocabulary) -> Arms | None:
    """The word taken out of its text, or another one that is about as frequent."""
    side = pattern.side
    text, gone = host.sides[side], pattern.words[side]
    others = [w for w in dict.fromkeys(text.words) if w not in gone]
    if len(others) < 2:
        return None
    other = vocabulary.nearest(gone[0], side, others)
    treated, control = (remove(text, [p for w in own for p in text.where(w)]) for own in (gone, (other,)))
    return Arms(_instead(host, side, treated), (_instead(host, side, control),))


def _exchange(kind: str, host: Seen, vocabulary: Vocabulary) -> Arms | None:
    """A number or a name that both texts share becomes another in the second; in the control, another shared word."""
    first, second = host.sides
    marks = [is_number(w) if kind == "numbers" else is_name(second, i) for i, w in enumerate(second.words)]
    shared = [i for i, w in enumerate(second.words) if w in first.words]
    own, others = ([i for i in shared if marks[i] == wanted] for wanted in (True, False))
    others = [i for i in others if len(second.words[i]) > 3] or others
    if not own or not others:
        return None
    new = (NUMBERS if kind == "numbers" else vocabulary.names) or ()
    there = {*first.words, *second.words}
    free = [w for w in new if w.lower() not in there]
    if not free:
        return None
    old = host.sides[1].words[own[0]]
    name = free[host.key // 2 % len(free)]
    if kind == "numbers" and old[:1].isdigit():
        name = str(int("".join(c for c in old if c.isdigit())[:9]) + 1 + host.key // 2 % 5)
    place = others[host.key // 2 % len(others)]
    word = next(w for w in vocabulary.stand_ins(second.words[place], 1, host.key) if w not in there)
    treated, control = replace(second, {own[0]: name}), replace(second, {place: word})
    return Arms((first.text, treated), ((first.text, control),))


def _contain(host: Seen, vocabulary: Vocabulary) -> Arms | None:
    """The second text becomes words of the first, out of order; in the control, words of another first text."""
    first, second = host.sides
    other = text_of(vocabulary.other_text(host.key))
    count = min(len(second.words), len(first.words), len(other.words))
    if count < 2 or set(other.words) <= set(first.words):
        return None
    treated, control = (" ".join(_shuffled(text.words, host.key)[:count]) for text in (first, other))
    return Arms((first.text, treated), ((first.text, control),))


def _shuffled(words: Sequence[str], key: int) -> list[str]:
    return sorted(words, key=lambda word: (zlib.crc32(f"{key} {word}".encode()), word))


def _lengthen(host: Seen, vocabulary: Vocabulary) -> Arms | None:
    """Words are added to the second text; in the control as many of its words become these."""
    first, second = host.sides
    missing = len(first.words) - len(second.words)
    if not 0 < missing <= LENGTHENED or missing > len(second.words):
        return None
    there = {*first.words, *second.words}
    free = (w for w in vocabulary.stand_ins(None, 1, host.key) if w not in there)
    words = list(islice(cycle(list(islice(free, missing))), missing))
    start = host.key // 2 % (len(second.words) - missing + 1)
    control = replace(second, {start + i: word for i, word in enumerate(words)})
    return Arms((first.text, insert(second, *words, place=start)), ((first.text, control),))


def _instead(host: Seen, side: int, text: str) -> Pair:
    return (text, host.texts[1]) if side == 0 else (host.texts[0], text)
