"""Candidates for a model that encodes the two texts apart: an encoding is what costs, and rows of known ones are free.

A row is a likeness of two encodings. So some subsets of either text, each encoded once, are crossed, every one with
every one of the other text: single words gone, and random words gone. What a word does is then seen beside everything
that is known to go from the other text: where either of two matches would do, that shows each of them. How many words
of a text can be candidates, and how many subsets are left for the look, follows from how many encodings there are.

Where a text has more words than that, a model with slopes is asked by these which of them to look at. Partners are not
looked for: exact tables over words of both texts say which of them need each other.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from gmask.method.base import Task
from gmask.method.screening import firmness
from gmask.model.base import Request, Rows
from gmask.reference import COUNT

__all__ = ["Look", "look"]

SHOWN = 10  # top words that the evidence of an explanation keeps and removes, one after another
LOOKS = 14  # subsets of a text that a look takes, if it has so many words
SLOPES = (1.0, 0.7, 0.4)  # weights of all words at which slopes are taken
SLOPE = 3  # encodings that one costs: forward, and backward twice as much

Asking = Generator[Rows | list[Request], np.ndarray, "Look"]


@dataclass(frozen=True)
class Look:
    """What a first look found.

    Attributes:
        candidates: The words to make tables of.
        rest: The others, the best first.
        near: How much the firmness of the answer falls when a word alone goes, `[n]`; 0 where it was not asked.
        gradient_rows: Rows that were differentiated.
    """

    candidates: np.ndarray
    rest: list[int]
    near: np.ndarray
    gradient_rows: int


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
    slopes, score = 0, np.zeros(task.n)
    if any(len(words) > max(room, 1) for words, room in zip(sides, rooms, strict=True)) and _has_slopes(task):
        slopes, score = len(SLOPES), _slopes(task)
        rooms = [room - SLOPE * slopes for room in rooms]
    tried = [
        words[np.argsort(-score[words], kind="stable")[: max(room, count + 1)]]
        for words, room, count in zip(sides, rooms, counts, strict=True)
    ]
    gone = [_without_each(task, words) for words in tried]
    table = yield from _crossed(task, gone)
    found = score / max(float(score.max()), 1e-9) * 1e-3  # decides only among words that were not tried
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
    return Look(candidates, rest, near, slopes)


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


def _has_slopes(task: Task) -> bool:
    model = task.bound.model
    return model.differentiable and any(way.absence.slope(model) for way in task.bound.ways)


def _slopes(task: Task) -> np.ndarray:
    """How fast the value falls when each word goes, on average of some places between all words and fewer."""
    import torch

    weights = torch.tensor(SLOPES).unsqueeze(1).repeat(1, task.n).requires_grad_()
    (slopes,) = torch.autograd.grad(task.soft(weights).sum(), weights)
    found: np.ndarray = slopes.mean(dim=0).double().cpu().numpy()
    return found - min(float(found.min()), 0.0)


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
