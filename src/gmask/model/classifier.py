"""Running a Hugging Face classifier: inputs in, probabilities or scores out, in batches that fit in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import torch

from gmask.errors import GmaskError
from gmask.model.embedding import embedding_modules, substituted
from gmask.model.family import Family
from gmask.model.narrow import narrow
from gmask.model.packing import Inputs, before

__all__ = ["Classifier"]


class Classifier:
    """A model and what its logits mean.

    Args:
        model: A Hugging Face model with a classification head.
        family: What `family_of` says of it.
        batch_tokens: At most this many tokens a batch.
        read: Makes probabilities or scores of logits.
    """

    def __init__(
        self, model: Any, family: Family, batch_tokens: int, read: Callable[[torch.Tensor], torch.Tensor]
    ) -> None:
        self.model = model
        self.family = family
        self.batch_tokens = batch_tokens
        self.read = read
        self._modules = embedding_modules(model)
        self._narrow = narrow(model)
        self._lock = threading.Lock()  # a hook changes embeddings for whoever runs the model meanwhile

    def batches(self, inputs: Inputs) -> Iterator[np.ndarray]:
        """Outputs of rows of one width, batch by batch; a batch that does not fit in memory is halved."""
        count, width = inputs["input_ids"].shape
        at = 0
        while at < count:
            size = min(max(1, self.batch_tokens // width), count - at)
            try:
                with torch.inference_mode():
                    outputs = self.run({name: values[at : at + size] for name, values in inputs.items()})
            except RuntimeError as error:
                if not _out_of_memory(error):
                    raise
                if size == 1:
                    raise GmaskError(f"there is not enough memory to run the model on {width} tokens") from None
                self.batch_tokens = width * (size // 2)
                continue
            # Digits beyond these depend on the batch and the number of threads.
            yield np.round(outputs.cpu().numpy().astype(float), 6)
            at += size

    def run(
        self, inputs: Inputs, *, weights: torch.Tensor | None = None, embeddings: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Outputs `[rows, outputs]`, differentiable in `weights` and `embeddings` (see `substituted`)."""
        count = len(inputs["input_ids"])
        step = 1 if self.family.last and self.family.pad is None else count  # such a model takes one row at a time
        logits = torch.cat(
            [
                self._logits(
                    {name: values[i : i + step] for name, values in inputs.items()},
                    None if weights is None else weights[i : i + step],
                    None if embeddings is None else embeddings[i : i + step],
                )
                for i in range(0, count, step)
            ]
        )
        return self.read(logits.to(torch.promote_types(logits.dtype, torch.float32)))

    def embed(self, ids: np.ndarray) -> torch.Tensor:
        """The word embeddings of tokens."""
        with torch.no_grad():
            return self._modules[0](torch.from_numpy(ids).to(self.model.device))  # type: ignore[no-any-return]

    def attentions(self, inputs: Inputs) -> torch.Tensor:
        """Attention weights `[layers, heads, tokens, tokens]` of one row."""
        usual = self.model.config._attn_implementation
        with self._lock, torch.no_grad():
            self.model.set_attn_implementation("eager")  # the others do not keep the weights
            try:
                found = self.model(**self._tensors(inputs), output_attentions=True)
            finally:
                self.model.set_attn_implementation(usual)
        return torch.cat(found.attentions).float()

    def _logits(self, inputs: Inputs, weights: torch.Tensor | None, embeddings: torch.Tensor | None) -> torch.Tensor:
        if self.family.last and self.family.pad is None:  # read at the last token, so that one must stay
            stop = int(np.flatnonzero(inputs["attention_mask"][0])[-1]) + 1
            inputs = {name: values[:, :stop] for name, values in inputs.items()}
            weights = None if weights is None else weights[:, :stop]
            embeddings = None if embeddings is None else embeddings[:, :stop]
        source = None
        if "decoder_attention_mask" in inputs:
            source = torch.from_numpy(before(inputs["decoder_attention_mask"].astype(bool))).to(self.model.device)
        tensors = self._tensors(inputs)
        own = tensors.pop("weights", None)
        change = substituted(
            self._modules,
            weights=own if weights is None else weights,
            embeddings=embeddings,
            source=source,
            tokens_first=self.family.tokens_first,
        )
        with self._lock, change, self._narrow.first_token_only() if self._narrow else nullcontext():
            logits = getattr(self.model(**tensors), "logits", None)
        if logits is None or logits.shape != (len(inputs["input_ids"]), self.model.config.num_labels):
            raise GmaskError(f"{type(self.model).__name__} is no sequence classifier: it gives no logits for classes")
        return logits  # type: ignore[no-any-return]

    def _tensors(self, inputs: Inputs) -> dict[str, Any]:
        return {name: torch.from_numpy(values).to(self.model.device) for name, values in inputs.items()}


def _out_of_memory(error: RuntimeError) -> bool:
    return any(sign in str(error).lower() for sign in ("out of memory", "can't allocate memory"))
