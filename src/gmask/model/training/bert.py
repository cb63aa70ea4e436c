"""Fine-tuning a Hugging Face encoder on sentence pairs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from gmask.dataset.example import Example
from gmask.errors import GmaskError
from gmask.files import write_text
from gmask.model.training.checkpoint import workplace
from gmask.model.training.corpus import TrainingData
from gmask.model.training.loop import Encoded, Settings, fit
from gmask.model.training.report import report
from gmask.model.zoo import BUILTIN, builtin_models

__all__ = ["prune_vocabulary", "train_bert"]

MAX_TOKENS = 128
DROPOUTS = (
    "hidden_dropout_prob",
    "attention_probs_dropout_prob",
    "dropout",
    "attention_dropout",
    "seq_classif_dropout",
)


class _Logits(nn.Module):
    """A sequence classifier that answers with its logits."""

    def __init__(self, classifier: nn.Module) -> None:
        super().__init__()
        self.classifier = classifier

    def forward(self, **inputs: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.classifier(**inputs).logits
        return logits


def train_bert(
    data: TrainingData,
    output: Path,
    *,
    encoder: str,
    settings: Settings,
    dropout: float = 0.1,
    vocabulary: int | None = None,
    command: str = "",
    log: Callable[[str], None] = print,
) -> Path:
    """Fine-tune `encoder` and write a Hugging Face folder with half-precision weights and a model card.

    Args:
        data: See `gather`.
        output: The model's folder; `output/.training` holds the checkpoints until the work is done.
        encoder: A Hugging Face folder, hub id, or built-in model to start from.
        settings: See `Settings`.
        dropout: In the encoder and before the classifier.
        vocabulary: Keep this many of the most frequent word pieces, and those the training data needs. Default: all.
        command: Recorded in the card.
        log: Told a line an epoch.
    """
    work = workplace(output)
    encoder = str(BUILTIN / encoder) if encoder in builtin_models() else encoder
    torch.manual_seed(settings.seed)
    model, tokenizer = _start(encoder, data.labels, dropout)
    if vocabulary is not None:
        tokenizer = prune_vocabulary(model, tokenizer, data.train, vocabulary, work / "tokenizer")

    def collate(records: Sequence[Any]) -> dict[str, torch.Tensor]:
        return dict(tokenizer.pad(list(records), return_tensors="pt"))

    def encode(examples: Sequence[Example]) -> Encoded:
        batch = tokenizer(
            text=[e.first for e in examples],
            text_pair=[e.second for e in examples],
            truncation="longest_first",
            max_length=MAX_TOKENS,
        )
        records = [{name: batch[name][i] for name in batch} for i in range(len(examples))]
        lengths = np.array([len(r["input_ids"]) for r in records])
        return Encoded(records, lengths, torch.tensor(data.classes(examples)))

    classifier = _Logits(model)
    training = fit(
        classifier,
        encode(data.train),
        encode(data.dev),
        collate,
        settings,
        checkpoint=work / "checkpoint.safetensors",
        fingerprint=json.dumps([data.fingerprint, asdict(settings), dropout, vocabulary, Path(encoder).name]),
        log=log,
    )
    training["settings"] |= {"dropout": dropout, "vocabulary": vocabulary}
    model.half().save_pretrained(output)
    tokenizer.save_pretrained(output)
    model.float()  # what a reader of the folder gets: weights rounded to half precision, computed in full
    return report(
        output,
        classifier,
        encode,
        collate,
        kind=f"A {model.config.model_type} sentence-pair classifier fine-tuned from {Path(encoder).name}",
        data=data,
        training=training,
        command=command,
        log=log,
    )


def _start(encoder: str, labels: Sequence[str], dropout: float) -> tuple[Any, Any]:
    """The pretrained encoder with a fresh classifier, and its tokenizer."""
    from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer  # heavy
    from transformers.utils import logging

    logging.set_verbosity_error()  # that the classifier is fresh is no news
    try:
        config = AutoConfig.from_pretrained(encoder)
        tokenizer = AutoTokenizer.from_pretrained(encoder)
        config.id2label = dict(enumerate(labels))
        config.label2id = {label: i for i, label in enumerate(labels)}
        for name in DROPOUTS:
            if hasattr(config, name):
                setattr(config, name, dropout)
        model = AutoModelForSequenceClassification.from_pretrained(encoder, config=config).float()
    except (OSError, ValueError) as error:
        raise GmaskError(f"cannot start from the encoder {encoder!r}: {str(error).splitlines()[0]}") from None
    positions = getattr(config, "max_position_embeddings", None)
    if positions is not None:
        tokenizer.model_max_length = min(tokenizer.model_max_length, positions)
    return model, tokenizer


def prune_vocabulary(model: Any, tokenizer: Any, examples: Sequence[Example], keep: int, folder: Path) -> Any:
    """Drop word pieces that are neither frequent nor needed for `examples`; words are then cut into smaller pieces.

    A WordPiece vocabulary is ordered by frequency, so the first `keep` pieces are the common ones. Single characters
    stay, so that no word becomes unknown that was not unknown before.

    Returns:
        The tokenizer of the smaller vocabulary; the model's embeddings are cut to it in place.
    """
    from transformers import AutoTokenizer  # heavy

    state = json.loads(tokenizer.backend_tokenizer.to_str())
    if state["model"]["type"] != "WordPiece":
        raise GmaskError(f"only WordPiece vocabularies can be pruned, not {state['model']['type']}; leave it whole")
    seen: set[int] = set()
    for ids in tokenizer([t for e in examples for t in (e.first, e.second)])["input_ids"]:
        seen.update(ids)
    special = set(tokenizer.all_special_ids)
    pieces = sorted(state["model"]["vocab"].items(), key=lambda item: item[1])
    kept = [
        (piece, old)
        for piece, old in pieces
        if old in special
        or old in seen
        or len(piece.removeprefix("##")) == 1
        or (old < keep and not piece.startswith("[unused"))
    ]
    new = {piece: i for i, (piece, _) in enumerate(kept)}
    state["model"]["vocab"] = new
    state["truncation"] = state["padding"] = None
    for token in state["added_tokens"]:
        token["id"] = new[token["content"]]
    processor = state.get("post_processor") or {}
    for token in processor.get("special_tokens", {}).values():
        token["ids"] = [new[t] for t in token["tokens"]]
    for name in {"cls", "sep"} & set(processor):  # an older kind of post-processor
        processor[name] = [processor[name][0], new[processor[name][0]]]
    tokenizer.save_pretrained(folder)
    (folder / "vocab.txt").unlink(missing_ok=True)
    write_text(folder / "tokenizer.json", json.dumps(state, ensure_ascii=False))
    pruned = AutoTokenizer.from_pretrained(folder)

    old_embedding = model.get_input_embeddings()
    embedding = nn.Embedding(len(kept), old_embedding.embedding_dim, padding_idx=new[tokenizer.pad_token])
    with torch.no_grad():
        embedding.weight.copy_(old_embedding.weight[[old for _, old in kept]])
    model.set_input_embeddings(embedding)
    model.config.vocab_size = len(kept)
    model.config.pad_token_id = new[tokenizer.pad_token]
    return pruned
