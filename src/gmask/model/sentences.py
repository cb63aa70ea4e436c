"""The encoders of sentence-transformers: bi-encoders and late interaction, with their prompts and their similarity."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gmask.errors import GmaskError, one_of
from gmask.model.embedder import Embedder, Features, Tokens

__all__ = ["LateEmbedder", "SentenceEmbedder", "sentence_embedder"]

ROLES = ("query", "document")  # that encode_query and encode_document are for
DOCUMENTS = ("document", "passage", "corpus")  # names of the prompt of a document, the first that is there

Roles = tuple[str | None, str | None]


def sentence_embedder(encoder: Any, prompts: Any = None) -> SentenceEmbedder:
    """The embedder that a SentenceTransformer, or a MultiVectorEncoder, is.

    Args:
        encoder: The model.
        prompts: What either text is read as: `query`, `document`, the name of another of its prompts, or None (a plain
            `encode`). Default: query and document where the model reads these in different ways, else None and None.
    """
    late = any(cls.__name__ == "MultiVectorEncoder" for cls in type(encoder).__mro__)
    return (LateEmbedder if late else SentenceEmbedder)(encoder, prompts)


class SentenceEmbedder(Embedder):
    """A SentenceTransformer: a Transformer, and modules that make a vector of its tokens.

    Args:
        encoder: The model.
        prompts: As of `sentence_embedder`.
    """

    def __init__(self, encoder: Any, prompts: Any = None) -> None:
        first = next(iter(encoder.children()))
        if type(first).__name__ != "Transformer":
            raise GmaskError(
                f"this {type(encoder).__name__} begins with a {type(first).__name__}, into which gmask cannot see; "
                "give a function that calls it: a list of text pairs to scores"
            )
        self.encoder = encoder
        self.roles = self._roles(prompts)
        texts = self._prompt(self.roles[0]), self._prompt(self.roles[1])
        super().__init__(first.auto_model, encoder.tokenizer, texts, str(encoder.similarity_fn_name))

    @property
    def module(self) -> nn.Module:
        """All its modules."""
        return self.encoder  # type: ignore[no-any-return]

    @property
    def alike(self) -> bool:
        """Modules may look at the role too."""
        return self.roles[0] == self.roles[1]

    @property
    def limit(self) -> int | None:
        """Its own."""
        return self.encoder.max_seq_length  # type: ignore[no-any-return]

    @property
    def about(self) -> dict[str, Any]:
        """With what its modules are and how many dimensions are left."""
        modules = [f"{type(m).__name__} {m.get_config_dict()}" for m in self._modules]
        roles = list(self.roles) if any(self.roles) else None
        dimensions = getattr(self.encoder, "truncate_dim", None)
        return {**super().about, "roles": roles, "modules": modules, "dimensions": dimensions}

    @property
    def ways(self) -> list[str]:
        """Its modules, and what it is told to do with texts."""
        found = [f"its module {type(module).__name__}" for module in self._modules]
        if "message" in getattr(next(iter(self.encoder.children())), "modality_config", {}):
            found.append("its chat template")
        return found

    def tokens(self, text: str, side: int, limit: int | None) -> Tokens:
        """Those of its tokenizer; the prompt's may have no say."""
        found = super().tokens(text, side, limit)
        before = next((i for i, offset in enumerate(found.offsets) if offset is not None), 0)
        return replace(found, inputs={**found.inputs, "prompt_length": np.full(len(found.offsets), before)})

    def vectors(self, features: Features, side: int) -> Tensor:
        """By its modules, cut to the dimensions it is told to keep."""
        found: Tensor = self._through(features, side)["sentence_embedding"]
        return found[..., : getattr(self.encoder, "truncate_dim", None)]

    def prediction(self, first: str, second: str, limit: int | None) -> Tensor | None:  # noqa: ARG002
        """By its own calls."""
        encodings = [self._encode(text, role) for text, role in zip((first, second), self.roles, strict=True)]
        return self.encoder.similarity_pairwise(*encodings)  # type: ignore[no-any-return]

    def _encode(self, text: str, role: str | None) -> Any:
        return self._call(role)([text], convert_to_tensor=True, show_progress_bar=False)

    def _call(self, role: str | None) -> Any:
        """What its owner calls to encode a text in a role."""
        if role in ROLES:
            return getattr(self.encoder, f"encode_{role}")

        def encode(texts: list[str], **options: Any) -> Any:
            return self.encoder.encode(texts, prompt_name=role, **options)

        return encode

    def _through(self, features: Features, side: int) -> dict[str, Any]:
        known: dict[str, Any] = dict(features)
        if "prompt_length" in known:
            known["prompt_length"] = int(known["prompt_length"].max())
        task = self.roles[side] if self.roles[side] in ROLES else None
        for module in self._modules:
            told = {"task": task} if "task" in getattr(module, "forward_kwargs", ()) else {}
            try:
                known = module(known, **told)
            except (KeyError, AttributeError, TypeError) as error:  # it needs what only its own first module gives
                raise GmaskError(f"the module {type(module).__name__} cannot be run on vectors of tokens") from error
        return known

    @property
    def _modules(self) -> list[Any]:
        return list(self.encoder.children())[1:]

    def _roles(self, prompts: Any) -> Roles:
        if prompts is None:
            known = (self._prompt("query"), self._prompt("document"))
            return ROLES if known[0] != known[1] else (None, None)
        if isinstance(prompts, str) or len(prompts) != 2:
            raise GmaskError(f"prompts must be two, for the first text and for the second, not {prompts!r}")
        own = list(dict.fromkeys([*ROLES, *(self.encoder.prompts or {})]))
        for name in prompts:
            if name is not None and name not in own:
                raise one_of("prompt of this model:", name, [*own, "None"])
        return prompts[0], prompts[1]

    def _prompt(self, role: str | None) -> str:
        """What stands before a text in a role."""
        known = self.encoder.prompts or {}
        names = DOCUMENTS if role == "document" else (role,)
        name = next((name for name in names if name in known), self.encoder.default_prompt_name)
        return known.get(name) or ""


class LateEmbedder(SentenceEmbedder):
    """A MultiVectorEncoder: a vector a token, compared with the best of the other text."""

    def _roles(self, prompts: Any) -> Roles:
        roles = super()._roles(prompts)
        return ROLES if roles == (None, None) else roles

    def tokens(self, text: str, side: int, limit: int | None) -> Tokens:
        """Those it makes itself: it has a limit of its own for either role, and may add tokens to a query."""
        if limit is None:
            return super().tokens(text, side, None)
        options = {"prompt": self.prompts[side] or None, "task": self.roles[side]}
        own = {
            name: values[0].numpy().astype(np.int64)
            for name, values in self.encoder.preprocess([text], **options).items()
            if isinstance(values, torch.Tensor)
        }
        added = own.get("query_expansion_positions", np.zeros_like(own["input_ids"])).astype(bool)
        count = int((~added).sum())
        found = super().tokens(text, side, None)
        if len(found.offsets) > count:
            found = super().tokens(text, side, count)
        if not np.array_equal(found.inputs["input_ids"], own["input_ids"][:count]) or added[:count].any():
            raise GmaskError("this MultiVectorEncoder makes other tokens of a text than its tokenizer does")
        return Tokens(own, [*found.offsets, *[None] * (len(added) - count)])

    def vectors(self, features: Features, side: int) -> Tensor:
        """Those of the tokens that have a say."""
        found = self._through(features, side)
        vectors: Tensor = found["token_embeddings"]
        return vectors * found["attention_mask"].unsqueeze(-1).to(vectors)

    def _encode(self, text: str, role: str | None) -> Any:
        return self._call(role)([text], show_progress_bar=False)
