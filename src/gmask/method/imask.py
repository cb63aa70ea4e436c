"""IMASK: a mask for each word on its own (Chen and Ji 2020), the paper's pre-selection and one of its baselines.

    minimise  E[-log p(y | x with mask R)] - beta * mean_j H(R_j),     R_j ~ Bernoulli(theta_j)

Solved by sampling. The gradient is the score-function estimate with the mean of the samples as its baseline, which
needs no gradient of the model, so that a black box will do; or, as published, it goes through the model with the
Gumbel-softmax relaxation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gmask.method.base import Answer, Method, Questions, Task, option

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
    rate: float = option(0.5, "learning rate", low=0)
    beta: float = option(0.1, "weight of the entropy of the masks", low=0)
    solver: str = option("score", "gradient by score function, or through the model", choices=("score", "gradient"))

    @property
    def differentiates(self) -> bool:
        """Only as published."""
        return self.solver == "gradient"

    def explain(self, task: Task) -> Questions:
        """Learn theta."""
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
