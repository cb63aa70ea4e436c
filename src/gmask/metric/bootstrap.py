"""How sure a figure is: bootstrap intervals, and a paired test of two methods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

__all__ = ["Average", "Comparison", "Figure", "MeanOver", "compare", "interval"]

RESAMPLES = 2_000
_BLOCK = 2_000_000  # weights drawn at once, which bounds the memory for many pairs


class Figure(Protocol):
    """Whatever makes a figure of averages over pairs, as a metric does."""

    def figure(self, mean: np.ndarray, /) -> np.ndarray:
        """The figure, `[..., k]`, of averages, `[..., d]`."""


class Average:
    """Makes no more of averages than they are."""

    def figure(self, mean: np.ndarray) -> np.ndarray:
        """The averages."""
        return mean


@dataclass(frozen=True)
class MeanOver:
    """The mean of as many figures as there are `parts`, whose averages stand one after another."""

    one: Figure
    parts: int

    def figure(self, mean: np.ndarray) -> np.ndarray:
        """The mean of the figures."""
        return np.asarray(np.mean([self.one.figure(part) for part in np.split(mean, self.parts, axis=-1)], axis=0))


@dataclass(frozen=True)
class Comparison:
    """How much higher the first method's figure is, its 95 % interval, and the two-sided p of no difference."""

    difference: float
    low: float
    high: float
    p: float
    pairs: int


def interval(
    metric: Figure, numbers: np.ndarray, *, seed: int = 0, overall: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """The 95 % percentile interval of each part of a figure, or of their mean.

    Args:
        metric: Makes the figure.
        numbers: Each pair's numbers on a common footing, `[pairs, d]`.
        seed: Of the pairs drawn.
        overall: One interval for the mean of all parts.
    """
    figures = np.concatenate([metric.figure(w @ numbers) for w in _weights(len(numbers), seed)])
    if overall:
        figures = figures.mean(axis=-1, keepdims=True)
    return _percentile(figures, 2.5), _percentile(figures, 97.5)


def compare(metric: Figure, one: np.ndarray, other: np.ndarray, *, seed: int = 0) -> Comparison:
    """Hold two methods against each other on the same pairs, drawing the same pairs for both.

    A figure of several parts (post-hoc accuracy) is compared by its mean.

    Args:
        metric: Makes the figure.
        one: Each pair's numbers under the first method, `[pairs, d]`.
        other: The same pairs' numbers under the second.
        seed: Of the pairs drawn.
    """

    def gap(weights: np.ndarray) -> np.ndarray:
        return np.asarray(np.mean(metric.figure(weights @ one) - metric.figure(weights @ other), axis=-1))

    pairs = len(one)
    gaps = np.concatenate([gap(w) for w in _weights(pairs, seed)])
    difference = gap(np.full((1, pairs), 1 / pairs))
    against = min(np.sum(~(gaps > 0)), np.sum(~(gaps < 0)))  # a draw without a figure speaks for neither
    p = min(1.0, 2 * (float(against) + 1) / (len(gaps) + 1))
    low, high = _percentile(gaps, 2.5), _percentile(gaps, 97.5)
    return Comparison(float(difference[0]), float(low), float(high), p, pairs)


def _weights(pairs: int, seed: int) -> Iterator[np.ndarray]:
    """How often each pair is drawn, as shares, `[draws, pairs]`, a block at a time; the same for all methods."""
    return (counts / pairs for counts in _draw(pairs, seed))


@lru_cache(maxsize=4)
def _draw(pairs: int, seed: int) -> tuple[np.ndarray, ...]:
    """The counts, once for all figures: 2 KB a pair, less than its records take. None will ever be above 255."""
    random = np.random.default_rng(seed)
    block = max(1, _BLOCK // pairs)
    draws = (min(block, RESAMPLES - start) for start in range(0, RESAMPLES, block))
    return tuple(random.multinomial(pairs, np.full(pairs, 1 / pairs), size=n).astype(np.uint8) for n in draws)


def _percentile(values: np.ndarray, q: float) -> np.ndarray:
    """Draws without a figure (a degradation score that divides by nothing) make the end they would widen infinite."""
    values = np.where(np.isnan(values), np.inf if q > 50 else -np.inf, values)
    return np.asarray(np.percentile(values, q, axis=0, method="nearest"))
