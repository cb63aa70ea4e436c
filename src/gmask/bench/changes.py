"""What is done to clean pairs to see what a cause does, and what is done in its stead for comparison."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gmask.bench.planting import Words, put, take
from gmask.dataset.example import Example

__all__ = ["Change", "Experiment", "experiment", "put_in"]

Change = Callable[[Example, random.Random], Example]


@dataclass(frozen=True)
class Experiment:
    """A change, its control, and the pairs that both can be done to."""

    change: Change
    control: Change
    fits: Callable[[Example], bool]


def experiment(kind: str, words: Words, controls: Sequence[str]) -> Experiment | None:
    """How to see what a pattern of a kind does; None for kinds whose words do not say what to do.

    Args:
        kind: `word`, `pair`, `overlap` and `set` are put in whole, of `alike` and `negation` one word, an `opening`
            at the start; `absent` is taken out. `same` and `contained` have no words: any word is put in on both sides,
            and the second text becomes words of the first.
        words: Those of each side.
        controls: Words that are planted nowhere.
    """
    if kind == "absent":
        return Experiment(lambda e, _: take(e, words), _other_taken(words), lambda e: bool(_named(words) & _words(e)))
    if kind == "same":
        shared, other = ((controls[0],), (controls[0],)), ((controls[0],), (controls[1],))
        return Experiment(put_in(shared), put_in(other), lambda _: True)
    if kind == "contained":
        return Experiment(_contain, _contain_less, lambda e: len(e.second.split()) > 1)
    if kind in ("alike", "negation"):
        any_of = _one_of([(((w,), ()) if words[0] else ((), (w,))) for w in (*words[0], *words[1])])
        control: Words = ((controls[0],), ()) if words[0] else ((), (controls[0],))
        return Experiment(any_of, put_in(control), _lacks(words))
    if kind == "opening":
        return Experiment(_put_first(words), _put_first(_like(words, controls)), _lacks(words))
    if any(words):
        return Experiment(put_in(words), put_in(_like(words, controls)), _lacks(words))
    return None


def put_in(words: Words) -> Change:
    """Words put in at random places."""
    return lambda example, chance: put(example, words, chance)


def _put_first(words: Words) -> Change:
    def change(example: Example, _: random.Random) -> Example:
        first, second = (
            " ".join([*own, text]) for own, text in zip(words, (example.first, example.second), strict=True)
        )
        return replace(example, first=first, second=second)

    return change


def _one_of(choices: Sequence[Words]) -> Change:
    return lambda example, chance: put(example, chance.choice(choices), chance)


def _other_taken(words: Words) -> Change:
    """Another word of the same text taken out."""

    def change(example: Example, chance: random.Random) -> Example:
        texts = [example.first, example.second]
        side = 0 if words[0] else 1
        tokens = texts[side].split()
        places = [i for i, token in enumerate(tokens) if token.casefold() not in words[side]]
        if len(places) > 1:  # one word stays
            del tokens[chance.choice(places)]
        texts[side] = " ".join(tokens)
        return replace(example, first=texts[0], second=texts[1])

    return change


def _contain(example: Example, chance: random.Random) -> Example:
    """The second text becomes words of the first, as many as it had, in random order."""
    words = example.first.split()
    return replace(example, second=" ".join(chance.sample(words, min(len(words), len(example.second.split())))))


def _contain_less(example: Example, chance: random.Random) -> Example:
    """The second text keeps its words, in random order."""
    words = example.second.split()
    return replace(example, second=" ".join(chance.sample(words, len(words))))


def _like(words: Words, controls: Sequence[str]) -> Words:
    """As many other words a side; where the sides share a word, so do these."""
    chosen = dict(zip(dict.fromkeys((*words[0], *words[1])), controls, strict=False))
    return tuple(chosen[w] for w in words[0]), tuple(chosen[w] for w in words[1])


def _lacks(words: Words) -> Callable[[Example], bool]:
    named = _named(words)
    return lambda example: not named & _words(example)


def _named(words: Words) -> set[str]:
    return {word.casefold() for side in words for word in side}


def _words(example: Example) -> set[str]:
    return {*re.findall(r"[\w'-]+", f"{example.first} {example.second}".casefold())}
