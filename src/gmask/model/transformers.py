"""Hugging Face sequence classifiers behind the door: any family, words kept or removed, packed and batched."""

from __future__ import annotations

import copy
import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import torch

from gmask.errors import GmaskError, one_of
from gmask.model.alignment import align
from gmask.model.base import REMOVALS, BoundPair, PairModel, Question, delete_words
from gmask.model.classifier import Classifier
from gmask.model.family import family_of
from gmask.model.loading import labels_of, load_parts, moved, parts_of, score_of
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
from gmask.pair import Word
from gmask.target import DIRECTIONS

__all__ = ["TransformersModel", "parts_of"]

Outputs = Literal["probabilities", "score"]


class TransformersModel(PairModel):
    """A Hugging Face sequence classifier.

    Args:
        model: A model with a classification head; put into evaluation mode, not changed otherwise.
        tokenizer: Its fast tokenizer.
        device: Where to compute. Default: where the model is.
        batch_tokens: At most this many tokens a batch. Default: 2,048 on a processor, whose cache holds what they make,
            and 16,384 elsewhere.
        outputs: For a model with one output, `probabilities` (its sigmoid) or `score` (as it is). Default: what the
            model's configuration says.
        activation: Makes the score of the one output. Default: the output is the score.
        packing: Leave tokens out where the family allows it. Default: yes; without, they are masked everywhere.
        name: How results name the model. Default: its folder or hub id.
    """

    differentiable: ClassVar[bool] = True
    removals: ClassVar[tuple[str, ...]] = REMOVALS

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        device: str | torch.device | None = None,
        batch_tokens: int | None = None,
        outputs: Outputs | None = None,
        activation: Callable[[torch.Tensor], torch.Tensor] | None = None,
        packing: bool = True,
        name: str | None = None,
    ) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise GmaskError(
                f"{type(tokenizer).__name__} does not say which characters its tokens stand for; give a fast tokenizer"
            )
        if outputs not in (None, "probabilities", "score"):
            raise one_of("outputs", outputs, ["probabilities", "score"])
        self.name = name or str(model.config._name_or_path).rstrip("/").rsplit("/", 1)[-1] or type(model).__name__
        self.model = (model if device is None else moved(model, device)).eval()
        self.tokenizer = tokenizer
        self.packing = packing
        self.family = family_of(model, tokenizer)
        self.activation = activation
        self._single = model.config.num_labels == 1
        if outputs == "score" and not self._single:
            raise GmaskError(f"{self.name} has {model.config.num_labels} classes; only one output can be a score")
        self.raw = self._single and (
            outputs == "score" if outputs else activation is not None or score_of(model.config)
        )
        self.labels = DIRECTIONS if self._single else labels_of(model.config)
        batch_tokens = batch_tokens or (2048 if self.model.device.type == "cpu" else 16384)
        self._classifier = Classifier(model, self.family, batch_tokens, self._read)
        self._lock = threading.Lock()  # a tokenizer can be used by one thread at a time

    @classmethod
    def from_pretrained(cls, source: str, *, device: str | None = None, **options: Any) -> TransformersModel:
        """Load a folder or a hub id: weights from safetensors, no remote code."""
        return cls(**{**load_parts(source, device), **options})

    @cached_property
    def hash(self) -> str:  # type: ignore[override]
        """A digest of the configuration, the tokenizer and every weight; the same in every release of transformers."""
        digest = hashlib.sha256()
        passing = ("_name_or_path", "transformers_version", "torch_dtype", "dtype")
        config = {k: v for k, v in self.model.config.to_diff_dict().items() if type(v) in (int, float, str)}
        settings = [{k: v for k, v in config.items() if k not in passing}, self.labels, self.raw]
        digest.update(json.dumps(settings, sort_keys=True).encode())
        tokenizer = copy.deepcopy(self.tokenizer.backend_tokenizer)
        tokenizer.no_truncation()  # it remembers how it was last called, which is none of its content
        tokenizer.no_padding()
        digest.update(tokenizer.to_str().encode())
        for name, weights in sorted(self.model.state_dict().items()):
            digest.update(name.encode())
            digest.update(weights.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy())
        return digest.hexdigest()

    def _read(self, logits: torch.Tensor) -> torch.Tensor:
        if self.raw:
            return logits if self.activation is None else self.activation(logits).reshape(-1, 1)
        if self._single:
            return torch.cat([(-logits).sigmoid(), logits.sigmoid()], dim=1)
        if self.model.config.problem_type == "multi_label_classification":
            return logits.sigmoid()
        return logits.softmax(dim=-1)

    # Binding a pair

    def _bind(self, first: str, second: str, removal: str) -> BoundPair:
        if removal == "mask" and self.tokenizer.mask_token_id is None:
            valid = ", ".join(r for r in self.removals if r != "mask")
            raise GmaskError(f"the tokenizer of {self.name} has no mask token; valid removals: {valid}")
        words, pair = self._encode(first, second)
        cut, limit = 0, self.family.limit
        if limit is not None and len(pair.owners) > limit:
            cut = len(words)
            words, pair = self._encode(first, second, limit=limit)
            cut -= len(words)
        for sentence, place in enumerate(("first", "second")):
            if not any(w.sentence == sentence for w in words):
                raise GmaskError(f"the tokenizer of {self.name} finds no word in the {place} sentence")
        bound = BoundPair(self, (first, second), words, removal, pair)
        if cut:
            were = "word was" if cut == 1 else "words were"
            bound.warnings.append(f"{self.name} reads at most {limit} tokens of a pair: {cut} {were} cut off.")
        return bound

    def _encode(self, first: str, second: str, limit: int | None = None) -> tuple[list[Word], Encoded]:
        encoding = self._tokenize(text=first, text_pair=second, limit=limit, return_offsets_mapping=True)
        words, owners = align((first, second), encoding["offset_mapping"], encoding.sequence_ids())
        return words, Encoded(self._inputs({name: [encoding[name]] for name in encoding}, 0), owners)

    def _tokenize(self, *, limit: int | None, **texts: Any) -> Any:
        truncation = {} if limit is None else {"truncation": "longest_first", "max_length": limit}
        with self._lock:
            return self.tokenizer(**texts, **truncation, verbose=False)

    def _inputs(self, encoding: Any, row: int) -> Inputs:
        names = [name for name in ("input_ids", "token_type_ids") if name in encoding and name in self.family.arguments]
        inputs: Inputs = {name: np.array(encoding[name][row], dtype=np.int64) for name in names}
        if not len(inputs["input_ids"]):
            inputs = {name: np.full(1, self.family.stand_in if name == "input_ids" else 0) for name in names}
        return {**inputs, "attention_mask": np.ones_like(inputs["input_ids"])}

    # Answering rows

    def _forward(self, questions: Sequence[Question], on_rows: Callable[[int], None]) -> np.ndarray:
        found = np.empty((len(questions), self.outputs))
        removals = np.array([bound.removal for bound, _ in questions])
        for removal in np.unique(removals):  # rows of another removal have other arguments
            own = np.flatnonzero(removals == removal)
            for numbers, outputs in self._classifier.answers(self._gather([questions[int(i)] for i in own])):
                found[own[numbers]] = outputs
                on_rows(len(outputs))
        return found

    def _gather(self, questions: Sequence[Question]) -> Iterator[Block]:
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
        together = all(self._classifier.takes_together(inputs) for _, inputs in found)
        return iter(found) if together else joined(found, self.family)

    def _rows(self, questions: Sequence[Question]) -> Iterator[Block]:
        places: dict[int, list[int]] = {}
        for i, (bound, _) in enumerate(questions):
            places.setdefault(id(bound), []).append(i)
        for numbers in map(np.array, places.values()):
            bound = questions[numbers[0]][0]
            kept = np.stack([questions[i][1] for i in numbers])
            if bound.removal == "delete":
                for number, inputs in zip(numbers, self._deleted(bound, kept), strict=True):
                    yield np.array([number]), inputs
                continue
            pair: Encoded = bound.state
            keep = pair.spread(kept)
            if bound.removal == "zero":
                yield numbers, zeroed_rows(pair, keep, self.family)
            elif bound.removal == "mask":
                yield numbers, replaced_rows(pair, keep, self.family, self.tokenizer.mask_token_id)
            elif self.packing and len(pair.owners) <= self.family.window:
                for rows, inputs in packed_rows(pair, keep, self.family):
                    yield numbers[rows], inputs
            else:
                yield numbers, masked_rows(pair, keep, self.family)

    def _deleted(self, bound: BoundPair, kept: np.ndarray) -> Iterator[Inputs]:
        read = tuple(self._part(bound, sentence) for sentence in (0, 1))
        whole = BoundPair(self, (read[0], read[1]), bound.words, bound.removal)
        texts = [bound.texts if row.all() else delete_words(whole, row) for row in kept]
        limit = self.family.limit
        encoding = self._tokenize(text=[a for a, _ in texts], text_pair=[b for _, b in texts], limit=limit)
        for i in range(len(texts)):
            inputs = self._inputs(encoding, i)
            yield whole_rows(Encoded(inputs, np.full(len(inputs["input_ids"]), -1)), 1, self.family)

    def _part(self, bound: BoundPair, sentence: int) -> str:
        """The part of a text that the model reads: what was cut off must not come back when words are deleted."""
        text = bound.texts[sentence]
        if not bound.warnings:
            return text
        own = [w for w in bound.words if w.sentence == sentence]
        return " " * own[0].start + text[own[0].start : own[-1].end]

    # Gradients

    def _soft(self, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:
        pair: Encoded = bound.state
        factors = torch.cat([weights, torch.ones_like(weights[:, :1])], dim=1)[:, pair.owners]
        if bound.removal == "zero":
            return self._classifier.run(whole_rows(pair, len(weights), self.family), weights=factors)
        if bound.removal == "mask":
            mask = self._classifier.embed(np.array([self.tokenizer.mask_token_id]))
            share = factors.to(mask).unsqueeze(-1)
            return self._from_embeddings(bound, share * self._embed(bound) + (1 - share) * mask)
        keep = (factors != 0).cpu().numpy()
        factors = torch.where((factors != 0).any(dim=1, keepdim=True), factors, 1.0)  # for the stand-in
        return self._classifier.run(masked_rows(pair, keep, self.family), weights=factors)

    def _token_words(self, bound: BoundPair) -> np.ndarray:
        return bound.state.owners.copy()  # type: ignore[no-any-return]

    def _embed(self, bound: BoundPair) -> torch.Tensor:
        return self._classifier.embed(bound.state.inputs["input_ids"])

    def _from_embeddings(self, bound: BoundPair, embeddings: torch.Tensor) -> torch.Tensor:
        return self._classifier.run(whole_rows(bound.state, len(embeddings), self.family), embeddings=embeddings)

    def _attentions(self, bound: BoundPair) -> torch.Tensor:
        if self.model.config.is_encoder_decoder:
            raise GmaskError(f"{self.name} is an encoder-decoder: its attention is not one stack of layers")
        return self._classifier.attentions(whole_rows(bound.state, 1, self.family))
