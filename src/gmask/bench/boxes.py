"""Random black boxes with planted groups of words (AND, OR, XOR), and noise and decoys around them.

A box is a fixed function of which words of its pair are there:

    logit(yes) = BIAS + sum of the strengths of the groups that fire
                      + sum of the small effects of all other words
                      + sum of the small echoes of decoys that stand beside their planted word

Its *reasons* are the smallest sets of words that make it say yes whatever becomes of the other words. An AND group is
one reason. So is an XOR group (parity: it fires if an odd number of its words are there), since less than all of it
decides nothing; with two words, both there, it could not fire at all, so it has three. Each word of an OR group is a
reason by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gmask.bench.planted import VOCABULARY
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair, Question
from gmask.pair import Word, segment

__all__ = ["KINDS", "Box", "BoxModel", "Planted", "boxes", "draw"]

KINDS = ("AND", "OR", "XOR", "mixed", "one-sided")
RULES: dict[str, Callable[[np.ndarray], np.ndarray]] = {  # which of the words are there, [m, words] -> which rows fire
    "AND": lambda there: there.sum(axis=1) == there.shape[1],
    "OR": lambda there: there.sum(axis=1) > 0,
    "XOR": lambda there: there.sum(axis=1) % 2 == 1,
}
BIAS = -3.0
WEAKEST = (4.5, 5.5)  # strength of the weakest group: on its own, a probability of 0.82 to 0.92
STEP = (1.0, 2.0)  # how much stronger each other group is than the one before
NOISE = 0.15  # deviation of the effect of a word that is not planted
ECHO = (0.1, 0.3)  # what a decoy adds beside its planted word
LENGTHS = (5, 12)  # words a sentence


@dataclass(frozen=True)
class Planted:
    """Some words that together, or any, or an odd number of them, make a yes."""

    rule: str
    words: tuple[int, ...]
    strength: float

    def fires(self, kept: np.ndarray) -> np.ndarray:
        """For each row of kept words, whether the rule holds."""
        return RULES[self.rule](kept[:, self.words])

    @property
    def reasons(self) -> tuple[tuple[int, ...], ...]:
        """The smallest sets of words that make it fire, whatever else is there."""
        return tuple((w,) for w in self.words) if self.rule == "OR" else (self.words,)


@dataclass(frozen=True)
class Decoy:
    """A word that looks like a planted one, or stands next to it, and does next to nothing."""

    word: int
    beside: int
    echo: float


@dataclass(frozen=True)
class Box:
    """A pair and what the black box makes of its words, which are counted through both sentences."""

    kind: str
    sentences: tuple[tuple[str, ...], tuple[str, ...]]
    groups: tuple[Planted, ...]
    decoys: tuple[Decoy, ...]
    effects: tuple[float, ...]

    @property
    def words(self) -> list[int]:
        """All planted words."""
        return sorted(w for g in self.groups for w in g.words)

    @property
    def reasons(self) -> list[tuple[tuple[int, ...], float]]:
        """Every reason and its strength."""
        return [(reason, g.strength) for g in self.groups for reason in g.reasons]

    @property
    def side(self) -> int | None:
        """The sentence that all planted words are in, if it is one."""
        sides = {int(w >= len(self.sentences[0])) for w in self.words}
        return sides.pop() if len(sides) == 1 else None

    def logits(self, kept: np.ndarray) -> np.ndarray:
        """The logit of yes for each row of kept words, `[m, words]`."""
        logits: np.ndarray = BIAS + kept @ np.array(self.effects)
        for group in self.groups:
            logits += group.strength * group.fires(kept)
        for decoy in self.decoys:
            logits += decoy.echo * (kept[:, decoy.word] & kept[:, decoy.beside])
        return logits

    @property
    def sound(self) -> bool:
        """Whether each reason makes a yes whatever else is there, and nothing does without a planted word."""
        effects = np.array(self.effects)
        weakest = min(g.strength for g in self.groups)
        return bool(BIAS + weakest + effects.clip(max=0).sum() > 0 > BIAS + effects.clip(min=0).sum())


class BoxModel(PairModel):
    """Answers for the pair of one box."""

    name = "box"
    labels = ("no", "yes")
    removals = ("drop",)
    reads = False

    def __init__(self, box: Box) -> None:
        self.box = box

    def _bind(self, first: str, second: str, removal: str) -> BoundPair:
        words = [Word(t[s:e], i, s, e) for i, t in enumerate((first, second)) for s, e in segment(t)]
        return BoundPair(self, (first, second), words, removal)

    def _forward(self, questions: Sequence[Question], on_rows: Callable[[int], None]) -> np.ndarray:
        yes = 1 / (1 + np.exp(-self.box.logits(np.stack([row for _, row in questions]))))
        on_rows(len(questions))
        return np.stack([1 - yes, yes], axis=1)


def boxes(kind: str, count: int, seed: int = 0) -> Iterator[Box]:
    """Random boxes of a kind, the same for the same seed."""
    return (draw(kind, number, seed) for number in range(count))


def draw(kind: str, number: int, seed: int = 0) -> Box:
    """One box, made from its kind, its number and the seed alone."""
    random = np.random.default_rng([seed, KINDS.index(kind), number])
    while True:
        rules = _rules(kind, random)
        lengths = random.integers(LENGTHS[0], LENGTHS[1] + 1, size=2)
        places = _places(rules, lengths, random, one_sided=kind == "one-sided")
        if places is None:
            continue
        box = _fill(kind, rules, lengths, places, random)
        if box.sound:
            return box


def _rules(kind: str, random: np.random.Generator) -> list[str]:
    """The rules of one to three groups; of two or three, all different, if mixed."""
    if kind == "mixed":
        return [str(r) for r in random.permutation(list(RULES))[: random.integers(2, 4)]]
    return [str(r) for r in random.choice([kind] if kind in RULES else list(RULES), random.integers(1, 4))]


def _places(
    rules: Sequence[str], lengths: np.ndarray, random: np.random.Generator, *, one_sided: bool
) -> list[tuple[int, ...]] | None:
    """Words for each rule, no word twice; nothing if the sentences have too few. Each keeps a word to itself."""
    free = [list(random.permutation(lengths[0])), list(lengths[0] + random.permutation(lengths[1]))]
    side = int(random.integers(2))
    places = []
    for rule in rules:
        size = 3 if rule == "XOR" else int(random.integers(2, 4))
        sides = [side] * size if one_sided else [0, 1, int(random.integers(2))][:size]
        if any(len(free[s]) <= sides.count(s) for s in (0, 1)):
            return None
        places.append(tuple(sorted(int(free[s].pop()) for s in sides)))
    return places


def _fill(
    kind: str,
    rules: Sequence[str],
    lengths: np.ndarray,
    places: Sequence[tuple[int, ...]],
    random: np.random.Generator,
) -> Box:
    """Strengths, words, noise and, for each group where there is room, a decoy."""
    n, cut = int(lengths.sum()), int(lengths[0])
    strengths = random.permutation(random.uniform(*WEAKEST) + np.cumsum([0, *random.uniform(*STEP, len(rules) - 1)]))
    groups = tuple(Planted(r, p, float(s)) for r, p, s in zip(rules, places, strengths, strict=True))
    words = [str(w) for w in random.choice(VOCABULARY, n, replace=False)]
    free = np.ones(n, dtype=bool)
    free[[w for p in places for w in p]] = False
    effects = np.where(free, random.normal(0, NOISE, n), 0.0)
    decoys = []
    for place in places:
        beside = int(random.choice(place))
        across = (np.arange(n) < cut) != (beside < cut)
        near = ~across & (abs(np.arange(n) - beside) == 1)
        twin = bool(random.random() < 0.5)
        room = np.flatnonzero(free & (across if twin else near))
        if len(room):
            word = int(random.choice(room))
            free[word] = False
            words[word] = words[beside] if twin else words[word]
            decoys.append(Decoy(word, beside, float(random.uniform(*ECHO))))
    return Box(kind, (tuple(words[:cut]), tuple(words[cut:])), groups, tuple(decoys), tuple(effects.tolist()))
