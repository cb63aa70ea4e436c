"""Gradients: gradient x input (Shrikumar et al. 2016) and integrated gradients (Sundararajan et al., ICML 2017).

With e_j the embedding of word j, F the explained probability and a baseline of zero embeddings,

    gradient x input      e_j . dF/de_j at e
    integrated gradients  e_j . integral over a in [0, 1] of dF/de_j at a * e,   which add up to F(e) - F(0)

Both are derivatives by a factor of the word's embedding, and are computed as such.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.method.base import Answer, Method, Questions, Task, option

__all__ = ["GradientXInput", "IntegratedGradients"]

FINEST = 1024  # points of a path
DENSE = 4  # the path is walked as a = u^4: where embeddings are normalised first, most happens near zero
SMALL = 0.05  # a change of probability below which the gap is judged as if the change were this large


@dataclass(frozen=True)
class GradientXInput(Method):
    """A word's attribution is how fast the probability grows as its embedding is scaled up."""

    name: ClassVar[str] = "gradient-x-input"
    summary: ClassVar[str] = "the gradient by a word's embedding times the embedding"
    needs_gradient: ClassVar[bool] = True

    def explain(self, task: Task) -> Questions:
        """One pass forth and back."""
        yield from ()  # nothing to ask
        slopes, _ = _slopes(task, np.ones(1))
        return Answer(slopes[0], details={"gradient_rows": 1})


@dataclass(frozen=True)
class IntegratedGradients(Method):
    """Attributions add up to the probability of the pair less that of zero embeddings."""

    name: ClassVar[str] = "integrated-gradients"
    summary: ClassVar[str] = "gradients by the words' embeddings along the path from zero embeddings to the pair"
    needs_gradient: ClassVar[bool] = True

    steps: int = option(32, "points on the path; doubled until the attributions add up to the change", low=1)
    tolerance: float = option(0.01, "by how much of the change they may miss it", low=1e-6)

    def explain(self, task: Task) -> Questions:
        """Gauss-Legendre quadrature, refined until it is complete."""
        yield from ()  # nothing to ask
        _, (full, zero) = _slopes(task, np.array([1.0, 0.0]))
        steps, gradient_rows = self.steps, 2
        while True:
            nodes, weights = np.polynomial.legendre.leggauss(steps)
            u = (nodes + 1) / 2
            slopes, _ = _slopes(task, u**DENSE)
            attributions = (weights / 2 * DENSE * u ** (DENSE - 1)) @ slopes
            gradient_rows += steps
            gap = abs(attributions.sum() - (full - zero)) / max(abs(full - zero), SMALL)
            if gap <= self.tolerance or 2 * steps > FINEST:
                break
            steps *= 2
        details = {"steps": steps, "gradient_rows": gradient_rows, "baseline": float(zero), "gap": float(gap)}
        return Answer(attributions, details=details)


def _slopes(task: Task, scales: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """At each scale of the embeddings, dF by the factor of each word's embedding, `[scales, words]`, and F."""
    import torch

    bound, owners = task.bound, task.bound.token_words()
    embeddings = bound.embed()
    is_word = torch.from_numpy(owners >= 0).to(embeddings.device)
    scale = torch.tensor(scales, dtype=embeddings.dtype, device=embeddings.device)[:, None]
    factors = torch.where(is_word, scale, 1.0).requires_grad_()
    value = task.through(lambda rows: bound.from_embeddings(rows[..., None] * embeddings), factors)
    (slope,) = torch.autograd.grad(value.sum(), factors)
    by_token = slope.double().cpu().numpy()
    by_word = np.zeros((len(scales), task.n))
    np.add.at(by_word.T, owners[owners >= 0], by_token.T[owners >= 0])
    return by_word, value.detach().double().cpu().numpy()
