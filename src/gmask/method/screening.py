"""Which words may matter: the first, cheap look at a pair that chooses the candidates of GMASK."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from gmask.method.base import Task
from gmask.model.base import Request

__all__ = ["effects", "firmness", "grow", "promising", "random_rows", "screen", "three_in_five"]

Rows = np.ndarray

FIRM = 0.2  # weight of the logarithm in firmness
STANDS_OUT = 7.5  # median deviations: about five standard deviations of a normal distribution
FLOOR = 1e-4  # what is left to 1 is read no closer than this


def firmness(p: np.ndarray) -> np.ndarray:
    """How firmly an answer stands: p - 0.2 log(1 - p).

    A model that is sure stays at 0.99 without any one word, and p alone says that none matters. But to go from 0.999 to
    0.99 is a step towards another answer, and the logarithm sees it; where p is low it sees next to nothing.
    """
    return p - FIRM * np.log(np.maximum(1 - p, FLOOR))


def screen(
    task: Task, rows: int, *, removed: bool = True, alone: bool = False
) -> Generator[Rows | list[Request], np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Score every word: what its absence does to the whole pair, what it does among random others, perhaps alone.

    Single removals are cheap and sharp but blind to redundancy: under (A and B) or (C and D) none changes anything.
    Rows with random words missing, and a ridge regression on them, see that. What is left after removals is read as
    `firmness`, in the noise of random rows by half. A random row is asked in one way of removing words only. What a
    model says of a single word is far from what it was made for, so only words count there that stand out from all.

    Args:
        task: What is explained.
        rows: How many random rows.
        removed: Whether to remove single words, n rows.
        alone: Whether to keep single words alone, n rows.

    Returns:
        A score a word, `[n]`: higher matters more; and what its absence alone does, `[n]`, 0 where that was not asked.
    """
    n = task.n
    requests = task.in_turn(random_rows(task, rows))
    eye = np.eye(n, dtype=bool)
    single = np.concatenate([np.ones((1, n), bool), ~eye[: n * removed], eye[: n * alone]])
    values = yield [(task.bound, single), *requests]
    noisy, rest = np.concatenate([own for _, own in requests]), values[len(single) :]
    ways = np.repeat(np.arange(len(requests)), [len(own) for _, own in requests])
    near = firmness(values[:1]) - firmness(values[1 : n + 1]) if removed else np.zeros(n)
    score = near / 2
    if alone:
        score = score + _standing_out(values[len(single) - n : len(single)]) / 2
    if rows:
        score = score + _ridge(noisy, (rest + firmness(rest)) / 2, ways)
    return score, near


def random_rows(task: Task, count: int) -> Rows:
    """Rows with random words missing; more of them begin with the same ones."""
    draws = task.random().random((count, task.n + 1))
    rows: Rows = draws[:, :-1] < 0.2 + 0.8 * draws[:, -1:]
    return rows


def grow(
    task: Task, score: np.ndarray, k: int, *, start: int | None = None, pool: int | None = None, further: int = 0
) -> Generator[Rows, np.ndarray, tuple[np.ndarray, list[int]]]:
    """Choose k candidates, one after another: next is the word that does most once the chosen ones are settled.

    The score looks at words one by one. Beside the words that are chosen, as the only ones kept and as the only ones
    gone, it shows what another adds: words that repeat what is known do nothing, words in their shadow do.

    Args:
        task: What is explained.
        score: A first score a word.
        k: How many candidates.
        start: About how many of them the score decides. Default: three in five.
        pool: How many words to try each time, the most promising. Default: all.
        further: How many words after the candidates are found in the same way.

    Returns:
        The candidates, and the other words in the order of what they add.
    """
    ranked = [int(j) for j in np.argsort(-score, kind="stable")]
    start = three_in_five(k) if start is None else start
    chosen, rest = ranked[:start], ranked[start:]
    while rest:
        tried = rest[:pool]
        rows = np.zeros((len(tried), task.n), dtype=bool)
        rows[:, chosen] = True
        rows[np.arange(len(tried)), tried] = True
        kept, removed = np.split((yield np.concatenate([rows, ~rows])), 2)
        gain = kept - firmness(removed) + score[tried] / 2
        rest = [tried[i] for i in np.argsort(-gain, kind="stable")] + rest[len(tried) :]
        if len(chosen) == k + further:
            break
        chosen.append(rest.pop(0))
    return np.sort(chosen[:k]), [*chosen[k:], *rest]


def promising(task: Task, count: int) -> Generator[Rows, np.ndarray, np.ndarray]:
    """At most so many words: of more, those that do most by themselves, alone and by their absence."""
    if task.n <= count:
        return np.arange(task.n)
    return np.sort(np.argsort(-(yield from effects(task)), kind="stable")[:count])


def effects(task: Task) -> Generator[Rows, np.ndarray, np.ndarray]:
    """What each word does by itself: how far the value falls without it, and rises with it alone."""
    n = task.n
    eye = np.eye(n, dtype=bool)
    values = yield np.concatenate([np.ones((1, n), bool), np.zeros((1, n), bool), ~eye, eye])
    found: np.ndarray = values[0] - values[2 : 2 + n] + values[2 + n :] - values[1]
    return found


def three_in_five(k: int) -> int:
    """How many of k candidates a score from random rows decides about."""
    return (3 * k + 2) // 5


def _standing_out(values: np.ndarray) -> np.ndarray:
    """How far each value is above what is usual among them; 0 for the usual ones."""
    above = values - np.median(values)
    return np.maximum(above - STANDS_OUT * np.median(np.abs(above)), 0)


def _ridge(kept: np.ndarray, values: np.ndarray, ways: np.ndarray, penalty: float = 1.0) -> np.ndarray:
    """The weight of each word; the rows of each way of removing words have a level of their own."""
    x, y = kept.astype(float), values.copy()
    for way in np.unique(ways):
        own = ways == way
        x[own] -= x[own].mean(axis=0)
        y[own] -= y[own].mean()
    return np.linalg.solve(x.T @ x + penalty * np.eye(x.shape[1]), x.T @ y)
