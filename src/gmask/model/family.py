"""What differs between families of Hugging Face classifiers: positions, where the answer is read, a second input."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Family", "arguments_of", "family_of"]

# Families whose tokens can be left out, because each position enters through `position_ids` and nothing else.
COUNTED = {"albert", "bert", "distilbert", "electra", "ernie", "gemma", "gpt2", "llama", "mistral", "modernbert"}
COUNTED |= {"phi3", "qwen2", "qwen3", "rembert"}
AFTER_PADDING = {"camembert", "data2vec-text", "roberta", "xlm-roberta", "xlm-roberta-xl"}  # from padding index + 1
MIXING = {"convbert", "funnel", "mobilebert"}  # neighbours are mixed by more than attention
WRAPPED = {"mbart", "plbart"}  # the decoder starts with the input's last token
RELATIVE = {"mt5", "t5", "umt5"}  # places without end, whatever the configuration says


@dataclass(frozen=True)
class Family:
    """How a model takes its tokens.

    Args:
        arguments: The inputs its `forward` takes.
        padding: For position ids that start after the padding index, that index; else None.
        window: Tokens can be left out of a pair of at most this many tokens; beyond (or at 0), they are masked.
        limit: The most tokens a pair can have, if there is a limit.
        room: The most tokens the model has positions for, whatever its tokenizer says.
        last: Whether the answer is read at the last token that is no padding, as decoders do.
        pad: The id the model takes for padding, if it has one.
        mixing: Whether a masked token's embedding must be 0 too, because its neighbours see it all the same.
        tokens_first: Whether it looks up embeddings as `[tokens, rows]`.
        decoder_start: For an encoder-decoder, the id its decoder starts with; -1: the last one of the input.
        end: For an encoder-decoder, the id at which the answer is read.
        stand_in: The id that stands alone where no token is left.
    """

    arguments: frozenset[str]
    padding: int | None
    window: int
    limit: int | None
    room: int | None
    last: bool
    pad: int | None
    mixing: bool
    tokens_first: bool
    decoder_start: int | None
    end: int | None
    stand_in: int

    def positions(self, ids: np.ndarray) -> np.ndarray:
        """The position ids the model itself would give to a row of tokens."""
        if self.padding is None:
            return np.arange(len(ids))
        real = ids != self.padding
        return np.asarray(np.cumsum(real) * real + self.padding)


def family_of(model: Any, tokenizer: Any) -> Family:
    """Look at a model's configuration."""
    config = model.config
    kind = config.model_type
    arguments = arguments_of(model)
    absolute = getattr(config, "position_embedding_type", None) in (None, "absolute")
    packs = kind in COUNTED | AFTER_PADDING and absolute and "position_ids" in arguments
    pad = getattr(config, "pad_token_id", None)
    padding = pad if kind in AFTER_PADDING | {"mpnet"} else None
    room = _room(config, 0 if padding is None else padding + 1)
    special = (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id, pad, 0)
    start = None
    if config.is_encoder_decoder:
        start = -1 if kind in WRAPPED else config.decoder_start_token_id
    return Family(
        arguments=arguments,
        padding=padding,
        window=_window(config) if packs else 0,
        limit=min((n for n in (room, _said(tokenizer)) if n is not None), default=None),
        room=room,
        last=not config.is_encoder_decoder and hasattr(model, "score"),
        pad=pad,
        mixing=kind in MIXING,
        tokens_first=kind == "xlnet",
        decoder_start=start,
        end=config.eos_token_id if config.is_encoder_decoder else None,
        stand_in=next(i for i in special if i is not None),
    )


def arguments_of(model: Any) -> frozenset[str]:
    """The inputs that a model takes; of one within another, those of the inner one."""
    parameters = inspect.signature(getattr(model, "inner", model).forward).parameters
    anything = any(p.kind is p.VAR_KEYWORD for p in parameters.values()) and "input_ids" not in parameters
    return frozenset(parameters) | ({"input_ids", "attention_mask"} if anything else set())


def _window(config: Any) -> int:
    """How far apart two tokens can be and still see each other: windows count tokens, not positions."""
    if config.model_type == "modernbert":
        return int(config.local_attention) // 2
    window = getattr(config, "sliding_window", None)
    return int(window) if window and getattr(config, "use_sliding_window", True) else 1 << 30


def _room(config: Any, offset: int) -> int | None:
    if config.model_type in RELATIVE:
        return None
    places = getattr(config, "max_position_embeddings", None) or getattr(config, "n_positions", None)
    return places - offset if places and places > 0 else None


def _said(tokenizer: Any) -> int | None:
    """The limit that a tokenizer says; one without says a very large number."""
    return tokenizer.model_max_length if tokenizer.model_max_length < 1 << 30 else None
