"""Hugging Face sequence classifiers behind the door: any family, words kept or removed, packed and batched."""

from __future__ import annotations

import copy
import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
import torch

from gmask.errors import GmaskError, one_of
from gmask.model.alignment import align
from gmask.model.base import BoundPair, PairModel, Question, label_names
from gmask.model.classifier import Classifier
from gmask.model.digest import digest
from gmask.model.family import family_of
from gmask.model.loading import labels_of, load_parts, moved, parts_of, score_of
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
from gmask.pair import Word, unread
from gmask.target import DIRECTIONS

__all__ = ["TransformersModel", "parts_of"]

Outputs = Literal["probabilities", "score", "multilabel"]
OUTPUTS = ("probabilities", "score", "multilabel")
HALF = (torch.float16, torch.bfloat16)
ROUGH = 2e-2  # the tolerance that half precision allows


class TokenPair(BoundPair):
    """A pair as the tokens of a Hugging Face model."""

    @property
    def read(self) -> tuple[str, str]:
        """The part of each text that the model reads: what was cut off must not come back when texts are rewritten."""
        return self._part(0), self._part(1)

    def _part(self, sentence: int) -> str:
        text = self.texts[sentence]
        if not self.state.cut:
            return text
        own = [w for w in self.words if w.sentence == sentence]
        return " " * own[0].start + text[own[0].start : own[-1].end]


class TransformersModel(PairModel):
    """A Hugging Face sequence classifier. It works on a shadow of what it is given, which stays as it is.

    Args:
        model: A model with a classification head.
        tokenizer: Its fast tokenizer.
        device: Where to compute. Default: where the model is.
        batch_tokens: At most this many tokens a batch. Default: 2,048 on a processor, whose cache holds what they make,
            and 16,384 elsewhere.
        labels: Class names, in the order of the outputs. Default: those of the model's configuration.
        limit: At most this many tokens of a pair. Default: as many as the model and its tokenizer take.
        outputs: For a model with one output, `probabilities` (its sigmoid) or `score` (as it is); for one with several,
            `probabilities` or `multilabel` (a sigmoid each). Default: what the model's owner or configuration says.
        activation: Makes the score of the one output. Default: the output is the score.
        packing: Leave tokens out where the family allows it. Default: yes; without, they are masked everywhere.
        owner: Who calls the model and its tokenizer. Default: whoever calls them one after the other.
        name: How results name the model. Default: its folder or hub id.
    """

    differentiable: ClassVar[bool] = True
    removals: ClassVar[tuple[str, ...]] = ("drop", "zero", "mask", "delete", "blank", "swap")

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        device: str | torch.device | None = None,
        batch_tokens: int | None = None,
        labels: Iterable[object] | None = None,
        limit: int | None = None,
        outputs: Outputs | None = None,
        activation: Callable[[torch.Tensor], torch.Tensor] | None = None,
        packing: bool = True,
        owner: Owner | None = None,
        name: str | None = None,
    ) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise GmaskError(
                f"{type(tokenizer).__name__} does not say which characters its tokens stand for; give a fast tokenizer"
            )
        if outputs not in (None, *OUTPUTS):
            raise one_of("outputs", outputs, OUTPUTS)
        config = model.config
        self.name = (
            name
            or str(config._name_or_path).rstrip("/").rsplit("/", 1)[-1]
            or type(getattr(model, "inner", model)).__name__
        )
        self.packing = packing
        self._owner = owner or Owner(model, tokenizer)
        self._as_owner = outputs is None and activation is None  # and not as somebody else reads its logits
        if self._as_owner:
            outputs, activation = (self._owner.meaning.get(name) for name in ("outputs", "activation"))
        self._single = config.num_labels == 1
        if outputs == "score" and not self._single:
            raise GmaskError(f"{self.name} has {config.num_labels} classes; only one output can be a score")
        if outputs == "multilabel" and self._single:
            raise GmaskError(f"{self.name} has one output; multilabel is for several")
        self.raw = self._single and (outputs == "score" if outputs else activation is not None or score_of(config))
        self.activation = activation if self.raw else None
        several = config.problem_type == "multi_label_classification"
        self.multilabel = not self._single and (outputs == "multilabel" if outputs else several)
        self.labels = self._named(labels)
        self._limit = limit
        self._device, self._batch_tokens = device, batch_tokens
        self._following = threading.Lock()
        self._weights: tuple[object, ...] | None = None
        self._follow()

    @classmethod
    def from_pretrained(
        cls, source: str, *, device: str | None = None, worded: Mapping[str, Any] | None = None, **options: Any
    ) -> TransformersModel:
        """Load a folder or a hub id: weights from safetensors, no remote code. `worded`: see `load_parts`."""
        return cls(**{**load_parts(source, device, **(worded or {})), **options})

    def _named(self, labels: Iterable[object] | None) -> tuple[str, ...]:
        own = DIRECTIONS if self._single else labels_of(self._owner.model.config)
        if labels is None:
            return own
        if self.raw:
            raise GmaskError("a raw score has no labels; leave `labels` out")
        names = label_names(labels)
        if len(names) != len(own):
            raise GmaskError(f"{self.name} has {len(own)} classes, but {len(names)} labels were given")
        return names

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
            head = self._copy.layout.head(self.tokenizer)
            self._classifier = Classifier(self.model, self._turn, self.family, tokens, self._read, head)
            self._hash: str | None = None
            self._weights = weights

    @property
    def hash(self) -> str:
        """A digest of the configuration, the tokenizer, every weight, and how logits are read if not as usual.

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
        usual = self.model.config.problem_type == "multi_label_classification"
        unusual = {
            "activation": None if self.activation is None else digest(self.activation)[0],
            "limit": None if self.family.limit == self.family.room else self.family.limit,
            "multilabel": None if self.multilabel == (usual and not self._single) else self.multilabel,
        }
        unusual |= self._owner.about
        if unusual := {k: v for k, v in unusual.items() if v is not None}:
            settings.append(unusual)
        found.update(json.dumps(settings, sort_keys=True).encode())
        tokenizer = copy.deepcopy(self.tokenizer.backend_tokenizer)
        tokenizer.no_truncation()  # it remembers how it was last called, which is none of its content
        tokenizer.no_padding()
        found.update(tokenizer.to_str().encode())
        for name, weights in sorted(self.model.state_dict().items()):
            found.update(name.encode())
            found.update(weights.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy())
        return found.hexdigest()

    @property
    def identity(self) -> dict[str, Any]:
        """With its activation and its limit."""
        activation = None if self.activation is None else getattr(self.activation, "__name__", repr(self.activation))
        return {**super().identity, "activation": activation, "limit": self.family.limit, **self._owner.about}

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

    # What its owner says

    def own(self, first: str, second: str) -> np.ndarray | None:
        """What its owner makes of a pair, by its own call."""
        with self._turn:
            if self._as_owner:
                said = self._copy.prediction(first, second, self.family.limit)
                if said is not None:
                    return self._as_outputs(said)
            logits = self._copy.logits(first, second, self.family.limit)
        return None if logits is None else self._read(logits[None])[0].double().cpu().numpy()

    def _as_outputs(self, said: torch.Tensor) -> np.ndarray:
        found = said.double().cpu().numpy()
        return np.array([1 - found[0], found[0]]) if self._single and not self.raw else found

    def _way(self) -> str:
        return " and ".join(self._owner.ways) or super()._way()

    def _read(self, logits: torch.Tensor) -> torch.Tensor:
        if self.raw:
            return logits if self.activation is None else self.activation(logits).reshape(-1, 1)
        if self._single:
            return torch.cat([(-logits).sigmoid(), logits.sigmoid()], dim=1)
        return logits.sigmoid() if self.multilabel else logits.softmax(dim=-1)

    # Binding a pair

    def _bind(self, first: str, second: str, removal: str) -> BoundPair:
        self._follow()
        words, pair = self._encode(first, second)
        limit, whole = self.family.limit, words
        if limit is not None and len(pair.owners) > limit:
            words, pair = self._encode(first, second, limit=limit)
            pair = replace(pair, cut=len(whole) - len(words))
        for sentence, place in enumerate(("first", "second")):
            if not any(w.sentence == sentence for w in words):
                raise GmaskError(f"the tokenizer of {self.name} finds no word in the {place} sentence")
        bound = TokenPair(self, (first, second), words, removal, pair)
        if pair.cut:
            bound.warnings.append(f"{self.name} reads at most {limit} tokens of a pair: {unread(whole, words)}.")
        if pair.stuck:
            told = ", ".join(map(repr, pair.stuck))
            bound.warnings.append(f"What the template shares a token with cannot be removed: {told}.")
        if self._half is not None and self.model.dtype not in HALF:
            given = str(self._half).removeprefix("torch.")
            bound.warnings.append(
                f"{self.name} is in {given} and was computed in float32: its own numbers differ by rounding."
            )
        return bound

    def _encode(self, first: str, second: str, limit: int | None = None) -> tuple[list[Word], Encoded]:
        with self._turn:  # a tokenizer can be used by one thread at a time
            tokens = self._copy.layout.tokens(self.tokenizer, first, second, limit)
        words, owners = align((first, second), tokens.offsets, tokens.sequences)
        rests = None if tokens.rests is None else np.array(tokens.rests)
        return words, Encoded(self._inputs(tokens.inputs), owners, rests=rests, stuck=tokens.stuck)

    def _inputs(self, encoding: Mapping[str, Sequence[int]]) -> Inputs:
        names = [name for name in ("input_ids", "token_type_ids") if name in encoding and name in self.family.arguments]
        inputs: Inputs = {name: np.array(encoding[name], dtype=np.int64) for name in names}
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

    def rewritten(self, _bound: BoundPair, texts: Sequence[tuple[str, str]]) -> Iterator[Block]:
        """Rows of other texts."""
        with self._turn:
            encoded = self._copy.layout.inputs(self.tokenizer, texts, self.family.limit)
        for i, encoding in enumerate(encoded):
            inputs = self._inputs(encoding)
            whole = Encoded(inputs, np.full(len(inputs["input_ids"]), -1))
            yield np.array([i]), whole_rows(whole, 1, self.family)

    # Gradients

    def _together(self, bound: BoundPair) -> int:
        return max(1, self._classifier.batch_tokens // len(bound.state.owners))

    def soft_dropped(self, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:
        """Outputs with each embedding times its weight, those of weight 0 hidden from the others."""
        factors, keep = self._kept(bound, weights)
        factors = torch.where((factors != 0).any(dim=1, keepdim=True), factors, 1.0)  # for the stand-in
        return self._classifier.run(masked_rows(bound.state, keep, self.family), weights=factors)

    def soft_zeroed(self, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:
        """Outputs with each embedding times its weight."""
        factors, keep = self._kept(bound, weights)
        rows = zeroed_rows(bound.state, keep, self.family)
        del rows["weights"]
        return self._classifier.run(rows, weights=factors)

    def soft_masked(self, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:
        """Outputs with each embedding between its own and the mask token's."""
        mask = self._classifier.embed(np.array([self.tokenizer.mask_token_id]))
        if (rests := bound.state.rests) is not None:
            left = torch.from_numpy(rests >= 0).to(mask.device).unsqueeze(-1)
            mask = torch.where(left, self._classifier.embed(rests.clip(0)), mask)
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
        return self._classifier.embed(bound.state.inputs["input_ids"])

    def _from_embeddings(self, bound: BoundPair, embeddings: torch.Tensor) -> torch.Tensor:
        return self._classifier.run(whole_rows(bound.state, len(embeddings), self.family), embeddings=embeddings)

    def _attentions(self, bound: BoundPair) -> torch.Tensor:
        if self.model.config.is_encoder_decoder:
            raise GmaskError(f"{self.name} is an encoder-decoder: its attention is not one stack of layers")
        return self._classifier.attentions(whole_rows(bound.state, 1, self.family))
