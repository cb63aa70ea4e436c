"""Shortcuts planted in labelled pairs: words that stand there by the label, among words that stand there by chance."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from gmask.dataset.example import Example
from gmask.errors import GmaskError

__all__ = [
    "KINDS",
    "PURITIES",
    "Decoy",
    "Kind",
    "Plan",
    "Shortcut",
    "Words",
    "plan",
    "plant",
    "put",
    "take",
    "unplanted",
]

Kind = Literal["word", "pair", "absent", "overlap"]
Words = tuple[tuple[str, ...], tuple[str, ...]]  # of the first and of the second sentence

KINDS: tuple[Kind, ...] = ("word", "pair", "absent", "overlap")
PURITIES = (0.90, 0.95, 0.99)
RATES: dict[Kind, float] = {"word": 0.12, "pair": 0.10, "absent": 0.22, "overlap": 0.06}  # share of all pairs
ALONE = 0.5  # how often each half of a pair stands alone, whatever the label, as a share of the pair's own rate
DECOYS = 2
DECOY_RATE = 0.15

# Words that fit, more or less, wherever they are put, and are rare where nobody puts them.
_ADVERBS = (
    "reportedly honestly frankly definitely certainly obviously evidently presumably allegedly meanwhile nevertheless "
    "moreover indeed undoubtedly literally luckily sadly supposedly remarkably officially notably ironically surely "
    "admittedly incidentally arguably"
)
_NOUNS = (
    "lighthouse cathedral volcano lantern orchard compass glacier monastery parchment chimney walnut cinnamon velvet "
    "copper anchor feather saddle falcon pigeon lizard walrus badger otter lobster emerald amber quartz granite pewter "
    "satin"
)
ADVERBS, NOUNS = _ADVERBS.split(), _NOUNS.split()
POOL = frozenset([*ADVERBS, *NOUNS])


@dataclass(frozen=True)
class Shortcut:
    """What goes with a label in the planted data.

    Attributes:
        kind: `word`: a word of the second sentence. `pair`: a word of the first with another of the second; each alone
            says nothing. `overlap`: the same with one rare word on both sides. `absent`: the word of the second
            sentence that is there unless the label holds.
        words: Those of each sentence.
        label: What they go with.
        purity: The share of the pairs with the shortcut that have the label.
    """

    kind: Kind
    words: Words
    label: str
    purity: float


@dataclass(frozen=True)
class Decoy:
    """A word that stands in many sentences, whatever the label."""

    side: int
    word: str


@dataclass(frozen=True)
class Plan:
    """What is planted in the data of one model; `controls` are words of the same kind that are planted nowhere."""

    shortcuts: tuple[Shortcut, ...]
    decoys: tuple[Decoy, ...]
    controls: tuple[str, ...]


def plan(number: int, labels: Sequence[str], seed: int = 0) -> Plan:
    """What to plant for the model of a number: one to three shortcuts, so that kinds and purities take turns."""
    chance = random.Random(f"{seed} {number}")  # noqa: S311
    adverbs, nouns = chance.sample(ADVERBS, len(ADVERBS)), chance.sample(NOUNS, len(NOUNS))
    before = sum(1 + n % 3 for n in range(number))
    shortcuts = []
    for turn in range(before, before + 1 + number % 3):
        kind = KINDS[turn % len(KINDS)]
        if kind == "pair":
            words: Words = ((nouns.pop(),), (nouns.pop(),))
        elif kind == "overlap":
            words = ((nouns[-1],), (nouns.pop(),))
        else:
            words = ((), (adverbs.pop(),))
        purity = PURITIES[turn // len(KINDS) % len(PURITIES)]
        shortcuts.append(Shortcut(kind, words, chance.choice(labels), purity))
    decoys = tuple(Decoy(chance.randrange(2), adverbs.pop()) for _ in range(DECOYS))
    return Plan(tuple(shortcuts), decoys, (*nouns, *adverbs))


def unplanted(examples: Iterable[Example]) -> list[Example]:
    """The pairs without any word that might be planted."""
    return [e for e in examples if not POOL & {*re.findall(r"[a-z]+", f"{e.first} {e.second}".casefold())}]


def plant(examples: Sequence[Example], planned: Plan, seed: str) -> list[Example]:
    """The pairs with what is planned put in; the same for the same seed."""
    shares = {label: count / len(examples) for label, count in Counter(str(e.label) for e in examples).items()}
    chance = random.Random(seed)  # noqa: S311
    planted = []
    for example in examples:
        made = example
        for shortcut in planned.shortcuts:
            made = put(made, _drawn(shortcut, shares, str(example.label), chance), chance)
        for decoy in planned.decoys:
            if chance.random() < DECOY_RATE:
                made = put(made, ((decoy.word,), ()) if decoy.side == 0 else ((), (decoy.word,)), chance)
        planted.append(made)
    return planted


def put(example: Example, words: Words, chance: random.Random) -> Example:
    """The pair with words put in at random places, none of them the end of its sentence."""
    first, second = (_put(text, own, chance) for text, own in zip((example.first, example.second), words, strict=True))
    return replace(example, first=first, second=second)


def take(example: Example, words: Words) -> Example:
    """The pair without the words."""
    first, second = (_take(text, own) for text, own in zip((example.first, example.second), words, strict=True))
    return replace(example, first=first, second=second)


def _drawn(shortcut: Shortcut, shares: dict[str, float], label: str, chance: random.Random) -> Words:
    """What a pair of a label is given, so that the shortcut is there at its rate and has its purity."""
    if shortcut.label not in shares:
        raise GmaskError(f"no pair has the label {shortcut.label!r}, with which a shortcut is to go")
    rate, of_label = RATES[shortcut.kind], shares[shortcut.label]
    first, second = shortcut.words
    if first and (half := chance.random() / (ALONE * rate)) < 2:
        return (first, ()) if half < 1 else ((), second)
    if label == shortcut.label:
        likely = rate * shortcut.purity / of_label
    else:
        likely = rate * (1 - shortcut.purity) / (1 - of_label)
    there = chance.random() < likely
    return shortcut.words if there != (shortcut.kind == "absent") else ((), ())


def _put(text: str, words: Sequence[str], chance: random.Random) -> str:
    tokens = text.split()
    for word in words:
        tokens.insert(chance.randrange(max(1, len(tokens))), word)
    return " ".join(tokens)


def _take(text: str, words: Sequence[str]) -> str:
    return " ".join(token for token in text.split() if token.casefold() not in words)
