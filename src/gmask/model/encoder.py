"""Encoders of tokens behind the door: bi-encoders and late interaction, words kept or removed, slopes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from gmask.errors import GmaskError
from gmask.model.alignment import align
from gmask.model.apart import ApartModel, Side, Text
from gmask.model.bound import BoundPair
from gmask.model.classifier import Classifier
from gmask.model.embedder import Embedder
from gmask.model.family import Family
from gmask.model.likeness import find_likeness
from gmask.model.packing import Encoded, Inputs, masked_rows, packed_rows, whole_rows
from gmask.model.shadow import Turn
from gmask.model.tokens import TokenModel
from gmask.pair import Span

__all__ = ["EncoderModel"]

PROBE = 8  # tokens
SAME = 1e-4


class Encoder(Classifier):
    """Runs an encoder, and makes vectors of what it says of tokens.

    Args:
        model: A Hugging Face encoder.
        turn: When it may be run.
        family: What `family_of` says of it.
        batch_tokens: At most this many tokens a batch.
        pool: Makes of what is known of rows of tokens, by name, a vector a row, or several.
    """

    def __init__(
        self,
        model: Any,
        turn: Turn,
        family: Family,
        batch_tokens: int,
        pool: Callable[[dict[str, torch.Tensor]], torch.Tensor],
    ) -> None:
        super().__init__(model, turn, family, batch_tokens, lambda vectors: vectors)
        self._pool = pool

    def _tensors(self, inputs: Inputs) -> dict[str, Any]:
        taken = self.family.arguments | {"weights"}
        return super()._tensors({name: values for name, values in inputs.items() if name in taken})

    def _found(self, inputs: Inputs, output: Any) -> torch.Tensor:
        hidden = getattr(output, "last_hidden_state", None)
        if hidden is None:
            raise GmaskError(f"{type(self.model).__name__} is no encoder: it gives no vectors of tokens")
        return self._pool({**super()._tensors(inputs), "token_embeddings": hidden})


class EncoderModel(TokenModel, ApartModel):
    """A Hugging Face encoder and what makes vectors of its tokens; the score is how alike those of two texts are.

    Args:
        embedder: Who encodes texts, and how alike it finds them.
        device: Where to compute. Default: where the model is.
        batch_tokens: At most this many tokens a batch. Default: as for classifiers.
        limit: At most this many tokens of a text. Default: as many as the embedder takes.
        packing: Leave tokens out where the family allows it. Default: yes; without, they are masked everywhere.
        name: How results name the model. Default: its folder or hub id.
    """

    _owner: Embedder
    _copy: Embedder

    def __init__(
        self,
        embedder: Embedder,
        *,
        device: str | torch.device | None = None,
        batch_tokens: int | None = None,
        limit: int | None = None,
        packing: bool = True,
        name: str | None = None,
    ) -> None:
        ApartModel.__init__(self)
        TokenModel.__init__(
            self, embedder, name=name, device=device, batch_tokens=batch_tokens, limit=limit, packing=packing
        )
        self.alike = embedder.alike
        self._likeness = find_likeness(embedder.similarity)
        self._follow()

    def _prepare(self, tokens: int) -> None:
        first = self._encoder(0, tokens)
        self._encoders = (first, first if self.alike else self._encoder(1, tokens))
        self._texts.clear()  # what they remember is of other weights
        self.packing = self.packing and self._leaves_out(first)

    def _encoder(self, side: int, tokens: int) -> Encoder:
        pool = partial(self._copy.vectors, side=side)
        return Encoder(self.model, self._turn, self.family, tokens, pool)

    def _leaves_out(self, encoder: Encoder) -> bool:
        """Whether leaving tokens out and hiding them come to the same: tried on some, since poolings differ."""
        ids = np.arange(1, PROBE + 1) % self.model.config.vocab_size
        text = Encoded({"input_ids": ids, "attention_mask": np.ones_like(ids)}, np.arange(PROBE))
        keep = np.arange(PROBE)[None] % 3 > 0
        ((_, packed),) = packed_rows(text, keep, self.family)
        try:
            with torch.inference_mode():
                left_out, hidden = encoder.run(packed), encoder.run(masked_rows(text, keep, self.family))
        except Exception:  # noqa: BLE001  (what makes vectors of tokens can stumble anywhere)
            return False
        if left_out.dim() == 3:
            hidden = hidden[:, keep[0]]
        return left_out.shape == hidden.shape and torch.allclose(left_out, hidden, rtol=SAME, atol=SAME)

    def _runner(self, bound: BoundPair) -> Encoder:
        return self._encoders[bound.side]  # type: ignore[attr-defined,no-any-return]

    def _unusual(self) -> dict[str, Any]:
        return self._copy.about

    @property
    def _content(self) -> nn.Module:
        return self._copy.module  # type: ignore[no-any-return]

    @property
    def identity(self) -> dict[str, Any]:
        """With what is done with texts and vectors."""
        return {**super().identity, "limit": self.family.limit, **self._unusual()}

    @property
    def usual(self) -> str:
        """Words are left out: what stood in their place would be the same in both texts, and so make them alike."""
        return "drop"

    def own(self, first: str, second: str) -> np.ndarray | None:
        """What its owner makes of a pair, by its own calls."""
        with self._turn:
            said = self._copy.prediction(first, second, self.family.limit)
        return None if said is None else said.double().cpu().numpy()

    def _way(self) -> str:
        return " and ".join(self._owner.ways)

    # Texts

    def _bind(self, first: str, second: str, removal: str) -> BoundPair:
        self._follow()
        return super()._bind(first, second, removal)

    def _text(self, text: str, side: int) -> Text:
        spans, encoded = self._read(text, side, self.family.limit)
        whole, _ = self._read(text, side, None)
        return Text(text, spans, encoded, cut=whole[len(spans) :])

    def _read(self, text: str, side: int, limit: int | None) -> tuple[list[Span], Encoded]:
        with self._turn:  # a tokenizer can be used by one thread at a time
            tokens = self._copy.tokens(text, side, limit)
        offsets = [offset or (0, 0) for offset in tokens.offsets]
        words, owners = align((text,), offsets, [None if offset is None else 0 for offset in tokens.offsets])
        passing = {"token_type_ids"} - self.family.arguments
        inputs = {name: values for name, values in tokens.inputs.items() if name not in passing}
        if not len(owners):
            inputs = {name: np.full(1, self.family.stand_in if name == "input_ids" else 1) for name in inputs}
            owners = np.array([-1])
        return [(word.start, word.end) for word in words], Encoded(inputs, owners)

    def cut(self, first: str, second: str) -> tuple[bool, bool]:
        """Of which texts of a pair it does not read all tokens."""
        self._follow()
        return self._is_cut(first, 0), self._is_cut(second, 1)

    def _is_cut(self, text: str, side: int) -> bool:
        with self._turn:
            whole, read = (self._copy.tokens(text, side, limit).offsets for limit in (None, self.family.limit))
        return sum(offset is not None for offset in whole) > sum(offset is not None for offset in read)

    def _encode(self, questions: Sequence[tuple[Side, np.ndarray]]) -> Iterator[tuple[int, np.ndarray]]:
        for numbers, outputs in self._run(self._runner(questions[0][0]), questions):
            for number, found in zip(numbers, outputs, strict=True):
                yield int(number), found if found.ndim == 1 else found[(found != 0).any(axis=1)]

    # Gradients: of a pair, those of its two sides

    def _together(self, bound: BoundPair) -> int:
        return min(super(EncoderModel, self)._together(side) for side in bound.state)

    def _soft(self, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:
        found = [
            self._scores([way.absence.soft(self, side, weights[:, bound.sentences == side.side]) for side in way.state])
            for way in bound.ways
            if way.absence.sloping
        ]
        return torch.stack(found).mean(dim=0)

    def _token_words(self, bound: BoundPair) -> np.ndarray:
        first, second = (side.state.owners for side in bound.state)
        return np.concatenate([first, np.where(second < 0, -1, second + len(bound.state[0].words))])

    def _embed(self, bound: BoundPair) -> torch.Tensor:
        if isinstance(bound, Side):
            return super()._embed(bound)
        return torch.cat([super(EncoderModel, self)._embed(side) for side in bound.state])

    def _from_embeddings(self, bound: BoundPair, embeddings: torch.Tensor) -> torch.Tensor:
        if isinstance(bound, Side):
            return super()._from_embeddings(bound, embeddings)
        parts = embeddings.split([len(side.state.owners) for side in bound.state], dim=1)
        run = super()._from_embeddings
        return self._scores([run(side, part) for side, part in zip(bound.state, parts, strict=True)])

    def _scores(self, vectors: Sequence[torch.Tensor]) -> torch.Tensor:
        first, second = vectors
        return self._likeness(first, second).unsqueeze(-1)

    def _attentions(self, bound: BoundPair) -> torch.Tensor:
        """Each text attends to itself."""
        first, second = (self._runner(side).attentions(whole_rows(side.state, 1, self.family)) for side in bound.state)
        one, other = first.shape[-1], second.shape[-1]
        return F.pad(first, (0, other, 0, other)) + F.pad(second, (one, 0, one, 0))
