"""The objective of the GMASK paper, solved exactly on a table, or by the sampling that the paper describes.

    minimise  sum_i psi(i) E[l | group i] - gamma1 (H(Z_U) + H(Z_L)) + gamma2 H(G)                     (paper, eq. 7)

with l(S) = -log p(y | only the words S). Given group i, word j is kept independently with probability phi_j(i), so the
expectation is the multilinear extension of l, a finite sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gmask.multilinear import extension

if TYPE_CHECKING:
    from gmask.method.base import Task

__all__ = ["Masks", "number_of_groups", "objective", "solve_by_sampling", "solve_exactly"]

TINY = 1e-12


@dataclass(frozen=True)
class Masks:
    """phi, `[k, t]`, psi, `[t]`, and the rows put to the model with gradients to find them."""

    phi: np.ndarray
    psi: np.ndarray
    gradient_rows: int = 0

    @property
    def theta(self) -> np.ndarray:
        """The word attributions, eq. 8."""
        return self.phi @ self.psi


def number_of_groups(sentences: np.ndarray) -> int:
    """T = min(k1, k2), so that at least one group has words of both sentences; one, where all are in one sentence."""
    return max(1, int(min((sentences == 0).sum(), (sentences == 1).sum())))


def objective(
    loss: np.ndarray, sentences: np.ndarray, phi: np.ndarray, psi: np.ndarray, gamma1: float, gamma2: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The exact objective and its gradients by phi and psi, for a batch of starts.

    Args:
        loss: l(S) for every subset of the k words, `[2^k]`.
        sentences: The sentence of each of them, `[k]`.
        phi: `[starts, k, t]`.
        psi: `[starts, t]`.
        gamma1: The weight of the even spread of words over groups.
        gamma2: The weight of few important groups.
    """
    expected, slope = extension(loss, np.swapaxes(phi, 1, 2))  # [starts, t], [starts, t, k]
    value = (psi * expected).sum(axis=1)
    phi_gradient = np.swapaxes(psi[:, :, None] * slope, 1, 2)
    for side in (sentences == 0, sentences == 1):
        if side.any():
            spread = phi[:, side].mean(axis=1) + TINY
            value = value + gamma1 * (spread * np.log(spread)).sum(axis=1)
            phi_gradient[:, side] += gamma1 * ((np.log(spread) + 1) / side.sum())[:, None, :]
    value = value - gamma2 * (psi * np.log(psi + TINY)).sum(axis=1)
    psi_gradient = expected - gamma2 * (np.log(psi + TINY) + 1)
    return value, phi_gradient, psi_gradient


def solve_exactly(
    loss: np.ndarray,
    sentences: np.ndarray,
    *,
    gamma1: float,
    gamma2: float,
    groups: int,
    restarts: int,
    steps: int,
    rate: float,
    random: np.random.Generator,
) -> Masks:
    """Adam on the exact objective from several starts at once; the best one is kept.

    The paper starts at 1/t everywhere, where all groups are alike and the exact gradient keeps them so; a little jitter
    breaks the symmetry.
    """
    k = len(sentences)
    x = random.normal(scale=0.5, size=(restarts, k * groups + groups))
    first, second = np.zeros_like(x), np.zeros_like(x)
    value = np.zeros(restarts)
    for step in range(1, steps + 1):
        phi, psi = _unpack(x, k, groups)
        value, phi_gradient, psi_gradient = objective(loss, sentences, phi, psi, gamma1, gamma2)
        gradient = np.concatenate(
            [_softmax_gradient(phi, phi_gradient).reshape(restarts, -1), _softmax_gradient(psi, psi_gradient)], axis=1
        )
        first = 0.9 * first + 0.1 * gradient
        second = 0.99 * second + 0.01 * gradient**2
        x = x - rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    phi, psi = _unpack(x, k, groups)
    value, _, _ = objective(loss, sentences, phi, psi, gamma1, gamma2)
    best = int(value.argmin())
    return Masks(phi[best], psi[best])


def solve_by_sampling(
    task: Task,
    candidates: np.ndarray,
    *,
    gamma1: float,
    gamma2: float,
    groups: int,
    samples: int,
    epochs: int,
    rate: float,
    temperature: float,
) -> Masks:
    """The procedure of the paper: Gumbel-softmax samples of z and g, gradients through the model, from 1/t."""
    import torch
    from torch.nn import functional as F

    generator = torch.Generator().manual_seed(task.seed)
    k = len(candidates)
    phi_logits = torch.zeros(k, groups, requires_grad=True)
    psi_logits = torch.zeros(groups, requires_grad=True)
    optimizer = torch.optim.Adam([phi_logits, psi_logits], lr=rate)
    sides = [torch.from_numpy(task.bound.sentences[candidates] == s) for s in (0, 1)]

    def draw(logits: torch.Tensor) -> torch.Tensor:
        """One-hot samples with the gradient of their Gumbel-softmax relaxation."""
        uniform = torch.rand((samples, *logits.shape), generator=generator).clamp_(TINY, 1 - 1e-7)
        soft = F.softmax((F.log_softmax(logits, -1) - torch.log(-torch.log(uniform))) / temperature, -1)
        hard = F.one_hot(soft.argmax(-1), groups).to(soft.dtype)
        return hard + soft - soft.detach()

    def entropy(p: torch.Tensor) -> torch.Tensor:
        return -(p * torch.log(p + TINY)).sum()

    for _ in range(epochs):
        optimizer.zero_grad()
        masks = (draw(phi_logits) * draw(psi_logits)[:, None, :]).sum(-1)  # w = z g, [samples, k]
        weights = torch.zeros(samples, task.n).index_copy(1, torch.from_numpy(candidates), masks)
        expected = -torch.log(task.soft(weights).clamp_min(TINY)).mean()
        phi, psi = F.softmax(phi_logits, -1), F.softmax(psi_logits, -1)
        spread = sum(entropy(phi[side].mean(0)) for side in sides if side.any())
        (expected - gamma1 * spread + gamma2 * entropy(psi)).backward()
        optimizer.step()
    with torch.no_grad():
        phi, psi = F.softmax(phi_logits, -1), F.softmax(psi_logits, -1)
    return Masks(phi.double().numpy(), psi.double().numpy(), gradient_rows=samples * epochs)


def _unpack(x: np.ndarray, k: int, groups: int) -> tuple[np.ndarray, np.ndarray]:
    logits = x[:, : k * groups].reshape(-1, k, groups)
    return _softmax(logits), _softmax(x[:, k * groups :])


def _softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _softmax_gradient(p: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """The gradient by the logits, given the gradient by their softmax p."""
    return p * (gradient - (p * gradient).sum(axis=-1, keepdims=True))
