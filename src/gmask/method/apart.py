"""Candidates for a model that encodes the two texts apart: an encoding is what costs, and rows of known ones are free.

A row is a likeness of two encodings. So some subsets of either text, each encoded once, are crossed, every one with
every one of the other text: single words gone, and random words gone. What a word does is then seen beside everything
that is known to go from the other text: where either of two matches would do, that shows each of them. How many words
of a text can be candidates, and how many subsets are left for the look, follows from how many encodings there are.

Where a text has more words than that, a model with slopes is asked by these which of them to look at. Words of the two
texts belong together where they say more together than each does:

    tie(i, j) = [f(i, j) - f(i) - f(j) + f(nothing)] + [f(all) - f(all but i) - f(all but j) + f(all but i and j)]
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from gmask.method.base import Task
from gmask.method.screening import firmness
from gmask.model.base import Request, Rows
from gmask.reference import COUNT

__all__ = ["Look", "look"]

SHOWN = 10  # top words that the evidence of an explanation keeps and removes, one after another
LOOKS = 10  # subsets of a text that a look takes, if it has so many words
SLOPES = (1.0, 0.7, 0.4)  # weights of all words at which slopes are taken
SLOPE = 3  # encodings that one costs: forward, and backward twice as much
CLEAR = 0.5  # of the strongest tie of either word: a tie as strong is one
TIE = 0.1  # by so much at least are words tied that are

Asking = Generator[Rows | list[Request], np.ndarray, "Look"]


@dataclass(frozen=True)
class Look:
    """What a first look found.

    Attributes:
        candidates: The words to make tables of.
        rest: The others, the best first.
        near: How much the firmness of the answer falls when a word alone goes, `[n]`; 0 where it was not asked.
        partners: How firmly each two words of different texts belong together, `[n, n]`.
        gradient_rows: Rows that were differentiated.
    """

    candidates: np.ndarray
    rest: list[int]
    near: np.ndarray
    partners: np.ndarray
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
    subsets = [_subsets(task, words, room) for words, room in zip(tried, rooms, strict=True)]
    way = task.bound.ways[0]
    crossed = (subsets[0][:, None] & subsets[1][None]).reshape(-1, task.n)
    table = (yield [(way, crossed)]).reshape(len(subsets[0]), len(subsets[1]))
    found = score / max(float(score.max()), 1e-9) * 1e-3  # decides only among words that were not tried
    found[tried[0]] += _seen(table, ~subsets[0][:, tried[0]])
    found[tried[1]] += _seen(table.T, ~subsets[1][:, tried[1]])
    ranked = [words[np.argsort(-found[words], kind="stable")] for words in sides]
    candidates = np.sort(np.concatenate([words[:count] for words, count in zip(ranked, counts, strict=True)]))
    rest = sorted(set(range(task.n)) - set(candidates.tolist()), key=lambda i: -found[i])
    near, partners = yield from _ties(task, candidates)
    return Look(candidates, rest, near, partners, slopes)


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
    shown = 2 * ways * min(length - count, -(-max(SHOWN - all_counts, 0) // 2))
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


def _subsets(task: Task, words: np.ndarray, room: int) -> np.ndarray:
    """The whole text, the text without each of some words, and without random ones of them, `[m, n]`."""
    drawn = task.random().random((max(room - len(words), 0), len(words) + 1))
    gone = drawn[:, :-1] > 0.2 + 0.8 * drawn[:, -1:]
    found = np.ones((1 + len(words) + len(gone), task.n), bool)
    found[1 + np.arange(len(words)), words] = False
    found[1 + len(words) :, words] = ~gone
    return found


def _seen(table: np.ndarray, gone: np.ndarray) -> np.ndarray:
    """What each word of a text does: gone alone, gone beside what of the other text hides it, among random ones.

    Args:
        table: Values `[subsets of the text, subsets of the other]`; the first of either is the whole text.
        gone: Which words are gone in each subset of the text.
    """
    single = table[1 : 1 + gone.shape[1]]
    near = firmness(table[:1, 0]) - firmness(single[:, 0])
    beside = (table[0] - single).max(axis=1)
    found: np.ndarray = near / 2 + np.maximum(beside, 0) / 2
    noisy = 1 + gone.shape[1]
    if len(table) > noisy + 2:
        x = ~gone[noisy:] - (~gone[noisy:]).mean(axis=0)
        y = table[noisy:].mean(axis=1)
        found = found + np.linalg.solve(x.T @ x + np.eye(x.shape[1]), x.T @ (y - y.mean()))
    return found


def _ties(task: Task, candidates: np.ndarray) -> Generator[Rows, np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """What each candidate does alone, and which belong together; all of it is in their tables."""
    n, k = task.n, len(candidates)
    chosen: list[tuple[int, ...]] = [(), *((i,) for i in candidates)]
    chosen += [(i, j) for place, i in enumerate(candidates) for j in candidates[place + 1 :]]
    rows = np.stack([task.keep(words) for words in chosen])
    only, without = np.split((yield np.concatenate([rows, ~rows])), 2)
    near, partners = np.zeros(n), np.zeros((n, n))
    near[candidates] = firmness(without[:1]) - firmness(without[1 : k + 1])
    sides, ties = task.bound.sentences, np.zeros((n, n))
    for values in (only, without):
        alone = dict(zip(candidates.tolist(), values[1 : k + 1], strict=True))
        for (i, j), both in zip(chosen[k + 1 :], values[k + 1 :], strict=True):
            if sides[i] != sides[j]:
                ties[i, j] += both - alone[int(i)] - alone[int(j)] + values[0]
    ties = np.maximum(ties + ties.T, 0)
    clear = ties >= CLEAR * np.maximum(ties.max(axis=0)[:, None], ties.max(axis=1)[None])
    partners = np.where(clear & (ties > 0), np.maximum(ties, TIE), 0.0)
    return near, partners
