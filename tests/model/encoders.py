"""Small random encoders of texts, as transformers and as sentence-transformers have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.model.families import tiny_model, tiny_tokenizer


def tiny_encoder(family: str) -> tuple[Any, Any]:
    """A model without a head, and its tokenizer."""
    return tiny_model(family).base_model, tiny_tokenizer(family)


def sentence_modules(folder: Path, pooling: str = "mean", **options: Any) -> list[Any]:
    """A Transformer and a Pooling."""
    from sentence_transformers import models

    model, tokenizer = tiny_encoder("bert")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    transformer = models.Transformer(str(folder))
    return [transformer, models.Pooling(32, pooling_mode=pooling, **options)]


def sentence_transformer(folder: Path, *further: Any, pooling: str = "mean", **options: Any) -> Any:
    """A SentenceTransformer on the processor."""
    from sentence_transformers import SentenceTransformer

    include = {"include_prompt": options.pop("include_prompt")} if "include_prompt" in options else {}
    return SentenceTransformer(
        modules=[*sentence_modules(folder, pooling, **include), *further], device="cpu", **options
    )


def late_interaction(folder: Path, *, expansion: Any = None, skip: tuple[str, ...] = (), **options: Any) -> Any:
    """A MultiVectorEncoder, where sentence-transformers has one."""
    from sentence_transformers import MultiVectorEncoder
    from sentence_transformers.base.modules import Dense, Normalize, Transformer
    from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask

    model, tokenizer = tiny_encoder("bert")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    names = {"module_input_name": "token_embeddings", "module_output_name": "token_embeddings"}
    modules = [
        Transformer(str(folder), query_expansion=expansion, query_length=24, document_length=40),
        Dense(32, 16, bias=False, activation_function=None, **names),
        Normalize(**names),
        MultiVectorMask(skiplist_words=list(skip)),
    ]
    return MultiVectorEncoder(modules=modules, device="cpu", **options)
