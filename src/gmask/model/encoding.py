"""Loading encoders of texts: those of sentence-transformers, or a Hugging Face model with a pooling."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gmask.errors import GmaskError, one_of

if TYPE_CHECKING:
    from gmask.model.encoder import EncoderModel

__all__ = ["encoder_of", "is_encoder_folder", "load_encoder"]

KINDS = {"SentenceTransformer", "MultiVectorEncoder"}


def encoder_of(source: Any, tokenizer: Any, options: Mapping[str, Any]) -> EncoderModel | None:
    """The model behind the door, if it is an encoder of texts: by its class, or because a pooling is named.

    Args:
        source: What was given.
        tokenizer: Its tokenizer, if it is a Hugging Face model.
        options: Of the embedder and of the model.
    """
    own = any(cls.__name__ in KINDS for cls in type(source).__mro__)
    if not own and "pooling" not in options:
        return None
    from gmask.model.embedder import PooledEmbedder
    from gmask.model.encoder import EncoderModel
    from gmask.model.sentences import sentence_embedder

    if own and tokenizer is not None:
        raise GmaskError(f"a {type(source).__name__} has its tokenizer; give it alone")
    if not own and tokenizer is None:
        raise GmaskError(f"{type(source).__name__} needs its tokenizer; give (model, tokenizer)")
    make: Callable[..., Any] = partial(sentence_embedder, source) if own else partial(PooledEmbedder, source, tokenizer)
    about = [name for name in signature(make).parameters if name in ("pooling", "similarity", "normalize", "prompts")]
    further = [p.name for p in signature(EncoderModel).parameters.values() if p.kind is p.KEYWORD_ONLY]
    if own:
        further.remove("limit")  # it has its own
    for name in options:
        if name not in (*about, *further):
            raise one_of("option of this kind of model:", name, [*about, *further])
    embedder = make(**{name: value for name, value in options.items() if name in about})
    return EncoderModel(embedder, **{name: value for name, value in options.items() if name in further})


def is_encoder_folder(folder: Path) -> bool:
    """Whether sentence-transformers keeps a SentenceTransformer or a MultiVectorEncoder there."""
    modules = _stored(folder / "modules.json")
    pools = any(str(module.get("type")).endswith(".Pooling") for module in modules or ())
    return bool(modules) and (_kind(folder) in KINDS if _kind(folder) else pools)


def load_encoder(source: str, options: Mapping[str, Any]) -> EncoderModel:
    """From a folder, or, where a pooling is named, also from a hub id."""
    device = options.get("device")
    if "pooling" in options:
        from transformers import AutoModel, AutoTokenizer

        try:
            parts = AutoModel.from_pretrained(source, use_safetensors=True), AutoTokenizer.from_pretrained(source)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise GmaskError(f"cannot load {source}: {' '.join(str(error).split())[:160]}") from error
    else:
        parts = _sentence_transformer(Path(source), device), None
    found = encoder_of(*parts, {"name": Path(source).name, **options})
    assert found is not None
    return found


def _sentence_transformer(folder: Path, device: Any) -> Any:
    try:
        import sentence_transformers
    except ImportError:
        raise GmaskError(
            f"{folder} is a model of sentence-transformers, which is not installed: pip install sentence-transformers"
        ) from None
    try:
        kind = getattr(sentence_transformers, _kind(folder) or "SentenceTransformer")
        return kind(str(folder), device=device, local_files_only=True)
    except Exception as error:  # its modules say in many ways that they cannot be read
        raise GmaskError(f"cannot load {folder}: {' '.join(str(error).split())[:160]}") from error


def _kind(folder: Path) -> str | None:
    """The class that sentence-transformers keeps the name of, if it does: older releases did not."""
    kept = _stored(folder / "config_sentence_transformers.json")
    return (kept or {}).get("model_type")


def _stored(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
