"""LIME (Ribeiro et al., KDD 2016): a linear model of the model, fitted to the pair's neighbourhood.

    minimise over (w, b)   sum_z pi(z) * (f(z) - w . z - b)^2 + alpha * |w|^2
    pi(z) = exp(-D(z)^2 / (2 width^2)),   D = 100 * cosine distance between z and the whole pair

z are rows of kept words, drawn as the `lime` package draws them: how many words go is uniform, then which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.method.base import Answer, Method, Questions, Task, option

__all__ = ["Lime", "fit", "neighbours"]


@dataclass(frozen=True)
class Lime(Method):
    """A word's attribution is its coefficient in the local linear model."""

    name: ClassVar[str] = "lime"
    summary: ClassVar[str] = "coefficients of a linear model fitted to random removals around the pair"

    samples: int = option(1000, "rows drawn around the pair", low=2)
    width: float = option(25.0, "width of the exponential kernel, in hundredths of cosine distance", low=1e-3)
    regression: str = option("ridge", "ridge, or lasso for few words", choices=("ridge", "lasso"))
    alpha: float | None = option(None, "strength of the penalty; 1 for ridge, 0.001 for lasso if left out", low=0)

    def explain(self, task: Task) -> Questions:
        """Draw, ask, fit."""
        rows = neighbours(task.random(), self.samples, task.n)
        values = yield rows
        coefficients, score = fit(rows, values, width=self.width, regression=self.regression, alpha=self.alpha)
        return Answer(coefficients, details={"r2": score})


def neighbours(random: np.random.Generator, samples: int, n: int) -> np.ndarray:
    """The whole pair, then rows with 1 to n words gone, each number equally likely."""
    gone = random.integers(1, n + 1, size=(samples - 1, 1))
    rank = random.random((samples - 1, n)).argsort(axis=1).argsort(axis=1)
    return np.concatenate([np.ones((1, n), bool), rank >= gone])


def fit(
    rows: np.ndarray, values: np.ndarray, *, width: float = 25.0, regression: str = "ridge", alpha: float | None = None
) -> tuple[np.ndarray, float]:
    """The coefficients of the weighted linear model, and its weighted R^2.

    Args:
        rows: Kept words, `[m, n]`.
        values: What the model said of each row, `[m]`.
        width: Of the kernel.
        regression: `ridge` or `lasso`.
        alpha: The penalty. Default: 1 for ridge, 0.001 for lasso.
    """
    from sklearn.linear_model import Lasso, Ridge

    kinds = {"ridge": (Ridge, 1.0), "lasso": (Lasso, 1e-3)}
    kind, usual = kinds[regression]
    similarity = np.sqrt(rows.mean(axis=1))  # the cosine of a 0/1 row with the row of ones; 0 for the empty row
    weights = np.exp(-((100 * (1 - similarity)) ** 2) / (2 * width**2))
    data = rows.astype(float)
    model = kind(alpha=usual if alpha is None else alpha).fit(data, values, sample_weight=weights)
    return model.coef_, float(model.score(data, values, sample_weight=weights))
