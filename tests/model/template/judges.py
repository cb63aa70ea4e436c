"""Small random language models that answer, with a tokenizer that joins punctuation and line ends as Qwen's does."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, PreTrainedTokenizerFast

from tests.model.families import TEXTS, tiny_config, tiny_model, tiny_tokenizer

A = "Who plays an electric guitar on stage?"
B = "A man plays banjo on the floor (again)."
C = '"What?" asked the "guitarist".'
PAIRS = [(A, B), (C, A), (B, "Un homme joue de la guitare électrique.")]

WORDS = r"""[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<bos>", "<think>", "</think>"]
CHAT = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@lru_cache
def tokenizer(limit: int = 4096) -> Any:
    """Bytes in pairs, as Qwen's: `?` and the line end after it are one token."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(WORDS), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    seen = [*TEXTS, *['Yes no yes? no. ?\n .\n ?\n\n .\n\n ).\n 0 1 \n\n query: document: plays "man'] * 9]
    made.train_from_iterator(
        seen,
        trainers.BpeTrainer(
            vocab_size=480,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
            special_tokens=SPECIAL,
        ),
    )
    made.post_processor = processors.ByteLevel(trim_offsets=False)
    made.add_tokens(
        [AddedToken(text, single_word=True) for text in ("yes", "no", "Yes") if made.token_to_id(text) is None]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        model_max_length=limit,
        bos_token="<bos>",
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        chat_template=CHAT,
    )


def randomised(model: Any, seed: int = 0) -> Any:
    """Weights so large that each word matters."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1:
                embeds = any(part in name for part in ("embed", "shared", "wte", "lm_head"))
                parameter.normal_(0, 0.5 if embeds else 0.25, generator=generator)
    return model.eval()


@lru_cache
def language_model(family: str, *, own: bool = False) -> tuple[Any, Any]:
    """A causal or sequence-to-sequence model of a family, with Qwen's kind of tokenizer or its own."""
    words = tiny_tokenizer(family) if own else tokenizer()
    config = tiny_config(family, vocab_size=512, max_position_embeddings=4096, pad_token_id=0)
    kind = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    return randomised(kind.from_config(config)), words


@lru_cache
def decoder_classifier(family: str) -> tuple[Any, Any]:
    """A decoder with a head of one output."""
    words = tokenizer()
    settings = {"vocab_size": 512, "max_position_embeddings": 4096, "pad_token_id": words.pad_token_id}
    return tiny_model(family, num_labels=1, **settings), words
