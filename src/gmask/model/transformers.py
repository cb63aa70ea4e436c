"""Hugging Face sequence classifiers behind the door: any family, words kept or removed, packed and batched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
import torch

from gmask.errors import GmaskError, one_of
from gmask.model.alignment import align
from gmask.model.base import label_names
from gmask.model.bound import BoundPair, Question
from gmask.model.classifier import Classifier
from gmask.model.digest import digest
from gmask.model.loading import labels_of, load_parts, parts_of, score_of
from gmask.model.owner import Owner
from gmask.model.packing import Block, Encoded, whole_rows
from gmask.model.tokens import TokenModel
from gmask.pair import Word, unread
from gmask.target import DIRECTIONS

__all__ = ["TransformersModel", "parts_of"]

Outputs = Literal["probabilities", "score", "multilabel"]
OUTPUTS = ("probabilities", "score", "multilabel")


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


class TransformersModel(TokenModel):
    """A Hugging Face sequence classifier.

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

    _reads: ClassVar[str] = "a pair"

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
        if outputs not in (None, *OUTPUTS):
            raise one_of("outputs", outputs, OUTPUTS)
        own = owner or Owner(model, tokenizer)
        super().__init__(own, name=name, device=device, batch_tokens=batch_tokens, limit=limit, packing=packing)
        config = model.config
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

    def _prepare(self, tokens: int) -> None:
        head = self._copy.layout.head(self.tokenizer)
        self._classifier = Classifier(self.model, self._turn, self.family, tokens, self._read, head)

    def _runner(self, bound: BoundPair) -> Classifier:  # noqa: ARG002
        return self._classifier

    def _unusual(self) -> dict[str, Any]:
        usual = self.model.config.problem_type == "multi_label_classification"
        return {
            "activation": None if self.activation is None else digest(self.activation)[0],
            "multilabel": None if self.multilabel == (usual and not self._single) else self.multilabel,
            **self._owner.about,
        }

    @property
    def identity(self) -> dict[str, Any]:
        """With its activation and its limit."""
        activation = None if self.activation is None else getattr(self.activation, "__name__", repr(self.activation))
        return {**super().identity, "activation": activation, "limit": self.family.limit, **self._owner.about}

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
        self._tell(bound, unread(whole, words) if pair.cut else "")
        if pair.stuck:
            told = ", ".join(map(repr, pair.stuck))
            bound.warnings.append(f"What the template shares a token with cannot be removed: {told}.")
        return bound

    def _encode(self, first: str, second: str, limit: int | None = None) -> tuple[list[Word], Encoded]:
        with self._turn:  # a tokenizer can be used by one thread at a time
            tokens = self._copy.layout.tokens(self.tokenizer, first, second, limit)
        words, owners = align((first, second), tokens.offsets, tokens.sequences)
        rests = None if tokens.rests is None else np.array(tokens.rests)
        return words, Encoded(self._inputs(tokens.inputs), owners, rests=rests, stuck=tokens.stuck)

    def cut(self, first: str, second: str) -> tuple[bool, bool]:
        """Of which texts of a pair it does not read all tokens."""
        self._follow()
        with self._turn:
            whole, read = (
                list(self._copy.layout.tokens(self.tokenizer, first, second, limit).sequences)
                for limit in (None, self.family.limit)
            )
        return whole.count(0) > read.count(0), whole.count(1) > read.count(1)

    # Answering rows

    def _forward(self, questions: Sequence[Question], on_rows: Callable[[int], None]) -> np.ndarray:
        found = np.empty((len(questions), self.outputs))
        for numbers, outputs in self._run(self._classifier, questions):
            found[numbers] = outputs
            on_rows(len(outputs))
        return found

    def rewritten(self, _bound: BoundPair, texts: Sequence[tuple[str, str]]) -> Iterator[Block]:
        """Rows of other texts."""
        with self._turn:
            encoded = self._copy.layout.inputs(self.tokenizer, texts, self.family.limit)
        for i, encoding in enumerate(encoded):
            inputs = self._inputs(encoding)
            whole = Encoded(inputs, np.full(len(inputs["input_ids"]), -1))
            yield np.array([i]), whole_rows(whole, 1, self.family)

    def _attentions(self, bound: BoundPair) -> torch.Tensor:
        if self.model.config.is_encoder_decoder:
            raise GmaskError(f"{self.name} is an encoder-decoder: its attention is not one stack of layers")
        return self._classifier.attentions(whole_rows(bound.state, 1, self.family))
