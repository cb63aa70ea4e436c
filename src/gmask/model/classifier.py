"""Running a Hugging Face classifier: inputs in, probabilities or scores out, in batches that fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from gmask.errors import GmaskError
from gmask.model.embedding import embedding_modules, substituted
from gmask.model.family import Family
from gmask.model.narrow import first_token_only, last_attention
from gmask.model.packing import Block, Inputs, before
from gmask.model.pieces import out_of_memory
from gmask.model.prefix import shared_prefix
from gmask.model.ragged import ragged
from gmask.model.shadow import Turn

__all__ = ["Classifier"]


class Classifier:
    """A model and what its logits mean.

    Args:
        model: A Hugging Face model with a classification head; changed, while its turn lasts.
        turn: When it may be run: whoever else runs it waits.
        family: What `family_of` says of it.
        batch_tokens: At most this many tokens a batch.
        read: Makes probabilities or scores of logits.
        head: The tokens that all rows begin with.
    """

    def __init__(
        self,
        model: Any,
        turn: Turn,
        family: Family,
        batch_tokens: int,
        read: Callable[[torch.Tensor], torch.Tensor],
        head: Sequence[int] = (),
    ) -> None:
        self.model = model
        self.turn = turn
        self.family = family
        self.batch_tokens = batch_tokens
        self.read = read
        self._modules = embedding_modules(model)
        with turn:
            self._last = last_attention(model)
            self._ragged = ragged(model)
            self._prefix = shared_prefix(model, head)

    def takes_together(self, inputs: Inputs) -> bool:
        """Whether such rows can go into one call with those of other widths: packed, in a model built as BERT is."""
        packed = "position_ids" in inputs and "weights" not in inputs
        return self._ragged is not None and packed and bool(inputs["attention_mask"].all())

    def answers(self, blocks: Iterable[Block]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The numbers of rows and their outputs, batch by batch; a batch that does not fit in memory is halved."""
        waiting = list(blocks)
        while waiting:
            batch, rest = self._take(waiting)
            try:
                with torch.inference_mode():
                    outputs = self._together(batch) if self.takes_together(batch[0][1]) else self.run(batch[0][1])
            except RuntimeError as error:
                if not out_of_memory(error):
                    raise
                sizes = [inputs["input_ids"].shape for _, inputs in batch]
                if sum(rows for rows, _ in sizes) == 1:
                    raise GmaskError(f"there is not enough memory to run the model on {sizes[0][1]} tokens") from None
                self.batch_tokens = sum(rows * width for rows, width in sizes) // 2
                continue
            waiting = rest
            # Digits beyond these depend on the batch and the number of threads.
            yield np.concatenate([n for n, _ in batch]), np.round(outputs.cpu().numpy().astype(float), 6)

    def _take(self, blocks: list[Block]) -> tuple[list[Block], list[Block]]:
        """The next batch of rows, from one block or from several if they can go together, and what is left."""
        batch: list[Block] = []
        room = self.batch_tokens
        while blocks and (not batch or all(self.takes_together(inputs) for _, inputs in (batch[-1], blocks[0]))):
            (numbers, inputs), *later = blocks
            width = inputs["input_ids"].shape[1]
            count = min(len(numbers), max(room // width, 0 if batch else 1))
            if count:
                batch.append((numbers[:count], {name: values[:count] for name, values in inputs.items()}))
                room -= count * width
            if count < len(numbers):
                return batch, [(numbers[count:], {name: values[count:] for name, values in inputs.items()}), *later]
            blocks = later
        return batch, blocks

    def _together(self, batch: Sequence[Block]) -> torch.Tensor:
        with self.turn:
            return self._outputs(self._ragged.logits([self._tensors(inputs) for _, inputs in batch]))  # type: ignore[union-attr]

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
        return self._outputs(logits)

    def _outputs(self, logits: torch.Tensor) -> torch.Tensor:
        return self.read(logits.to(torch.promote_types(logits.dtype, torch.float32)))

    def embed(self, ids: np.ndarray) -> torch.Tensor:
        """The word embeddings of tokens."""
        with self.turn, torch.no_grad():
            return self._modules[0](torch.from_numpy(ids).to(self.model.device))  # type: ignore[no-any-return]

    def attentions(self, inputs: Inputs) -> torch.Tensor:
        """Attention weights `[layers, heads, tokens, tokens]` of one row."""
        usual = self.model.config._attn_implementation
        with self.turn, torch.no_grad():
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
        plain = weights is None and embeddings is None and torch.is_inference_mode_enabled()
        prefix = self._prefix if plain and self._prefix is not None and self._prefix.begins(inputs) else None
        tensors = self._tensors(inputs)
        own = tensors.pop("weights", None)
        if prefix is not None and own is not None:
            own = own[:, len(prefix.ids) :]
        change = substituted(
            self._modules,
            weights=own if weights is None else weights,
            embeddings=embeddings,
            source=source,
            tokens_first=self.family.tokens_first,
        )
        with self.turn, change, first_token_only(self._last):
            output = self.model(**tensors) if prefix is None else prefix.run(tensors)
            logits = getattr(output, "logits", None)
        if logits is None or logits.shape != (len(inputs["input_ids"]), self.model.config.num_labels):
            raise GmaskError(f"{type(self.model).__name__} is no sequence classifier: it gives no logits for classes")
        return logits  # type: ignore[no-any-return]

    def _tensors(self, inputs: Inputs) -> dict[str, Any]:
        return {name: torch.from_numpy(values).to(self.model.device) for name, values in inputs.items()}
