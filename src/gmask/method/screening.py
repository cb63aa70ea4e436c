"""Which words may matter: the first, cheap look at a pair that chooses the candidates of GMASK."""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence

import numpy as np

from gmask.method.base import Task
from gmask.model.bound import Request

__all__ = ["effects", "firmness", "grow", "promising", "random_rows", "removals", "screen", "three_in_five"]

Rows = np.ndarray

FIRM = 0.2  # weight of the logarithm in firmness
STANDS_OUT = 7.5  # median deviations: about five standard deviations of a normal distribution
CLOSER = 20  # words whose removal is asked about in all ways
LEAST = 4  # candidates are not enough before there are so many
STANDS = 0.9  # an answer stands, or has fallen, this far from nothing to everything
FLOOR = 1e-4  # what is left to 1 is read no closer than this


def firmness(p: np.ndarray) -> np.ndarray:
    """How firmly an answer stands: p - 0.2 log(1 - p).

    A model that is sure stays at 0.99 without any one word, and p alone says that none matters. But to go from 0.999 to
    0.99 is a step towards another answer, and the logarithm sees it; where p is low it sees next to nothing.
    """
    return p - FIRM * np.log(np.maximum(1 - p, FLOOR))


def removals(task: Task) -> Generator[Rows | list[Request], np.ndarray, np.ndarray]:
    """How much the firmness of the answer falls when each word goes, `[n]`.

    Where words are removed in several ways, all go in the first, and those that are missed most in the others too.
    """
    single = ~np.eye(task.n, dtype=bool)
    full, *values = firmness((yield [(task.bound.ways[0], np.concatenate([np.ones((1, task.n), bool), single]))]))
    falls: np.ndarray = full - np.array(values)
    if len(task.bound.ways) > 1:
        most = np.argsort(-falls, kind="stable")[:CLOSER]
        falls[most] = full - firmness((yield single[most]))
    return falls


def screen(
    task: Task, near: np.ndarray, rows: int, *, alone: bool = False
) -> Generator[Rows | list[Request], np.ndarray, np.ndarray]:
    """Score every word: what its absence does to the whole pair, what it does among random others, perhaps alone.

    Single removals are cheap and sharp but blind to redundancy: under (A and B) or (C and D) none changes anything.
    Rows with random words missing, and a ridge regression on them, see that. What is left after removals is read as
    `firmness`, in the noise of random rows by half. A random row is asked in one way of removing words only. What a
    model says of a single word is far from what it was made for, so only words count there that stand out from all.

    Args:
        task: What is explained.
        near: Of `removals`; 0 where that was not asked.
        rows: How many random rows.
        alone: Whether to keep single words alone, n rows.

    Returns:
        A score a word, `[n]`: higher matters more.
    """
    score = near / 2
    if alone:
        score = score + _standing_out((yield np.eye(task.n, dtype=bool))) / 2
    if rows:
        requests = task.in_turn(random_rows(task, rows))
        values = yield requests
        ways = np.repeat(np.arange(len(requests)), [len(own) for _, own in requests])
        noisy = np.concatenate([own for _, own in requests])
        score = score + _ridge(noisy, (values + firmness(values)) / 2, ways)
    return score


def random_rows(task: Task, count: int) -> Rows:
    """Rows with random words missing; more of them begin with the same ones."""
    draws = task.random().random((count, task.n + 1))
    rows: Rows = draws[:, :-1] < 0.2 + 0.8 * draws[:, -1:]
    return rows


def grow(
    task: Task,
    score: np.ndarray,
    k: int,
    *,
    start: int | None = None,
    pool: int | None = None,
    further: int = 0,
    later: int | None = None,
    needed: Collection[int] | None = None,
) -> Generator[Rows | list[Request], np.ndarray, tuple[np.ndarray, list[int]]]:
    """Choose k candidates, one after another: next is the word that does most once the chosen ones are settled.

    The score looks at words one by one. Beside the words that are chosen, as the only ones kept and as the only ones
    gone, it shows what another adds: words that repeat what is known do nothing, words in their shadow do. Each of the
    two is asked in one way of removing words, in turn.

    Args:
        task: What is explained.
        score: A first score a word.
        k: How many candidates, at most.
        start: About how many of them the score decides. Default: three in five.
        pool: How many words to try each time, the most promising. Default: all.
        further: How many words after k candidates are found in the same way; where fewer are enough, as many more.
        later: How many words to try each time, after the candidates. Default: as many as before.
        needed: Words that must be among the candidates before these are enough. Default: k candidates, whatever they
            do. Else there are no more of them than it takes for the answer to stand on them and to fall without them.

    Returns:
        The candidates, and the other words in the order of what they add.
    """
    ranked = [int(j) for j in np.argsort(-score, kind="stable")]
    start = three_in_five(k) if start is None else start
    chosen, rest, ways = ranked[:start], ranked[start:], task.bound.ways
    gains: list[dict[int, float]] = []
    last = k + further
    while rest:
        if needed is not None and LEAST <= len(chosen) < k and (yield from _enough(task, chosen, needed)):
            k, needed = len(chosen), None
        tried = rest[: pool if later is None or len(chosen) < k else later]
        rows = np.zeros((len(tried), task.n), dtype=bool)
        rows[:, chosen] = True
        rows[np.arange(len(tried)), tried] = True
        turn = len(chosen) % len(ways)
        kept, removed = np.split((yield [(ways[turn], rows), (ways[turn - 1], ~rows)]), 2)
        gain = kept - firmness(removed) + score[tried] / 2
        gains.append(dict(zip(tried, gain - np.median(gain), strict=True)))
        rest = [tried[i] for i in np.argsort(-gain, kind="stable")] + rest[len(tried) :]
        if len(chosen) >= last:
            break
        chosen.append(rest.pop(0))
    return np.sort(chosen[:k]), [*chosen[k:], *_lately(rest, gains[-len(ways) :])]


def _lately(rest: Sequence[int], gains: Sequence[dict[int, float]]) -> list[int]:
    """Words by what they added when they were tried last, once in each way; others after them, as they stand."""
    lately = {j: [own[j] for own in gains if j in own] for j in rest}
    return sorted(rest, key=lambda j: -np.mean(lately[j]) if lately[j] else np.inf)


def _enough(task: Task, chosen: Sequence[int], needed: Collection[int]) -> Generator[Rows, np.ndarray, bool]:
    """Whether the answer stands on some words, falls without them, and no other word is needed."""
    if not set(needed) <= set(chosen):
        return False
    only = task.keep(chosen)
    nothing, full, kept, removed = yield np.stack([task.keep(()), ~task.keep(()), only, ~only])
    rise = full - nothing
    return bool(kept >= nothing + STANDS * rise and removed <= nothing + (1 - STANDS) * rise)


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


def _ridge(kept: np.ndarray, values: np.ndarray, ways: np.ndarray, penalty: float = 4.0) -> np.ndarray:
    """The weight of each word; the rows of each way of removing words have a level of their own."""
    x, y = kept.astype(float), values.copy()
    for way in np.unique(ways):
        own = ways == way
        x[own] -= x[own].mean(axis=0)
        y[own] -= y[own].mean()
    return np.linalg.solve(x.T @ x + penalty * np.eye(x.shape[1]), x.T @ y)
