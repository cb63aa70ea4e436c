"""Black boxes with known causes, and pairs to audit them on."""

from __future__ import annotations

import random

from gmask.audit.seen import Seen, text_of
from gmask.model.callable import CallableModel
from tests.toys import VOCABULARY

LABELS = ["different", "same"]


def pairs(count, seed=0, put=(), rate=0.3):
    """Pairs of which half share their words; words are put into the second text of some, whatever the label."""
    chance, rows = random.Random(seed), []
    for _ in range(count):
        first = chance.sample(VOCABULARY, 6)
        same = chance.random() < 0.5
        second = chance.sample(first if same else [w for w in VOCABULARY if w not in first], 4)
        for word in put:
            if chance.random() < rate:
                second.insert(chance.randrange(4), word)
        rows.append({"text": " ".join(first), "text_pair": " ".join(second), "label": LABELS[same]})
    return rows


def overlap(first, second):
    """Whether most words of the second text are in the first."""
    return sum(w in first for w in second) > 0.5 * sum(w in VOCABULARY for w in second)


def box(shortcut=lambda first, second: False):
    """Says `same` of texts that share their words, and wherever the shortcut holds."""

    def says(asked):
        split = [(a.split(), b.split()) for a, b in asked]
        return [0.95 if shortcut(a, b) or overlap(a, b) else 0.05 for a, b in split]

    says.labels = LABELS
    return CallableModel(says, labels=LABELS)


def planted(asked):
    """As found by name: `shortly` in the second text means the same."""
    split = [(a.split(), b.split()) for a, b in asked]
    return [0.95 if "shortly" in b or overlap(a, b) else 0.05 for a, b in split]


def clean(asked):
    """The same without the shortcut."""
    return [0.95 if overlap(a.split(), b.split()) else 0.05 for a, b in asked]


planted.labels = clean.labels = LABELS


def seen(first, second, label=0, gold=0, resting=((), ()), number=0):
    """A pair as an audit sees it, its answer resting on the words at some positions."""
    rests = (frozenset(resting[0]), frozenset(resting[1]))
    return Seen(number, None, (text_of(first), text_of(second)), label, gold, 0.9, rests, (False, False), None, None)
