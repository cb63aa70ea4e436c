"""Small random models of every family, with tokenizers of their kinds, made from a few sentences."""

from __future__ import annotations

import json
import math
from collections import Counter
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer, PreTrainedTokenizerFast

TEXTS = [
    "A man playing an electric guitar on stage.",
    "A man playing banjo on the floor.",
    "Two unbelievably underestimated photographers don't sleep; they're waiting outside (again)...",
    "The guitarist's performance cost 1,000.50 dollars, said Zoë O'Neill-Smith: \"extraordinary!\"",
    "Ein Mann spielt Gitarre. Un homme joue de la guitare électrique. Здравствуйте, мир!",
    "男人在舞台上弹电吉他。女の人がギターを弾いています。ผู้ชายกำลังเล่นกีตาร์บนเวที",
    "한국어 문장입니다. नमस्ते दुनिया 🎸👍🏽",
]
SIZES = {
    "vocab_size": 400,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 128,
    "num_labels": 3,
    "id2label": {0: "entailment", 1: "neutral", 2: "contradiction"},
}
DECODER = {"num_key_value_heads": 2, "head_dim": 8}
D_MODEL = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
}
GPT2 = {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 128}
T5 = {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}
XLNET = {"d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 48}
DEBERTA = {
    "relative_attention": True,
    "pos_att_type": ["p2c", "c2p"],
    "position_biased_input": False,
    "type_vocab_size": 0,
}
MODERN = {"global_attn_every_n_layers": 2, "local_attention": 128}

# model type: (vocabulary, how special tokens stand, tokenizer class, settings beside SIZES)
ASKED_FOR: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "bert": ("pieces", "bert", "BertTokenizerFast", {}),
    "roberta": ("bytes", "roberta", "RobertaTokenizerFast", {"type_vocab_size": 1}),
    "xlm-roberta": ("unigram", "roberta", "XLMRobertaTokenizerFast", {"type_vocab_size": 1}),
    "distilbert": (
        "pieces",
        "bert",
        "DistilBertTokenizerFast",
        {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48},
    ),
    "albert": ("unigram", "bert", "AlbertTokenizerFast", {"embedding_size": 16}),
    "electra": ("pieces", "bert", "ElectraTokenizerFast", {"embedding_size": 16}),
    "mpnet": ("pieces", "roberta", "MPNetTokenizerFast", {}),
    "deberta-v2": ("unigram", "bert", "DebertaV2TokenizerFast", DEBERTA),
    "modernbert": ("bytes", "bert", "PreTrainedTokenizerFast", MODERN),
    "xlnet": ("unigram", "xlnet", "XLNetTokenizerFast", XLNET),
    "bart": ("bytes", "roberta", "BartTokenizerFast", D_MODEL),
    "t5": ("unigram", "t5", "T5TokenizerFast", T5),
    "gpt2": ("bytes", "none", "GPT2TokenizerFast", GPT2),
    "llama": ("bytes", "llama", "PreTrainedTokenizerFast", DECODER),
    "qwen2": ("bytes", "none", "Qwen2TokenizerFast", DECODER),
}
FURTHER = {
    "camembert": ASKED_FOR["xlm-roberta"],
    "xlm-roberta-xl": ASKED_FOR["xlm-roberta"],
    "data2vec-text": ASKED_FOR["roberta"],
    "ernie": ASKED_FOR["bert"],
    "mobilebert": ("pieces", "bert", "BertTokenizerFast", {"embedding_size": 32, "intra_bottleneck_size": 32}),
    "rembert": (
        "unigram",
        "bert",
        "PreTrainedTokenizerFast",
        {"input_embedding_size": 16, "output_embedding_size": 16},
    ),
    "mistral": ASKED_FOR["llama"],
    "gemma": ("unigram", "llama", "PreTrainedTokenizerFast", DECODER),
    "phi3": ASKED_FOR["llama"],
    "qwen3": ASKED_FOR["qwen2"],
    "mbart": ("unigram", "roberta", "PreTrainedTokenizerFast", D_MODEL),
}
FAMILIES = {**ASKED_FOR, **FURTHER}
SPECIAL = {
    "bert": {
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "mask_token": "[MASK]",
    },
    "roberta": {
        "bos_token": "<s>",
        "pad_token": "<pad>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "cls_token": "<s>",
        "sep_token": "</s>",
        "mask_token": "<mask>",
    },
    "xlnet": {
        "pad_token": "<pad>",
        "unk_token": "<unk>",
        "cls_token": "<cls>",
        "sep_token": "<sep>",
        "mask_token": "<mask>",
    },
    "t5": {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"},
    "llama": {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"},
    "none": {"eos_token": "<|endoftext|>", "pad_token": "<|pad|>", "unk_token": "<|endoftext|>"},
}
TEMPLATES = {
    "bert": ("[CLS] $A [SEP]", "[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1"),
    "roberta": ("<s> $A </s>", "<s>:0 $A:0 </s>:0 </s>:0 $B:0 </s>:0"),
    "xlnet": ("$A:0 <sep>:0 <cls>:2", "$A:0 <sep>:0 $B:1 <sep>:1 <cls>:2"),
    "t5": ("$A </s>", "$A </s> $B </s>"),
    "llama": ("<s> $A", "<s>:0 $A:0 <s>:1 $B:1"),
}


def pieces(special: list[str], size: int) -> list[tuple[str, float]]:
    """A unigram vocabulary: all letters, then the most frequent strings. Training finds another one every time."""
    words = [f"▁{word}" for text in TEXTS for word in text.split()]
    counts = Counter(w[i : i + n] for w in words for n in range(1, 6) for i in range(len(w) - n + 1))
    of_one_word = [p for p in counts if len(p) == 1 or p.removeprefix("▁").isalnum()]
    best = sorted(of_one_word, key=lambda p: (len(p) > 1, -len(p) * counts[p], p))[: size - len(special)]
    return [*((token, 0.0) for token in special), *((p, math.log(counts[p] / counts.total())) for p in best)]


def tokenizer_object(vocabulary: str, layout: str) -> Tokenizer:
    """A tokenizer trained on a few sentences."""
    special = list(dict.fromkeys(SPECIAL[layout].values()))
    size = SIZES["vocab_size"]
    if vocabulary == "pieces":
        tokenizer = Tokenizer(models.WordPiece(unk_token=SPECIAL[layout]["unk_token"]))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece()
        trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=special, show_progress=False)
    elif vocabulary == "bytes":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(
            vocab_size=size, special_tokens=special, initial_alphabet=alphabet, show_progress=False
        )
    else:
        unknown = special.index(SPECIAL[layout]["unk_token"])
        tokenizer = Tokenizer(models.Unigram(pieces(special, size), unknown))
        tokenizer.normalizer = normalizers.NFKC()
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.decoder = decoders.Metaspace()
        trainer = None
    if trainer is not None:
        tokenizer.train_from_iterator(TEXTS, trainer)
    if layout in TEMPLATES:
        single, pair = TEMPLATES[layout]
        tokens = [(token, tokenizer.token_to_id(token)) for token in special]
        tokenizer.post_processor = processors.TemplateProcessing(single=single, pair=pair, special_tokens=tokens)
    elif vocabulary == "bytes":
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


@lru_cache
def tiny_tokenizer(family: str) -> Any:
    """The family's own fast tokenizer, with a small vocabulary."""
    vocabulary, layout, name, _ = FAMILIES[family]
    names = ["input_ids", "attention_mask"] + ["token_type_ids"] * (
        layout in ("bert", "xlnet") and family != "distilbert"
    )
    made = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer_object(vocabulary, layout),
        model_max_length=100,
        model_input_names=names,
        **SPECIAL[layout],
    )
    with TemporaryDirectory() as folder:
        made.save_pretrained(folder)
        path = Path(folder, "tokenizer_config.json")
        config = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**config, "tokenizer_class": name}), encoding="utf-8")
        return AutoTokenizer.from_pretrained(folder)


def tiny_config(family: str, **settings: Any) -> Any:
    """A configuration that fits the family's tokenizer."""
    tokenizer = tiny_tokenizer(family)
    tokens = {
        "pad_token_id": tokenizer.pad_token_id,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
    }
    if family in ("bart", "mbart", "t5"):
        tokens["decoder_start_token_id"] = tokenizer.eos_token_id if family == "bart" else tokenizer.pad_token_id
    if "num_labels" in settings:
        settings.setdefault("id2label", {i: f"label {i}" for i in range(settings["num_labels"])})
    sizes = {name: size for name, size in SIZES.items() if family != "xlnet" or not name.startswith("max")}
    return AutoConfig.for_model(family, **{**sizes, **tokens, **FAMILIES[family][3], **settings})


def tiny_model(family: str, *, seed: int = 0, **settings: Any) -> Any:
    """A classifier with random weights, large enough that each word matters."""
    generator = torch.Generator().manual_seed(seed)
    model = AutoModelForSequenceClassification.from_config(tiny_config(family, **settings)).eval()
    scale = 0.1 if family == "mobilebert" else 0.25  # it does not normalise, so large weights magnify rounding errors
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1:
                parameter.normal_(0, 1 if "embed" in name else scale, generator=generator)
    return model


@lru_cache
def tiny(family: str) -> tuple[Any, Any]:
    """A model of the family and its tokenizer, shared by tests."""
    return tiny_model(family), tiny_tokenizer(family)
