"""Candidates for a model that encodes the two texts apart: an encoding is what costs, and rows of known ones are free.

A row is a likeness of two encodings. So some subsets of either text, each encoded once, are crossed, every one with
every one of the other text: all words but one, and one word alone. What a word does is then seen beside everything that
is known to go from the other text: where either of two matches would do, that shows each of them. How many words of a
text can be candidates, and how many subsets are left for the look, follows from how many encodings there are.

Of a longer text the words are looked at that match a word of the other one best, by the model's own vectors of words;
slopes say less of real encoders than that. Partners are not looked for: exact tables over words of both texts say which
of them need each other.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from gmask.method.base import Task
from gmask.method.order import TIES
from gmask.method.screening import firmness
from gmask.model.bound import Request, Rows
from gmask.reference import COUNT

__all__ = ["Look", "look"]

SHOWN = 10  # top words that the evidence of an explanation keeps and removes, one after another
LOOKS = 14  # subsets of a text that a look takes, if it has so many words
TRIED = 2  # thirds of them are without single words, if there are so many; the others are of single words alone

Asking = Generator[Rows | list[Request], np.ndarray, "Look"]


@dataclass(frozen=True)
class Look:
    """What a first look found.

    Attributes:
        candidates: The words to make tables of.
        rest: The others, the best first.
        near: How much the firmness of the answer falls when a word alone goes, `[n]`; 0 where it was not asked.
    """

    candidates: np.ndarray
    rest: list[int]
    near: np.ndarray


def look(task: Task, k: int, encodings: int) -> Asking:
    """Choose candidates, as many of either text as its encodings allow for tables of all their subsets.

    Args:
        task: What is explained.
        k: At most so many.
        encodings: At most so many of either text, for all of the explanation.
    """
    sides = [np.flatnonzero(task.bound.sentences == side) for side in (0, 1)]
    counts = _shares([len(words) for words in sides], len(task.bound.ways), k, encodings)
    rooms = [
        encodings - _spent(len(words), count, len(task.bound.ways), sum(counts))
        for words, count in zip(sides, counts, strict=True)
    ]
    matches = _matches(task)
    tried = list(sides)
    if matches is not None:
        tried = [
            words[np.argsort(-matches[words], kind="stable")][: max(TRIED * room // 3, count + 1)]
            for words, room, count in zip(sides, rooms, counts, strict=True)
        ]
    gone = [_without_each(task, words) for words in tried]
    table = yield from _crossed(task, gone)
    found = np.zeros(task.n)
    if matches is not None:  # which decides among words that are not tried
        found += TIES * (matches - matches.max())
    for own, values in zip(tried, (table, table.T), strict=True):
        found[own] += _lost(values)
    few = [
        words[np.argsort(-found[words], kind="stable")][: max(room - len(words), 0)]
        for words, room in zip(tried, rooms, strict=True)
    ]
    alone = [_only_each(task, words, side) for side, words in enumerate(few)]
    table = yield from _crossed(task, alone)
    for own, values in zip(few, (table, table.T), strict=True):
        found[own] += _said(values)
    ranked = [words[np.argsort(-found[words], kind="stable")] for words in sides]
    candidates = np.sort(np.concatenate([words[:count] for words, count in zip(ranked, counts, strict=True)]))
    rest = sorted(set(range(task.n)) - set(candidates.tolist()), key=lambda i: -found[i])
    near = yield from _near(task, candidates)
    return Look(candidates, rest, near)


def _shares(lengths: list[int], ways: int, k: int, encodings: int) -> list[int]:
    """How many words of either text: one more of the text that has the fewer, while the encodings allow it."""
    counts = [1, 1]
    while sum(counts) < k:
        fitting = [
            side
            for side in (0, 1)
            if counts[side] < lengths[side]
            and _spent(lengths[side], counts[side] + 1, ways, sum(counts) + 1) + min(lengths[side], LOOKS) <= encodings
        ]
        if not fitting:
            break
        counts[min(fitting, key=lambda side: counts[side])] += 1
    return counts


def _spent(length: int, count: int, ways: int, all_counts: int) -> int:
    """The encodings of a text that tables, ends and evidence take."""
    whole = count == length
    tables = ways * (2**count - 1) * (1 if whole else 2)
    shown = 2 * ways * min(length - count, max(SHOWN - all_counts, 0))
    return 1 + COUNT + ways + tables + shown


def _matches(task: Task) -> np.ndarray | None:
    """How well each word matches some word of the other text, by the model's own vectors of words, if it shows any.

    By dot products and not by cosines: frequent words, which match in any two texts, have short vectors.
    """
    bound = task.bound
    if not bound.model.differentiable:
        return None
    tokens, owners = bound.embed().float().cpu().numpy(), bound.token_words()
    vectors = np.stack([tokens[owners == word].mean(axis=0) for word in range(task.n)])
    vectors -= vectors.mean(axis=0)
    across = bound.sentences[:, None] != bound.sentences
    found: np.ndarray = np.where(across, vectors @ vectors.T, -np.inf).max(axis=1)
    return found


def _crossed(task: Task, subsets: Sequence[np.ndarray]) -> Generator[list[Request], np.ndarray, np.ndarray]:
    """The values of subsets of the first text, each beside each subset of the second: `[m1, m2]`.

    One way of removing words is enough for a look.
    """
    first, second = subsets
    values = yield [(task.bound.ways[0], (first[:, None] & second[None]).reshape(-1, task.n))]
    return values.reshape(len(first), len(second))


def _without_each(task: Task, words: np.ndarray) -> np.ndarray:
    """Everything, and everything but each word, `[1 + words, n]`."""
    found = np.ones((1 + len(words), task.n), bool)
    found[1 + np.arange(len(words)), words] = False
    return found


def _only_each(task: Task, words: np.ndarray, side: int) -> np.ndarray:
    """Everything, and of one text each word alone, `[1 + words, n]`."""
    found = np.ones((1 + len(words), task.n), bool)
    found[1:, task.bound.sentences == side] = False
    found[1 + np.arange(len(words)), words] = True
    return found


def _lost(table: np.ndarray) -> np.ndarray:
    """What falls when each word goes, and at most beside a word of the other text that goes and had hidden it."""
    whole, single = table[0], table[1:]
    near = firmness(whole[:1]) - firmness(single[:, 0])
    beside = (whole - single).max(axis=1)
    found: np.ndarray = (near + np.maximum(beside, 0)) / 2
    return found


def _said(table: np.ndarray) -> np.ndarray:
    """What each word alone says, with all of the other text, and at most with one word of it."""
    found: np.ndarray = (table[1:, 0] + table[1:].max(axis=1)) / 2
    return found - (found.min() if len(found) else 0.0)


def _near(task: Task, candidates: np.ndarray) -> Generator[Rows, np.ndarray, np.ndarray]:
    """How much the firmness of the answer falls when each candidate alone goes; the rows are in the tables."""
    values = yield np.stack([~task.keep(words) for words in [(), *((i,) for i in candidates)]])
    near = np.zeros(task.n)
    near[candidates] = firmness(values[:1]) - firmness(values[1:])
    return near
