"""The degradation test (Ancona et al. 2018; Schulz et al. 2020), as in the GMASK paper, equations 10 and 11."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.metric.base import Answers, Case, Metric
from gmask.model.bound import Rows

__all__ = ["GRID", "Degradation"]

GRID = np.linspace(0, 1, 101)  # the share of words removed


@dataclass(frozen=True)
class Degradation(Metric):
    """The area between the curves that remove the least (LeRF) and the most (MoRF) relevant words first.

    A pair of n words gives both curves at the shares 0, 1/n, ..., 1; between them a straight line is drawn, to bring
    pairs of all lengths onto the whole percents. As in the paper, p(y | x_rho), p(y | x) and p(y | x_o) are averaged
    over pairs first and the averages are normalised: S(rho) = (p(rho) - p(o)) / (p(x) - p(o)). Where the average with
    all words and with none are the same, there is no score.
    """

    name: ClassVar[str] = "degradation"
    title: ClassVar[str] = "Degradation score"
    summary: ClassVar[str] = "the area between removing the least and the most important words first"
    range: ClassVar[tuple[float, float]] = (-np.inf, np.inf)

    def rows(self, case: Case) -> Rows:
        """The most important words removed first, then the least important first."""
        counts = range(case.n + 1)
        return np.concatenate([case.without_top(counts), case.only_top(reversed(counts))])

    def measure(self, case: Case, answers: Answers) -> list[float] | None:  # noqa: ARG002
        """The two curves, one after the other."""
        return [float(v) for v in answers.values]

    @staticmethod
    def words(measured: Sequence[float]) -> int:
        """How many words the pair has."""
        return len(measured) // 2 - 1

    def common(self, measured: Sequence[float]) -> np.ndarray:
        """The two curves at every whole percent."""
        curves = np.asarray(measured, dtype=float).reshape(2, -1)
        shares = np.linspace(0, 1, curves.shape[1])
        return np.concatenate([np.interp(GRID, shares, curve) for curve in curves])

    def weights(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """The area under each point of a curve, for LeRF with only the top words and for MoRF without them.

        The figure is divided by the average fall from all words to none, which no order changes.
        """
        shares, steps = np.linspace(0, 1, n + 1), np.diff(GRID)
        points = np.array([np.interp(GRID, shares, point) for point in np.eye(n + 1)])
        area = (points[:, 1:] + points[:, :-1]) / 2 @ steps
        return area[::-1].copy(), -area

    def figure(self, mean: np.ndarray) -> np.ndarray:
        """The area between the normalised curves."""
        morf, lerf = self.curves(mean)
        gap = lerf - morf
        return np.asarray(np.sum((gap[..., 1:] + gap[..., :-1]) / 2 * np.diff(GRID), axis=-1, keepdims=True))

    def curves(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The normalised MoRF and LeRF curves, each `[..., GRID]`, of averages over pairs."""
        mean = mean.reshape(*mean.shape[:-1], 2, len(GRID))
        full, none = mean[..., :, :1], mean[..., :, -1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            curves = np.where(np.abs(full - none) > 1e-12, (mean - none) / (full - none), np.nan)
        return curves[..., 0, :], curves[..., 1, :]
