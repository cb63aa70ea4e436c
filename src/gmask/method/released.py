"""GMASK as its authors released it, which is not quite as the paper has it (`published.py`).

    minimise  E[-log p(y | x with w)] - gamma1 (H(Z_U) + H(Z_L)) + gamma2 H(G)

with phi = softmax(sigmoid(.)) over the groups and psi likewise, so that no probability is far from 1/t; H(Z_U) and
H(Z_L) are of the softmax of the column sums of phi; and only the candidates are in the input. IMASK, which chooses
them, keeps a word with the probability r, the second of softmax(sigmoid(.)), and pays for sum r log r.

Samples of z and g have phi and psi themselves as their logits, not the logarithms: only so do orders of this file agree
with the authors' as well as with each other (benchmarks/released.py).

A sample that is drawn straight through is 0 or 1, so what the model says of it, and its slope, depend on which words it
keeps and on nothing else: both are computed once for each set of words, not once for each of the 100,000 samples.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gmask.method.base import Answer, Questions, Task, option
from gmask.method.order import TIES, by_order
from gmask.method.published import number_of_groups

if TYPE_CHECKING:
    import torch

__all__ = ["IMASK", "OWN", "Released", "released_imask"]

# For each of the two models of the paper: masks an epoch, IMASK's weight of sum r log r and half period of its learning
# rate (none: it stays), the least number of groups, and the weight of a word that is masked: it is in the input of
# DAttn as a vector of zeros, and BERT's attention mask takes it out.
OWN: dict[str, dict[str, Any]] = {
    "dattn": {"samples": 1000, "weight": 1.0, "period": 20, "least": 1, "masked": 1e-6},
    "bert": {"samples": 500, "weight": 0.1, "period": None, "least": 2, "masked": 0.0},
}
IMASK = {"samples": 10, "epochs": 10}
TEMPERATURE = 0.5
PERIOD = 10  # epochs in which the learning rate goes down to 0; as many bring it up again
TINY = 1e-12


@dataclass(frozen=True)
class Released:
    """Word groups found as the authors' program finds them; the other words follow in the order of its IMASK."""

    differentiates: ClassVar[bool] = True

    variant: str | None = option(
        None,
        "the authors' settings for which of their models; left out, dattn for one of that kind",
        choices=tuple(OWN),
    )
    k: int = option(10, "how many candidate words", low=1)
    samples: int | None = option(None, "masks drawn an epoch; 1000 for dattn, 500 for bert if left out", low=2)
    epochs: int = option(100, "steps of the optimiser", low=1)
    rate: float = option(0.1, "learning rate", low=0)
    gamma1: float = option(10.0, "weight of an even spread of words over groups", low=0)
    gamma2: float = option(1.0, "weight of few important groups", low=0)

    def explain(self, task: Task) -> Questions:
        """Choose candidates by IMASK, learn phi and psi on them."""
        yield np.ones((1, task.n), bool)
        own, generator = own_settings(self.variant, task), _generator(task)
        whole = _Masked(task, np.arange(task.n), own["masked"])
        kept = _imask(whole, own["weight"], own["period"], IMASK, self.rate, generator)
        ranked = np.argsort(-kept, kind="stable")
        candidates = _candidates(ranked, task.bound.sentences, self.k)
        inner = _Masked(task, candidates, own["masked"])
        phi, psi = self._learn(inner, task.bound.sentences[candidates], own, generator)
        rest = [int(j) for j in ranked if j not in candidates]
        attributions = TIES * by_order([*candidates, *rest])
        attributions[candidates] = phi @ psi
        places = [candidates[phi.argmax(axis=1) == i] for i in range(len(psi))]
        found = [(float(p), task.keep(words).astype(float)) for p, words in zip(psi, places, strict=True) if len(words)]
        rows = len(whole.known) + len(inner.known)
        return Answer(attributions, found, {"candidates": candidates.tolist(), "gradient_rows": rows})

    def _learn(
        self, masked: _Masked, sentences: np.ndarray, own: dict[str, Any], generator: torch.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """phi, `[k, t]`, and psi, `[t]`."""
        import torch

        k, groups = len(sentences), max(own["least"], number_of_groups(sentences))
        x = [torch.ones(k, groups, requires_grad=True), torch.ones(groups, requires_grad=True)]
        sides = [torch.from_numpy(sentences == s) for s in (0, 1)]
        samples = self.samples or own["samples"]

        def loss() -> torch.Tensor:
            phi, psi = map(_probabilities, x)
            z, g = (_draw(logits, samples, TEMPERATURE, generator) for logits in (phi, psi))
            spread = sum(_entropy(phi[side].sum(0).softmax(-1)) for side in sides if side.any())
            return masked.loss((z * g[:, None]).sum(-1)) - self.gamma1 * spread + self.gamma2 * _entropy(psi)

        _descend(x, loss, self.epochs, self.rate, PERIOD)
        phi, psi = (_probabilities(parameters).detach().double().numpy() for parameters in x)
        return phi, psi


def own_settings(variant: str | None, task: Task) -> dict[str, Any]:
    """What the authors set for one of their two models, by default for the one that the task's is like."""
    from gmask.model.dattn import DAttnModel  # heavy

    return OWN[variant or ("dattn" if isinstance(task.bound.model, DAttnModel) else "bert")]


def released_imask(
    task: Task, *, variant: str | None, samples: int, epochs: int, rate: float
) -> Generator[np.ndarray, np.ndarray, Answer]:
    """IMASK with the authors' settings: the probability of each word to be kept."""
    yield np.ones((1, task.n), bool)
    own = own_settings(variant, task)
    masked = _Masked(task, np.arange(task.n), own["masked"])
    size = {"samples": samples, "epochs": epochs}
    kept = _imask(masked, own["weight"], own["period"], size, rate, _generator(task))
    return Answer(kept, details={"gradient_rows": len(masked.known)})


class _Masked:
    """The model reading some words of the pair, the others being gone, with a mask over them.

    Args:
        task: What is explained.
        words: Those that are read.
        masked: The weight of a word that the mask takes out.
    """

    def __init__(self, task: Task, words: np.ndarray, masked: float) -> None:
        self.task, self.words, self.masked = task, words, masked
        self.bound = task.bound.model.bind(*task.bound.texts, removal="drop")
        self.known: dict[bytes, np.ndarray] = {}  # for a mask, the value and then its slope by the mask

    def loss(self, masks: torch.Tensor) -> torch.Tensor:
        """The mean of -log p over masks `[m, words]` of zeros and ones, with the slope at each."""
        import torch

        rows, place = np.unique(masks.detach().numpy() > 0.5, axis=0, return_inverse=True)
        self._learn([row for row in rows if row.tobytes() not in self.known])
        known = np.stack([self.known[row.tobytes()] for row in rows])[place.reshape(-1)]
        value, slope = torch.from_numpy(known[:, 0]), torch.from_numpy(known[:, 1:])
        p = value + (slope * (masks - masks.detach())).sum(-1)
        return -torch.log(p.clamp_min(TINY)).mean()

    def _learn(self, rows: list[np.ndarray]) -> None:
        import torch

        if not rows:
            return
        masks = torch.from_numpy(np.where(rows, 1.0, self.masked).astype(np.float32)).requires_grad_()
        weights = torch.zeros(len(rows), self.task.n).index_copy(1, torch.from_numpy(self.words), masks)
        values = self.task.through(self.bound.soft, weights)
        (slopes,) = torch.autograd.grad(values.sum(), masks)
        told = torch.cat([values.detach()[:, None].to(slopes), slopes], dim=1).numpy()
        self.known |= {row.tobytes(): found for row, found in zip(rows, told, strict=True)}


def _imask(
    masked: _Masked,
    weight: float,
    period: int | None,
    size: dict[str, int],
    rate: float,
    generator: torch.Generator,
) -> np.ndarray:
    """r, the probability of each word to be kept."""
    import torch

    x = torch.ones(len(masked.words), 2, requires_grad=True)

    def loss() -> torch.Tensor:
        r = _probabilities(x)
        kept = _draw(r.log(), size["samples"], 1.0, generator)[..., 1]
        return masked.loss(kept) - weight * _entropy(r[:, 1])

    _descend([x], loss, size["epochs"], rate, period)
    return _probabilities(x).detach()[:, 1].double().numpy()


def _generator(task: Task) -> torch.Generator:
    import torch

    return torch.Generator().manual_seed(task.seed)


def _candidates(ranked: np.ndarray, sentences: np.ndarray, k: int) -> np.ndarray:
    """The first k words; if they are all of one sentence, the first of each in equal parts."""
    chosen = ranked[:k]
    if len(set(sentences[chosen])) == 1 and len(chosen) > 1:
        chosen = np.concatenate([ranked[sentences[ranked] == s][: k // 2] for s in (0, 1)])
    return np.sort(chosen)


def _descend(x: list[torch.Tensor], loss: Any, epochs: int, rate: float, period: int | None) -> None:
    """Adam, its learning rate following a cosine."""
    import torch

    optimizer = torch.optim.Adam(x, lr=rate)
    scheduler = period and torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=period)
    for _ in range(epochs):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
        if scheduler:
            scheduler.step()


def _probabilities(x: torch.Tensor) -> torch.Tensor:
    return x.sigmoid().softmax(-1)


def _draw(logits: torch.Tensor, samples: int, temperature: float, generator: torch.Generator) -> torch.Tensor:
    """One-hot samples, straight through: with the slope of their Gumbel-softmax relaxation."""
    import torch
    from torch.nn import functional as F

    uniform = torch.rand((samples, *logits.shape), generator=generator).clamp_(TINY, 1 - 1e-7)
    soft = F.softmax((logits - torch.log(-torch.log(uniform))) / temperature, -1)
    return F.one_hot(soft.argmax(-1), logits.shape[-1]).to(soft.dtype) + soft - soft.detach()


def _entropy(p: torch.Tensor) -> torch.Tensor:
    return -(p * (p + TINY).log()).sum()
