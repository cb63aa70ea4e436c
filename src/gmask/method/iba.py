"""IBA, per sample (Schulz et al., ICLR 2020): noise in a word's features shows how much of them is needed.

With r the word embeddings of the pair, mu and sigma their mean and deviation over texts, and lambda = sigmoid(alpha),

    z = lambda * r + (1 - lambda) * eps,   eps ~ N(mu, sigma^2)
    minimise over alpha   -log p(y | z) + beta * mean KL( z | r  ||  N(mu, sigma^2) )

A word's attribution is the information let through, the KL summed over its tokens' features. mu and sigma are of
the model, not of the pair: they come from `gmask fit iba`, or else from sample sentences that come with the package.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from gmask.dataset.samples import sample_pairs
from gmask.errors import GmaskError
from gmask.method import fitted
from gmask.method.base import Answer, Method, Questions, Task, option
from gmask.model.base import PairModel

if TYPE_CHECKING:
    import torch

__all__ = ["Iba", "estimate", "fit_iba"]

FILE = "iba.safetensors"
NATS = 0.6931471805599453  # in a bit

# Statistics from the sample sentences, computed once a model.
_sampled: WeakKeyDictionary[PairModel, tuple[torch.Tensor, torch.Tensor]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Iba(Method):
    """A word's attribution is how many bits about it the prediction needs."""

    name: ClassVar[str] = "iba"
    summary: ClassVar[str] = "how much information about each word must get through noise to keep the prediction"
    needs_gradient: ClassVar[bool] = True

    beta: float = option(10.0, "price of information", low=0)
    steps: int = option(10, "steps of Adam", low=1)
    rate: float = option(1.0, "learning rate", low=0)
    samples: int = option(10, "noise drawn a step", low=1)
    start: float = option(5.0, "alpha at the start; 5 lets nearly everything through")
    statistics: str | None = option(None, "file of `gmask fit iba`; else the one beside the model, or sample sentences")

    def explain(self, task: Task) -> Questions:
        """Optimise alpha, measure what gets through."""
        import torch

        yield from ()  # nothing to ask
        bound, owners = task.bound, task.bound.token_words()
        r = bound.embed()
        mean, deviation, source = self._statistics(bound.model)
        mean, deviation = mean.to(r), deviation.to(r)
        is_word = torch.from_numpy(owners >= 0).to(r.device)[:, None]
        generator = torch.Generator().manual_seed(task.seed)
        alpha = torch.full_like(r, self.start).requires_grad_()
        optimizer = torch.optim.Adam([alpha], lr=self.rate)
        for _ in range(self.steps):
            lam = torch.where(is_word, alpha.sigmoid(), 1.0)  # special tokens are no words: they pass as they are
            eps = mean + deviation * torch.randn(self.samples, *r.shape, generator=generator).to(r)
            value = task.through(bound.from_embeddings, lam * r + (1 - lam) * eps)
            capacity = _capacity(alpha.sigmoid(), (r - mean) / deviation)[is_word[:, 0]]
            loss = -value.clamp_min(1e-8).log().mean() + self.beta * capacity.mean()
            optimizer.zero_grad()
            (alpha.grad,) = torch.autograd.grad(loss, alpha)
            optimizer.step()
        with torch.no_grad():
            bits = _capacity(alpha.sigmoid(), (r - mean) / deviation).sum(dim=1).double().cpu().numpy() / NATS
        by_word = np.bincount(owners[owners >= 0], bits[owners >= 0], minlength=task.n)
        return Answer(by_word, details={"gradient_rows": self.steps * self.samples, "statistics": source})

    def _statistics(self, model: PairModel) -> tuple[torch.Tensor, torch.Tensor, str]:
        path = fitted.locate(model, self.statistics, FILE)
        if path is None:
            return *_from_sample(model), "sample sentences"
        found = fitted.read(path, method=self.name, model=model)
        return found.tensors["mean"], found.tensors["deviation"], path.name


def estimate(model: PairModel, pairs: Iterable[tuple[str, str]]) -> tuple[torch.Tensor, torch.Tensor]:
    """The mean and the deviation of the words' features over texts, `[dimensions]` each."""
    import torch

    count, total, squares = 0, torch.zeros(()), torch.zeros(())
    for first, second in pairs:
        bound = model.bind(first, second)
        features = bound.embed()[torch.from_numpy(bound.token_words() >= 0)].double().cpu()
        count += len(features)
        total = total + features.sum(dim=0)
        squares = squares + (features**2).sum(dim=0)
    if count < 2:
        raise GmaskError("no words to estimate statistics from")
    mean = total / count
    deviation = (squares / count - mean**2).clamp_min(0).sqrt()
    floor = 0.01 * deviation.mean() + 1e-6  # a feature that never changes must not have infinite information
    return mean.float(), deviation.clamp_min(floor).float()


def fit_iba(model: PairModel, pairs: Any, path: Path) -> None:
    """Estimate the statistics of a model over pairs and write them to a file."""
    if not model.differentiable:
        raise GmaskError(f"iba needs gradients and {model.name} gives none")
    mean, deviation = estimate(model, pairs)
    fitted.save(
        path,
        {"mean": mean, "deviation": deviation},
        method=Iba.name,
        model=model,
        pairs=pairs,
        settings={"pairs": len(pairs)},
    )


def _from_sample(model: PairModel) -> tuple[torch.Tensor, torch.Tensor]:
    if model not in _sampled:
        _sampled[model] = estimate(model, sample_pairs())
    return _sampled[model]


def _capacity(lam: torch.Tensor, r: torch.Tensor) -> torch.Tensor:
    """KL( N(lambda * r, (1 - lambda)^2) || N(0, 1) ), in nats, for normalised features r."""
    variance = (1 - lam) ** 2
    capacity: torch.Tensor = 0.5 * (variance + (lam * r) ** 2 - 1 - variance.clamp_min(1e-12).log())
    return capacity
