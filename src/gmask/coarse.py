"""From coarse to fine: which sentences of a long text matter, and then which of their words.

A row over a long text costs as much as the text is long. A row over two of its sentences costs next to nothing. So a
method is not asked about all words of a long text, but about the pair as it is with the sentences that decide, which
are found first: those that do most, alone beside the other text and by their absence, one after the other until they
carry the answer and it falls without them. These questions only steer, so words go in one way. What the sentences and
the words do is measured on the whole pair.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gmask.method.base import Answer, Method, Task
from gmask.method.screening import firmness
from gmask.model.bound import BoundPair, Request
from gmask.model.grouped import GroupedPair, sentences_of
from gmask.pair import Word

__all__ = ["LONG", "SEVERAL", "Found", "coarse_to_fine", "is_long"]

LONG = 80  # words of a text; of a shorter one the words are asked about at once
SEVERAL = 3  # sentences

ENOUGH = 0.9  # sentences carry the answer that get it so far by themselves,
MISSED = 0.25  # and are missed if no more than this is left without them
GAIN, LESSER = 0.02, 0.2  # a sentence does nothing that does less, or less than this share of what the first one does
NEEDED = 0.2  # a sentence without which the answer falls so far always decides
MOST, WORDS = 0.5, 50  # of the words of long texts, and in all: more are explained only of a single sentence
LOOKS = 32  # random halves of the sentences, and the other halves
LEAST = 16  # rows that a method can be told to do with
SHARE = 0.16  # of a budget: a shortened pair has rows with as many words as this share of rows of the whole one

Asking = Generator[list[Request], list[np.ndarray], Any]


@dataclass(frozen=True)
class Found:
    """A sentence of a long text, and the model's outputs with only it, and without it."""

    word: Word
    decisive: bool
    kept: np.ndarray
    removed: np.ndarray


def is_long(bound: BoundPair) -> bool:
    """Whether a text of the pair has many words in several sentences.

    Some sentences are asked about as texts of their own, so it must be a model that can be asked about other texts.
    """
    return bound.rebinds and bool(_long_sides(bound, sentences_of(bound)))


def coarse_to_fine(
    task: Task,
    method: Method,
    ask: Callable[[list[Request]], Asking],
    run: Callable[[Method, Task], Generator[list[Request], list[np.ndarray], Answer]],
    left: Callable[[], int | None],
) -> Generator[list[Request], list[np.ndarray], tuple[Answer, list[Found]]]:
    """Find the sentences that decide, let a method explain the pair with these, and say it of the words of the pair.

    Args:
        task: The whole pair.
        method: Explains words.
        ask: Puts requests to the model.
        run: Runs a method.
        left: Tells what is left of the model's budget; None without one.
    """
    whole, units = task.bound, sentences_of(task.bound)
    sides = _long_sides(whole, units)
    units = [
        *(_all_of(whole, side) for side in range(len(whole.all_texts)) if side not in sides),
        *(u for u in units if u.sentence in sides),
    ]
    pair = GroupedPair(whole, sorted(units, key=lambda unit: (unit.sentence, unit.start)))
    look = _Look(pair, [i for i, unit in enumerate(pair.words) if unit.sentence in sides], task, ask)
    decisive = yield from look.choose()
    fine, places = _shortened(whole, [u for i, u in enumerate(pair.words) if i not in look.sentences or i in decisive])
    answer = yield from run(_within(method, whole, fine, left()), Task(fine, task.target, task.seed))
    effects = yield from look.effects()
    found = [Found(pair.words[i], i in decisive, *effects[i]) for i in look.sentences]
    return _lifted(answer, places, pair), found


@dataclass
class _Look:
    """A look at the sentences of long texts, in the first of the ways that words are removed."""

    pair: GroupedPair
    sentences: list[int]
    task: Task
    ask: Callable[[list[Request]], Asking]

    def outputs(self, rows: Sequence[Sequence[int]]) -> Asking:
        """The model's outputs with only these sentences, and then without them, other texts as they are."""
        kept = np.ones((len(rows), len(self.pair.words)), bool)
        kept[:, self.sentences] = False
        for row, sentences in zip(kept, rows, strict=True):
            row[list(sentences)] = True
        removed = ~kept
        removed[:, [i for i in range(len(self.pair.words)) if i not in self.sentences]] = True
        (found,) = yield from self.ask([(self.pair.ways[0], np.concatenate([kept, removed]))])
        return np.split(found, 2)

    def choose(self) -> Asking:
        """The sentences that decide, those that do most first; at least one of each long text."""
        value, lengths = self.task.target.value, np.bincount(self.pair.owners)
        everything = np.ones((1, len(self.pair.words)), bool)
        full, nothing = map(value, (yield from self.ask([(self.pair, everything), (self.pair, ~everything)])))
        low, way = float(nothing[0]), float(full[0] - nothing[0])
        kept, removed = map(value, (yield from self.outputs([[i] for i in self.sentences])))
        does = np.maximum(kept - low, 0) + firmness(full) - firmness(removed)
        needed = full[0] - removed >= NEEDED * way
        least = max(GAIN, LESSER * does.max())
        if does.max() < GAIN:  # each is missed only where others are gone as well
            does, least = (yield from self._among_others()), GAIN
        room = max(min(MOST * lengths[self.sentences].sum(), WORDS), lengths[self.sentences[int(does.argmax())]])
        chosen: list[int] = []
        for place in np.argsort(-does, kind="stable"):
            if chosen and does[place] < least:
                break
            if lengths[self.sentences[place]] > room and not needed[place]:
                continue
            chosen.append(self.sentences[place])
            room -= lengths[chosen[-1]]
            kept, removed = map(value, (yield from self.outputs([chosen])))
            enough = kept[0] >= low + ENOUGH * way and removed[0] <= low + MISSED * way
            if enough:
                break
        sides = self.pair.sentences
        for side in {sides[i] for i in self.sentences} - {sides[i] for i in chosen}:  # without it there is no pair
            own = [place for place, i in enumerate(self.sentences) if sides[i] == side]
            chosen.append(self.sentences[max(own, key=lambda place: does[place])])
        return chosen

    def _among_others(self) -> Asking:
        """How much higher the value is with each sentence than without it, among a random half of the others."""
        there = self.task.random().random((LOOKS, len(self.sentences))) < 0.5
        there = np.concatenate([there, ~there])
        rows = [[i for i, stays in zip(self.sentences, row, strict=True) if stays] for row in there]
        kept, _ = yield from self.outputs(rows)
        values = self.task.target.value(kept)
        return (values @ there) / there.sum(axis=0) - (values @ ~there) / (~there).sum(axis=0)

    def effects(self) -> Asking:
        """For each sentence, the model's outputs with only it and without it, which were asked when it was chosen."""
        kept, removed = yield from self.outputs([[i] for i in self.sentences])
        return dict(zip(self.sentences, zip(kept, removed, strict=True), strict=True))


def _long_sides(bound: BoundPair, sentences: Sequence[Word]) -> list[int]:
    """The texts that have many words in several sentences."""
    sides = len(bound.all_texts)
    lengths = np.bincount(bound.sentences, minlength=sides)
    counts = np.bincount([sentence.sentence for sentence in sentences], minlength=sides)
    return [side for side in range(sides) if lengths[side] >= LONG and counts[side] >= SEVERAL]


def _all_of(bound: BoundPair, side: int) -> Word:
    """A text, as far as the model reads it, as one unit."""
    own = [w for w in bound.words if w.sentence == side]
    start, end = own[0].start, own[-1].end
    return Word(bound.all_texts[side][start:end], side, start, end)


def _shortened(whole: BoundPair, units: Sequence[Word]) -> tuple[BoundPair, list[int]]:
    """A pair of these units alone, held against the same, and for each of its words the position in the whole pair."""
    texts, starts = [""] * len(whole.all_texts), []
    for unit in units:
        side = unit.sentence
        texts[side] += " " * bool(texts[side])
        starts.append((side, len(texts[side]), unit.start))
        texts[side] += unit.text
    fine = whole.with_texts(*texts)
    positions = {(w.sentence, w.start): i for i, w in enumerate(whole.words)}
    places = []
    for w in fine.words:
        side, start, origin = starts[bisect_right(starts, (w.sentence, w.start, sys.maxsize)) - 1]
        places.append(positions.get((side, w.start - start + origin), -1))
    return fine, places


def _within(method: Method, whole: BoundPair, fine: BoundPair, left: int | None) -> Method:
    """The method with a budget for the rows of a shortened pair, if it has one, and with what the model's has left."""
    if (budget := getattr(method, "budget", None)) is not None:
        method = method.spending(int(SHARE * budget * len(whole.words) / len(fine.words)))
    return method if left is None else method.spending(max(left, LEAST))


def _lifted(answer: Answer, places: Sequence[int], pair: GroupedPair) -> Answer:
    """What was found of the words of a shortened pair, said of the words of the whole one; the others do nothing."""
    there = np.array([place >= 0 for place in places])
    where = np.array(places)[there]

    def lift(values: np.ndarray) -> np.ndarray:
        lifted = np.zeros(len(pair.owners))
        lifted[where] = values[there]
        return lifted

    details = dict(answer.details)
    if "candidates" in details:  # positions of words
        details["candidates"] = [places[i] for i in details["candidates"]]
    groups = [(importance, lift(memberships)) for importance, memberships in answer.groups]
    return Answer(lift(answer.attributions), groups, details)
