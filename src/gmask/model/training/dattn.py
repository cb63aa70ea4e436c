"""Training a decomposable attention model on sentence pairs, from pretrained word vectors."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gmask.dataset.example import Example
from gmask.errors import GmaskError
from gmask.model.dattn import DAttnModel, save_folder
from gmask.model.decomposable import DecomposableAttention
from gmask.model.training.checkpoint import workplace
from gmask.model.training.corpus import TrainingData
from gmask.model.training.loop import Encoded, Settings, fit
from gmask.model.training.report import report
from gmask.model.vectors import WordVectors, read_vectors
from gmask.model.vocabulary import PAD, Vocabulary, tokens_of
from gmask.model.zoo import load
from gmask.pair import segment

__all__ = ["build_vocabulary", "train_dattn"]

HIDDEN = 300  # the paper's hidden size
UNKNOWN = 100  # vectors shared by unknown words
OFTEN = 5  # a training word without a vector gets one of its own if it occurs so many times


def train_dattn(
    data: TrainingData,
    output: Path,
    *,
    settings: Settings,
    vectors: Path | None = None,
    start: str | None = None,
    dropout: float = 0.2,
    vocabulary: int = 25_000,
    command: str = "",
    log: Callable[[str], None] = print,
) -> Path:
    """Train and write a folder: `config.json`, `vocab.txt`, half-precision `model.safetensors` and a model card.

    Args:
        data: See `gather`.
        output: The model's folder; `output/.training` holds the checkpoints until the work is done.
        settings: See `Settings`.
        vectors: Pretrained word vectors to begin with, see `read_vectors`.
        start: Instead of them, a model of this kind to go on from: a built-in one, or its folder. Its words stay.
        dropout: Before every layer.
        vocabulary: The words of the training data, filled up to so many with the most frequent words of `vectors`.
        command: Recorded in the card.
        log: Told a line an epoch.
    """
    work = workplace(output)
    torch.manual_seed(settings.seed)
    if (vectors is None) == (start is None):
        raise GmaskError("give either word vectors to begin with, or a model to go on from")
    if start is not None:
        network, words = _go_on(start, len(data.labels), dropout)
        origin, vocabulary = f"the model {Path(start).name}", len(words.tokens)
    else:
        assert vectors is not None
        pretrained = read_vectors(vectors)
        words = build_vocabulary(data.train, pretrained, vocabulary)
        network = DecomposableAttention(len(words), pretrained.dimensions, HIDDEN, len(data.labels), dropout)
        _fill_embedding(network, words, pretrained)
        origin = f"the word vectors {vectors.name}"

    def encode(examples: Sequence[Example]) -> Encoded:
        records = [[[words.row(token) for token in _tokens(text)] for text in (e.first, e.second)] for e in examples]
        lengths = np.array([len(a) + len(b) for a, b in records])
        return Encoded(records, lengths, torch.tensor(data.classes(examples)))

    begun = hashlib.sha256(network.embedding.weight.detach().numpy().tobytes())
    if start is not None:  # then the other weights are given too, not drawn
        begun.update(network.project.weight.detach().numpy().tobytes())
    fingerprint = json.dumps([data.fingerprint, asdict(settings), dropout, begun.hexdigest()[:16]])
    training = fit(
        network,
        encode(data.train),
        encode(data.dev),
        collate,
        settings,
        checkpoint=work / "checkpoint.safetensors",
        fingerprint=fingerprint,
        log=log,
    )
    training["settings"] |= {"dropout": dropout, "vocabulary": vocabulary}
    save_folder(output, network, words, data.labels)
    network.half().float()  # what a reader of the folder gets: weights rounded to half precision, computed in full
    return report(
        output,
        network,
        encode,
        collate,
        kind=f"A decomposable attention model (hidden size {network.classify.in_features}) from {origin}",
        data=data,
        training=training,
        command=command,
        log=log,
    )


def collate(records: Sequence[Any]) -> dict[str, torch.Tensor]:
    """Pad pairs of embedding rows to matrices."""
    return {
        name: torch.nn.utils.rnn.pad_sequence(
            [torch.tensor(record[i]) for record in records], batch_first=True, padding_value=PAD
        )
        for i, name in enumerate(("first", "second"))
    }


def build_vocabulary(examples: Sequence[Example], pretrained: WordVectors, size: int) -> Vocabulary:
    """The training words that have a vector or are frequent, then the most frequent words that have one."""
    counts = Counter(token for e in examples for text in (e.first, e.second) for token in _tokens(text))
    seen = [token for token, count in counts.most_common() if token in pretrained or count >= OFTEN]
    common = (word for word in pretrained.words if tokens_of(word) == (word,))
    return Vocabulary(list(dict.fromkeys([*seen[:size], *common]))[:size], UNKNOWN)


@lru_cache(maxsize=1 << 18)  # every training text is read twice, and many stand in several pairs
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(token for start, end in segment(text) for token in tokens_of(text[start:end]))


def _go_on(start: str, classes: int, dropout: float) -> tuple[DecomposableAttention, Vocabulary]:
    """A model's network and words; it classifies anew where it knows another number of classes."""
    model = load(start)
    if not isinstance(model, DAttnModel):
        raise GmaskError(f"{start} is no decomposable attention model, which alone can be gone on with here")
    old = model.network
    size = (old.embedding.num_embeddings, old.embedding.embedding_dim, old.classify.in_features)
    network = DecomposableAttention(*size, classes, dropout)
    weights = old.state_dict()
    if old.classify.out_features != classes:
        weights = {name: value for name, value in weights.items() if not name.startswith("classify.")}
    network.load_state_dict(weights, strict=False)
    return network.float(), model.vocabulary


def _fill_embedding(network: DecomposableAttention, words: Vocabulary, pretrained: WordVectors) -> None:
    """Every vector has length 1, as in Parikh et al.; words without one keep a random direction."""
    table = network.embedding.weight.detach()
    known = [token for token in words.tokens if token in pretrained]
    table[[words.row(token) for token in known]] = torch.from_numpy(pretrained.of(known))
    table /= table.norm(dim=1, keepdim=True).clamp(min=1e-6)
