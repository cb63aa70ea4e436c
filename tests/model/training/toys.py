"""Small things to train: pairs, word vectors, a tiny BERT."""

from __future__ import annotations

from pathlib import Path

import numpy as np

WORDS = "a the man woman dog cat runs sleeps eats plays outside inside happy sad red blue not nobody".split()


def write_pairs(folder: Path, sizes: dict[str, int], seed: int = 0) -> Path:
    """Pairs labelled by whether the second sentence has a negation."""
    random = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for split, size in sizes.items():
        lines = ["sentence1\tsentence2\tlabel"]
        for _ in range(size):
            first, second = (" ".join(random.choice(WORDS, random.integers(4, 12))) for _ in range(2))
            label = "no" if {"not", "nobody"} & set(second.split()) else "yes"
            lines.append(f"{first}\t{second}\t{label}")
        (folder / f"{split}.tsv").write_text("\n".join(lines) + "\n")
    return folder


def write_vectors(path: Path, dimensions: int = 8) -> Path:
    """GloVe text: no header."""
    random = np.random.default_rng(1)
    path.write_text("".join(f"{w} {' '.join(map(str, random.normal(size=dimensions).round(4)))}\n" for w in WORDS))
    return path


def write_encoder(folder: Path) -> Path:
    """A BERT of two layers with random weights."""
    import torch
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    characters = "abcdefghijklmnopqrstuvwxyz.,"
    vocabulary = ["[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, "zebra"]
    vocabulary += [p for c in characters for p in (c, f"##{c}") if p not in vocabulary]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    backend = BertWordPieceTokenizer(str(folder / "vocab.txt"), lowercase=True)
    BertTokenizerFast(tokenizer_object=backend._tokenizer, model_max_length=64).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=64,
    )
    BertModel(config).save_pretrained(folder)
    return folder
