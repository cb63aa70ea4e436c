"""Whom a Hugging Face model belongs to: the object a user gave, and what it itself predicts of a pair."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from gmask.model.family import arguments_of
from gmask.model.layout import Layout

__all__ = ["CrossEncoderOwner", "Owner", "PipelineOwner", "meaning_of"]


class Owner:
    """A model and its tokenizer, called one after the other. Others call them in their own ways.

    Args:
        model: A Hugging Face model.
        tokenizer: Its tokenizer.
    """

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self._arguments = arguments_of(model)

    @property
    def module(self) -> nn.Module:
        """Everything that has weights."""
        return self.model  # type: ignore[no-any-return]

    def to(self, place: Any) -> None:
        """Move it to a device, or to a precision."""
        self.module.to(place)

    @property
    def layout(self) -> Layout:
        """How it makes tokens of a pair."""
        return Layout()

    @property
    def about(self) -> dict[str, Any]:
        """What it puts around a pair, as plain data."""
        return {}

    @property
    def limit(self) -> int | None:
        """The most tokens it reads of a pair, where it sets a limit of its own."""
        return None

    @property
    def meaning(self) -> dict[str, Any]:
        """The arguments of `TransformersModel` that say what its predictions are."""
        return {}

    @property
    def ways(self) -> list[str]:
        """What it does to pairs or to logits that the door does not, in words."""
        return []

    def logits(self, first: str, second: str, limit: int | None) -> torch.Tensor | None:
        """Its logits for a pair, `[classes]`; None if it has none."""
        inputs = self.tokenizer(first, second, return_tensors="pt", verbose=False, **_cut(limit))
        return self._run(inputs)

    def prediction(self, first: str, second: str, limit: int | None) -> torch.Tensor | None:  # noqa: ARG002
        """What it makes of its logits, `[classes]`; None if they are all it gives."""
        return None

    @torch.inference_mode()
    def _run(self, inputs: Any) -> torch.Tensor | None:
        tensors = {name: values.to(self.model.device) for name, values in inputs.items() if name in self._arguments}
        logits = getattr(self.model(**tensors), "logits", None)
        return None if logits is None else logits[0].float()


class PipelineOwner(Owner):
    """A text-classification pipeline, which has a function that it applies to logits."""

    def __init__(self, pipeline: Any) -> None:
        super().__init__(pipeline.model, pipeline.tokenizer)
        self.pipeline = pipeline

    def to(self, place: Any) -> None:
        """The pipeline puts its inputs where it takes its model to be."""
        super().to(place)
        self.pipeline.device = self.model.device

    @property
    def limit(self) -> int | None:
        """Where it was made with one."""
        settings = self.pipeline._preprocess_params
        return settings.get("max_length") if settings.get("truncation") else None

    @property
    def meaning(self) -> dict[str, Any]:
        """By the function, and by how many classes there are."""
        one = self.model.config.num_labels == 1
        meanings = {"none": "score"} if one else {"softmax": "probabilities"}
        outputs = {"sigmoid": "probabilities" if one else "multilabel", **meanings}.get(self._function)
        return {"outputs": outputs} if outputs else {}

    @property
    def ways(self) -> list[str]:
        """Its settings."""
        settings = {k: v for k, v in self.pipeline._preprocess_params.items() if k not in ("truncation", "max_length")}
        told = [f"its setting {name}={value!r}" for name, value in settings.items()]
        return [*told, f"its function {self._function!r}"]

    def logits(self, first: str, second: str, limit: int | None) -> torch.Tensor | None:
        """By its own preprocessing."""
        settings = {**_cut(limit), **self.pipeline._preprocess_params}
        return self._run(self.pipeline.preprocess({"text": first, "text_pair": second}, **settings))

    def prediction(self, first: str, second: str, limit: int | None) -> torch.Tensor | None:
        """By calling it."""
        names = [self.model.config.id2label[i] for i in range(self.model.config.num_labels)]
        if len(set(names)) < len(names) or (self._function == "none" and len(names) > 1):
            return None
        settings = {**_cut(limit), **self.pipeline._preprocess_params}
        found = self.pipeline({"text": first, "text_pair": second}, top_k=None, **settings)
        scores = {one["label"]: one["score"] for one in found}
        return torch.tensor([scores[name] for name in names])

    @property
    def _function(self) -> str:
        given = self.pipeline._postprocess_params.get("function_to_apply")
        if given is not None:
            return str(getattr(given, "value", given)).lower()
        config = self.model.config
        if config.problem_type == "regression":
            return "none"
        return "sigmoid" if config.problem_type == "multi_label_classification" or config.num_labels == 1 else "softmax"


class CrossEncoderOwner(Owner):
    """A CrossEncoder, which has an activation and may have a prompt or render pairs through a chat template."""

    def __init__(self, encoder: Any) -> None:
        super().__init__(encoder.model, encoder.tokenizer)
        self.encoder = encoder

    @property
    def module(self) -> nn.Module:
        """It may have heads of its own."""
        return self.encoder if isinstance(self.encoder, nn.Module) else super().module

    @property
    def limit(self) -> int | None:
        """Its own."""
        name = "max_seq_length" if hasattr(type(self.encoder), "max_seq_length") else "max_length"
        return getattr(self.encoder, name, None)

    @property
    def meaning(self) -> dict[str, Any]:
        """By its activation."""
        return meaning_of(self.model.config, self._activation)

    @property
    def ways(self) -> list[str]:
        """Its template, prompt and activation."""
        found = []
        if "message" in getattr(next(iter(self.encoder.children()), None), "modality_config", {}):
            found.append("its chat template")
        prompt = (getattr(self.encoder, "prompts", None) or {}).get(getattr(self.encoder, "default_prompt_name", None))
        if prompt:
            found.append(f"its prompt {prompt!r}")
        if self.model.config.num_labels > 1 and not isinstance(self._activation, (nn.Identity, nn.Sigmoid, nn.Softmax)):
            found.append(f"its activation {type(self._activation).__name__}")
        return found

    def logits(self, first: str, second: str, limit: int | None) -> torch.Tensor | None:  # noqa: ARG002
        """By its own call, without activation."""
        return self._predict(first, second, activation_fn=nn.Identity())

    def prediction(self, first: str, second: str, limit: int | None) -> torch.Tensor | None:  # noqa: ARG002
        """By its own call."""
        if self.model.config.num_labels > 1 and isinstance(self._activation, nn.Identity):
            return None
        return self._predict(first, second)

    def _predict(self, first: str, second: str, **options: Any) -> torch.Tensor:
        found = self.encoder.predict([(first, second)], convert_to_tensor=True, show_progress_bar=False, **options)
        return found[0].float().reshape(-1)  # type: ignore[no-any-return]

    @property
    def _activation(self) -> Any:
        return getattr(self.encoder, "activation_fn", None) or self.encoder.default_activation_function


def meaning_of(config: Any, activation: Any) -> dict[str, Any]:
    """What a CrossEncoder's activation makes of logits: probabilities, a raw score, or another score."""
    if config.num_labels > 1:
        return {"outputs": "multilabel"} if isinstance(activation, nn.Sigmoid) else {}
    if activation is None:
        return {}
    if isinstance(activation, nn.Sigmoid):
        return {"outputs": "probabilities"}
    return {"outputs": "score"} if isinstance(activation, nn.Identity) else {"activation": activation}


def _cut(limit: int | None) -> dict[str, Any]:
    return {} if limit is None else {"truncation": "longest_first", "max_length": limit}
