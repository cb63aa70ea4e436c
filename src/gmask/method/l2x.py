"""L2X (Chen et al., ICML 2018): a selector network, trained once a model, picks the words in one forward pass.

The formula and the networks are in `gmask.method.selector.network`; `gmask fit l2x` trains a selector.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from gmask.errors import GmaskError
from gmask.method import fitted
from gmask.method.base import Answer, Method, Questions, Task, option
from gmask.model.base import PairModel

if TYPE_CHECKING:
    from gmask.method.selector.network import Selector

__all__ = ["L2x"]

FILE = "l2x.safetensors"


@dataclass(frozen=True)
class L2x(Method):
    """A word's attribution is the probability that it is among the k words the selector draws."""

    name: ClassVar[str] = "l2x"
    summary: ClassVar[str] = "a selector trained on the model's own predictions; no model rows (needs `gmask fit l2x`)"

    selector: str | None = option(None, "file of `gmask fit l2x`; else the one beside the model")

    def check(self, model: PairModel, removal: str | None = None) -> None:
        """There must be a selector of this model."""
        super().check(model, removal)
        self._read(model)

    def explain(self, task: Task) -> Questions:
        """One forward pass of the selector."""
        import torch

        from gmask.method.selector.network import collate, encode

        yield from ()  # nothing to ask
        _check_target(task)
        found, name = self._read(task.bound.model)
        network = _load(found)
        k = network.shape.k
        with torch.inference_mode():
            scores = network(**collate([encode(task.bound.words, network.shape.buckets)]))[0]
        once = scores.double().exp().numpy()
        return Answer(-np.expm1(k * np.log1p(-once)), details={"selector": name, "k": k})

    def _read(self, model: PairModel) -> tuple[fitted.Fitted, str]:
        path = fitted.locate(model, self.selector, FILE)
        if path is None:
            raise GmaskError(
                f"there is no selector for {model.name}; train one with "
                f'`gmask fit l2x --model M --data D -o {FILE}` and give it as selector="{FILE}"'
            )
        return fitted.read(path, method=self.name, model=model), path.name


@lru_cache(maxsize=8)
def _load(found: fitted.Fitted) -> Selector:
    from gmask.method.selector.network import Selector, Shape

    network = Selector(Shape(**found.settings["shape"]))
    network.load_state_dict({name: tensor.float() for name, tensor in found.tensors.items()})
    return network.eval()


def _check_target(task: Task) -> None:
    """A selector has learnt what the model says, and can speak of nothing else."""
    said = task.bound(np.ones((1, task.n), dtype=bool))[0]  # known: the model was asked about the pair already
    if task.target.against is not None:
        raise GmaskError("l2x explains what a model says and holds it against nothing; leave `against` out")
    if not task.bound.model.raw and said.argmax() != task.target.index:
        labels = task.target.labels
        raise GmaskError(f"l2x explains what a model says, here {labels[said.argmax()]!r}; leave `target` out")
