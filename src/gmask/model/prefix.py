"""What all rows begin with, put through a causal model once: the rows go on from its keys and values."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from gmask.model.family import arguments_of
from gmask.model.packing import Inputs

__all__ = ["Prefix", "shared_prefix"]

SAME = 1e-4
LEAST = 4  # tokens that are worth it


class Prefix:
    """The first tokens of all rows, and what a causal model keeps of them; made where nothing else is computed.

    Args:
        model: A model whose tokens see only those before them, and that takes `past_key_values`.
        ids: The tokens.
    """

    def __init__(self, model: Any, ids: Sequence[int]) -> None:
        from transformers import DynamicCache

        self.model = model
        self.ids = np.array(ids, dtype=np.int64)
        self._kept: Any = DynamicCache()
        row = torch.from_numpy(self.ids).to(model.device)[None]
        model(input_ids=row, attention_mask=torch.ones_like(row), past_key_values=self._kept, use_cache=True)

    def begins(self, inputs: Inputs) -> bool:
        """Whether all rows begin with it, as it is, and go on."""
        size = len(self.ids)
        if inputs["input_ids"].shape[1] <= size:
            return False
        usual = {"input_ids": self.ids, "position_ids": np.arange(size), "attention_mask": 1, "weights": 1}
        return all(name in usual and bool((values[:, :size] == usual[name]).all()) for name, values in inputs.items())

    def run(self, tensors: dict[str, torch.Tensor]) -> Any:
        """The model's output for rows that begin with it."""
        cache = copy.deepcopy(self._kept)  # it grows by what goes through
        cache.batch_repeat_interleave(len(tensors["input_ids"]))
        size = len(self.ids)
        rest = {name: values if name == "attention_mask" else values[:, size:] for name, values in tensors.items()}
        return self.model(**rest, past_key_values=cache, use_cache=True)


def shared_prefix(model: Any, ids: Sequence[int]) -> Prefix | None:
    """A way to go on from tokens that all rows begin with, if the model has one; tried on the model itself."""
    if len(ids) < LEAST or "past_key_values" not in arguments_of(model):
        return None
    row = torch.tensor([[*ids, *ids[:LEAST]]] * 2, device=model.device)
    row[1, -1] = row[1, 0]
    positions = torch.arange(row.shape[1], device=row.device).expand_as(row)
    inputs = {"input_ids": row, "attention_mask": torch.ones_like(row)}
    if "position_ids" in arguments_of(model):
        inputs["position_ids"] = positions + (positions >= row.shape[1] - 2)  # as where a token before was left out
    try:
        with torch.inference_mode():
            usual, found = model(**inputs).logits, Prefix(model, ids)
            same = torch.allclose(usual, found.run(inputs).logits, rtol=SAME, atol=SAME)
    except Exception:  # noqa: BLE001  (a model that keeps something else can stumble anywhere)
        return None
    return found if same else None
