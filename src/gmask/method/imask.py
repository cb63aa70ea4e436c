"""IMASK: a mask for each word on its own (Chen and Ji 2020), the paper's pre-selection and one of its baselines.

    minimise  E[-log p(y | x with mask R)] - beta * mean_j H(R_j),     R_j ~ Bernoulli(theta_j)

Solved by sampling. The gradient is the score-function estimate with the mean of the samples as its baseline, which
needs no gradient of the model, so that a black box will do; or it goes through the model with the Gumbel-softmax
relaxation; or all is as the authors released it (see `gmask.method.released`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.errors import GmaskError
from gmask.method.base import Answer, Method, Questions, Task, option
from gmask.method.released import OWN, released_imask

__all__ = ["Imask"]

TINY = 1e-6


@dataclass(frozen=True)
class Imask(Method):
    """Learn each word's probability to be kept so that the prediction stays."""

    name: ClassVar[str] = "imask"
    summary: ClassVar[str] = "individual word masks learned by sampling (paper baseline)"
    weighs: ClassVar[bool] = True

    samples: int = option(10, "masks drawn an epoch", low=2)
    epochs: int = option(10, "steps of the optimiser", low=1)
    rate: float = option(None, "learning rate; 0.5, or as released 0.1, if left out", low=0)
    beta: float = option(None, "weight of the entropy of the masks; 0.1 if left out; as released, the variant's", low=0)
    solver: str = option(
        "score",
        "gradient by score function, or through the model; or all as the authors released it",
        choices=("score", "gradient", "released"),
    )
    variant: str | None = option(
        None, "released: the settings for which of the authors' models (default: for one like this)", choices=tuple(OWN)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        released = self.solver == "released"
        if self.variant is not None and not released:
            raise GmaskError('variant is a setting of solver="released"')
        if self.beta is not None and released:
            raise GmaskError('beta is no setting of solver="released", whose variant decides about it')
        if self.rate is None:
            object.__setattr__(self, "rate", 0.1 if released else 0.5)
        if self.beta is None and not released:
            object.__setattr__(self, "beta", 0.1)

    @property
    def differentiates(self) -> bool:
        """Where it goes through the model."""
        return self.solver != "score"

    def explain(self, task: Task) -> Questions:
        """Learn theta."""
        if self.solver == "released":
            size = {"samples": self.samples, "epochs": self.epochs}
            return (yield from released_imask(task, variant=self.variant, rate=self.rate, **size))
        if self.solver == "gradient":
            theta = self._through_model(task)
            yield np.ones((1, task.n), bool)
            return Answer(theta, details={"gradient_rows": self.samples * self.epochs})
        random = task.random()
        logits = np.zeros(task.n)
        first, second = np.zeros(task.n), np.zeros(task.n)
        for step in range(1, self.epochs + 1):
            theta = 1 / (1 + np.exp(-logits))
            kept = random.random((self.samples, task.n)) < theta
            loss = -np.log(np.maximum((yield kept), TINY))
            advantage = (loss - loss.mean()) * self.samples / (self.samples - 1)
            slope = theta * (1 - theta)
            gradient = (advantage[:, None] * (kept - theta)).mean(axis=0) + self.beta / task.n * logits * slope
            first, second = 0.9 * first + 0.1 * gradient, 0.99 * second + 0.01 * gradient**2
            logits = logits - self.rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
        return Answer(1 / (1 + np.exp(-logits)))

    def _through_model(self, task: Task) -> np.ndarray:
        import torch

        generator = torch.Generator().manual_seed(task.seed)
        logits = torch.zeros(task.n, requires_grad=True)
        optimizer = torch.optim.Adam([logits], lr=self.rate)
        for _ in range(self.epochs):
            uniform = torch.rand((self.samples, task.n), generator=generator).clamp_(TINY, 1 - TINY)
            soft = torch.sigmoid((logits + torch.log(uniform) - torch.log1p(-uniform)) / 0.5)
            mask = (soft > 0.5).float() + soft - soft.detach()
            p = task.soft(mask).clamp_min(TINY)
            theta = torch.sigmoid(logits).clamp(TINY, 1 - TINY)
            entropy = -(theta * torch.log(theta) + (1 - theta) * torch.log(1 - theta)).mean()
            optimizer.zero_grad()
            (-torch.log(p).mean() - self.beta * entropy).backward()
            optimizer.step()
        return torch.sigmoid(logits).detach().double().numpy()
