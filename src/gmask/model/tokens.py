"""Hugging Face models behind the door, whatever is read off them: words as tokens, kept or removed, in batches."""

from __future__ import annotations

import copy
import hashlib
import json
import threading
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import torch
from torch import nn

from gmask.errors import GmaskError
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair, Question
from gmask.model.classifier import Classifier
from gmask.model.family import family_of
from gmask.model.loading import moved
from gmask.model.owner import Owner
from gmask.model.packing import (
    Block,
    Encoded,
    Inputs,
    joined,
    masked_rows,
    packed_rows,
    replaced_rows,
    whole_rows,
    zeroed_rows,
)
from gmask.model.shadow import Turn, shadow, weights_of

__all__ = ["HALF", "TokenModel"]

HALF = (torch.float16, torch.bfloat16)
ROUGH = 2e-2  # the tolerance that half precision allows


class TokenModel(PairModel):
    """A Hugging Face model. It works on a shadow of what it is given, which stays as it is.

    Args:
        owner: Who calls the model and its tokenizer.
        name: How results name the model. Default: its folder or hub id.
        device: Where to compute. Default: where the model is.
        batch_tokens: At most this many tokens a batch. Default: 2,048 on a processor, whose cache holds what they make,
            and 16,384 elsewhere.
        limit: At most this many tokens. Default: as many as the model and its tokenizer take.
        packing: Leave tokens out where the family allows it. Without, they are masked everywhere.
    """

    differentiable: ClassVar[bool] = True
    removals: ClassVar[tuple[str, ...]] = ("drop", "zero", "mask", "delete", "blank", "swap")
    _reads: ClassVar[str] = "a text"  # at once

    def __init__(
        self,
        owner: Owner,
        *,
        name: str | None,
        device: str | torch.device | None,
        batch_tokens: int | None,
        limit: int | None,
        packing: bool,
    ) -> None:
        if not getattr(owner.tokenizer, "is_fast", False):
            kind = type(owner.tokenizer).__name__
            raise GmaskError(f"{kind} does not say which characters its tokens stand for; give a fast tokenizer")
        source = str(owner.model.config._name_or_path).rstrip("/").rsplit("/", 1)[-1]
        self.name = name or source or type(getattr(owner.model, "inner", owner.model)).__name__
        self.packing = packing
        self._owner = owner
        self._limit = limit
        self._device, self._batch_tokens = device, batch_tokens
        self._following = threading.Lock()
        self._weights: tuple[object, ...] | None = None

    @abstractmethod
    def _prepare(self, tokens: int) -> None:
        """Make what runs the shadow, so many tokens a batch."""

    @abstractmethod
    def _runner(self, bound: BoundPair) -> Classifier:
        """What runs the shadow on rows of a pair."""

    def _unusual(self) -> dict[str, Any]:
        """How its answers are read, where that is not as usual and so part of its content."""
        return {}

    @property
    def _content(self) -> nn.Module:
        """All weights that have a say."""
        return self.model  # type: ignore[no-any-return]

    def _follow(self) -> None:
        """Make a shadow of the model, and another one whenever its weights have moved or changed."""
        with self._following:
            weights = weights_of(self._owner.module)
            if weights == self._weights:
                return
            self._copy, lock, copied = shadow(self._owner)
            if copied and self._device is not None:
                moved(self._copy, self._device)
            self.model, self.tokenizer = self._copy.model, self._copy.tokenizer
            self._half = self.model.dtype if self.model.dtype in HALF else None
            on_processor = self.model.device.type == "cpu"
            if copied and on_processor and self._half is not None:
                self._copy.to(torch.float32)
            self.tolerance = ROUGH if self.model.dtype in HALF else PairModel.tolerance
            family = family_of(self.model, self.tokenizer)
            own = [family.limit] if self._owner.limit is None else [self._owner.limit, family.room]
            limits = [n for n in (self._limit, *own) if n is not None]
            self.family = replace(family, limit=min(limits, default=None))
            tokens = self._batch_tokens or (2048 if on_processor else 16384)
            self._turn = Turn(self._copy.module, lock)
            self._prepare(tokens)
            self._hash: str | None = None
            self._weights = weights

    @property
    def hash(self) -> str:
        """A digest of the configuration, the tokenizer, every weight, and how its answers are read if not as usual.

        It is the same in every release of transformers.
        """
        self._follow()
        if self._hash is None:
            self._hash = self._digest()
        return self._hash

    def _digest(self) -> str:
        found = hashlib.sha256()
        passing = ("_name_or_path", "transformers_version", "torch_dtype", "dtype")
        config = {k: v for k, v in self.model.config.to_diff_dict().items() if type(v) in (int, float, str)}
        settings = [{k: v for k, v in config.items() if k not in passing}, self.labels, self.raw]
        limit = None if self.family.limit == self.family.room else self.family.limit
        if unusual := {k: v for k, v in {"limit": limit, **self._unusual()}.items() if v is not None}:
            settings.append(unusual)
        found.update(json.dumps(settings, sort_keys=True).encode())
        tokenizer = copy.deepcopy(self.tokenizer.backend_tokenizer)
        tokenizer.no_truncation()  # it remembers how it was last called, which is none of its content
        tokenizer.no_padding()
        found.update(tokenizer.to_str().encode())
        for name, weights in sorted(self._content.state_dict().items()):
            found.update(name.encode())
            found.update(weights.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy())
        return found.hexdigest()

    def _about(self) -> str:
        layers = getattr(self.model.config, "num_hidden_layers", None)
        where = f"on {self.model.device}"
        return where if layers is None else f"{layers} layer{'' if layers == 1 else 's'} {where}"

    @property
    def masks(self) -> bool:  # type: ignore[override]
        """Whether the tokenizer has a mask token."""
        return self.tokenizer.mask_token_id is not None

    @property
    def usual(self) -> str:
        """Two ways at once, so that what is found is no artefact of one."""
        return "drop+mask" if self.masks else "drop+zero"

    def _tell(self, bound: BoundPair, lost: str) -> None:
        """Warn of words that were cut off, in words (see `unread`), and of another precision."""
        if lost:
            bound.warnings.append(f"{self.name} reads at most {self.family.limit} tokens of {self._reads}: {lost}.")
        if self._half is not None and self.model.dtype not in HALF:
            given = str(self._half).removeprefix("torch.")
            bound.warnings.append(
                f"{self.name} is in {given} and was computed in float32: its own numbers differ by rounding."
            )

    # Rows

    def _inputs(self, encoding: Mapping[str, Sequence[int]]) -> Inputs:
        names = [name for name in ("input_ids", "token_type_ids") if name in encoding and name in self.family.arguments]
        inputs: Inputs = {name: np.array(encoding[name], dtype=np.int64) for name in names}
        if not len(inputs["input_ids"]):
            inputs = {name: np.full(1, self.family.stand_in if name == "input_ids" else 0) for name in names}
        return {**inputs, "attention_mask": np.ones_like(inputs["input_ids"])}

    def _run(self, runner: Classifier, questions: Sequence[Question]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Numbers of questions and what the runner makes of them, batch by batch."""
        removals = np.array([bound.removal for bound, _ in questions])
        for removal in np.unique(removals):  # rows of another removal have other arguments
            own = np.flatnonzero(removals == removal)
            for numbers, outputs in runner.answers(self._gather(runner, [questions[int(i)] for i in own])):
                yield own[numbers], outputs

    def _gather(self, runner: Classifier, questions: Sequence[Question]) -> Iterator[Block]:
        """All rows of one width together, from whatever pair they are, with a few narrower ones to save a call."""
        widths: dict[tuple[int, int], list[Block]] = {}
        for numbers, inputs in self._rows(questions):
            ids = inputs["input_ids"]
            ends = (ids == self.family.end).sum(axis=1)  # an encoder-decoder takes rows with equally many of them
            for end in np.unique(ends):
                rows = ends == end
                block = numbers[rows], {name: values[rows] for name, values in inputs.items()}
                widths.setdefault((ids.shape[1], int(end)), []).append(block)
        found: list[Block] = []
        for _, blocks in sorted(widths.items(), reverse=True):
            inputs = {name: np.concatenate([rows[name] for _, rows in blocks]) for name in blocks[0][1]}
            found.append((np.concatenate([numbers for numbers, _ in blocks]), inputs))
        together = all(runner.takes_together(inputs) for _, inputs in found)
        return iter(found) if together else joined(found, self.family)

    def _rows(self, questions: Sequence[Question]) -> Iterator[Block]:
        places: dict[int, list[int]] = {}
        for i, (bound, _) in enumerate(questions):
            places.setdefault(id(bound), []).append(i)
        for numbers in map(np.array, places.values()):
            bound = questions[numbers[0]][0]
            kept = np.stack([questions[i][1] for i in numbers])
            for rows, inputs in bound.absence.rows(self, bound, kept):
                yield numbers[rows], inputs

    def dropped(self, bound: BoundPair, kept: np.ndarray) -> Iterator[Block]:
        """Rows without the tokens that go, or, where the family does not allow that, with these hidden."""
        pair: Encoded = bound.state
        if self.packing and len(pair.owners) <= self.family.window:
            yield from packed_rows(pair, pair.spread(kept), self.family)
        else:
            yield np.arange(len(kept)), masked_rows(pair, pair.spread(kept), self.family)

    def zeroed(self, bound: BoundPair, kept: np.ndarray) -> Iterator[Block]:
        """Rows with zero embeddings for the tokens that go."""
        yield np.arange(len(kept)), zeroed_rows(bound.state, bound.state.spread(kept), self.family)

    def masked(self, bound: BoundPair, kept: np.ndarray) -> Iterator[Block]:
        """Rows with the mask token for the tokens that go."""
        mask = self.tokenizer.mask_token_id
        yield np.arange(len(kept)), replaced_rows(bound.state, bound.state.spread(kept), self.family, mask)

    # Gradients

    def _together(self, bound: BoundPair) -> int:
        return max(1, self._runner(bound).batch_tokens // len(bound.state.owners))

    def soft_dropped(self, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:
        """Outputs with each embedding times its weight, those of weight 0 hidden from the others."""
        factors, keep = self._kept(bound, weights)
        factors = torch.where((factors != 0).any(dim=1, keepdim=True), factors, 1.0)  # for the stand-in
        return self._runner(bound).run(masked_rows(bound.state, keep, self.family), weights=factors)

    def soft_zeroed(self, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:
        """Outputs with each embedding times its weight."""
        factors, keep = self._kept(bound, weights)
        rows = zeroed_rows(bound.state, keep, self.family)
        del rows["weights"]
        return self._runner(bound).run(rows, weights=factors)

    def soft_masked(self, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:
        """Outputs with each embedding between its own and the mask token's."""
        mask = self._runner(bound).embed(np.array([self.tokenizer.mask_token_id]))
        if (rests := bound.state.rests) is not None:
            left = torch.from_numpy(rests >= 0).to(mask.device).unsqueeze(-1)
            mask = torch.where(left, self._runner(bound).embed(rests.clip(0)), mask)
        share = self._factors(bound, weights).to(mask).unsqueeze(-1)
        return self._from_embeddings(bound, share * self._embed(bound) + (1 - share) * mask)

    def _factors(self, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:
        """Weights of words as weights of tokens; special tokens stay."""
        return torch.cat([weights, torch.ones_like(weights[:, :1])], dim=1)[:, bound.state.owners]

    def _kept(self, bound: BoundPair, weights: torch.Tensor) -> tuple[torch.Tensor, np.ndarray]:
        """Weights of tokens, and which of them stay; what is left of one that goes has the weight 1."""
        factors = self._factors(bound, weights)
        keep = (factors != 0).cpu().numpy()
        if (rests := bound.state.rests) is not None:
            left = torch.from_numpy(~keep & (rests >= 0)).to(factors.device)
            factors = torch.where(left, 1.0, factors)
        return factors, keep

    def _token_words(self, bound: BoundPair) -> np.ndarray:
        return bound.state.owners.copy()  # type: ignore[no-any-return]

    def _embed(self, bound: BoundPair) -> torch.Tensor:
        return self._runner(bound).embed(bound.state.inputs["input_ids"])

    def _from_embeddings(self, bound: BoundPair, embeddings: torch.Tensor) -> torch.Tensor:
        return self._runner(bound).run(whole_rows(bound.state, len(embeddings), self.family), embeddings=embeddings)
