"""The paper's DAttn model behind the door: words in, class probabilities out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from gmask.errors import GmaskError
from gmask.files import atomic, write_text
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair, Question
from gmask.model.decomposable import DecomposableAttention
from gmask.model.vocabulary import PAD, Vocabulary
from gmask.pair import Word, segment

__all__ = ["DAttnModel", "save_folder"]

BATCH_TOKENS = 2048
PARTS = ("config.json", "vocab.txt", "model.safetensors")

Ids = tuple[np.ndarray, np.ndarray]  # embedding rows of the two sentences


@dataclass(frozen=True)
class _Tokens:
    """The embedding rows of a pair's tokens, the word and the sentence each belongs to."""

    rows: np.ndarray
    words: np.ndarray
    sentences: np.ndarray

    @property
    def first(self) -> int:
        """How many tokens the first sentence has; they stand before those of the second."""
        return int((self.sentences == 0).sum())


class DAttnModel(PairModel):
    """A trained decomposable attention model.

    A word that is dropped is masked out of the attention and of the sums; since the model knows no word order, that is
    the same as a sentence without it. Unknown words share a few embedding vectors, they stay words.

    Args:
        network: The trained network.
        vocabulary: Its words.
        labels: Class names, in the order of the network's outputs.
        name: How results name the model.
        device: Where to compute. Default: the processor.
    """

    differentiable: ClassVar[bool] = True
    removals: ClassVar[tuple[str, ...]] = ("drop", "zero", "delete", "blank", "swap")

    def __init__(
        self,
        network: DecomposableAttention,
        vocabulary: Vocabulary,
        labels: Sequence[str],
        *,
        name: str = "dattn",
        device: str = "cpu",
    ) -> None:
        self.network = network.float().eval().requires_grad_(False).to(device)
        self.vocabulary = vocabulary
        self.labels = tuple(labels)
        self.name = name
        self.device = device
        self._hash: str | None = None

    @classmethod
    def from_folder(cls, folder: Path | str, **options: Any) -> DAttnModel:
        """Load a folder that `gmask train dattn` made."""
        folder = Path(folder)
        if missing := [part for part in PARTS if not (folder / part).is_file()]:
            raise GmaskError(f"{folder} is no DAttn model: {', '.join(missing)} missing")
        try:
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            vocabulary = Vocabulary.read(folder / "vocab.txt", config["unknown"])
            network = DecomposableAttention(
                len(vocabulary), config["dimensions"], config["hidden_size"], len(config["labels"])
            )
            weights = load_file(folder / "model.safetensors")
            network.load_state_dict(weights)
        except (ValueError, KeyError, RuntimeError, SafetensorError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise GmaskError(f"{folder} is no usable DAttn model ({reason})") from None
        return cls(network, vocabulary, config["labels"], **{"name": folder.name, **options})

    @property
    def usual(self) -> str:
        """Two ways at once, so that what is found is no artefact of one."""
        return "drop+zero"

    @property
    def hash(self) -> str:
        """Over the weights, the vocabulary and the labels."""
        if self._hash is None:
            digest = hashlib.sha256(json.dumps([self.labels, self.vocabulary.unknown]).encode())
            digest.update(self.vocabulary.text().encode())
            for name, value in sorted(self.network.state_dict().items()):
                digest.update(name.encode() + value.cpu().numpy().tobytes())
            self._hash = digest.hexdigest()[:16]
        return self._hash

    def _about(self) -> str:
        return f"{len(self.vocabulary.tokens):,} words on {self.device}"

    def _bind(self, first: str, second: str, removal: str) -> BoundPair:
        words = _words((first, second))
        return BoundPair(self, (first, second), words, removal, self._tokens(words))

    def _forward(self, questions: Sequence[Question], on_rows: Callable[[int], None]) -> np.ndarray:
        ids = [bound.absence.rows(self, bound, kept[None])[0] for bound, kept in questions]
        pairs = np.array([(len(first), len(second)) for first, second in ids])
        lengths = pairs.sum(axis=1)
        order = np.lexsort(-pairs.T)  # like lengths together: little padding
        outputs = np.empty((len(ids), len(self.labels)))
        start = 0
        while start < len(order):
            batch = order[start : start + max(1, BATCH_TOKENS // max(1, lengths[order[start]]))]
            with torch.inference_mode():
                first, second = (self._padded([ids[i][s] for i in batch]) for s in (0, 1))
                outputs[batch] = self._probabilities(first, second).cpu().numpy()
            start += len(batch)
            on_rows(len(batch))
        rounded: np.ndarray = outputs.round(6)
        return rounded

    # The embedding rows of the two sentences, for each row of kept words

    def dropped(self, bound: BoundPair, kept: np.ndarray) -> list[Ids]:
        """Those of the words that stay."""
        tokens: _Tokens = bound.state
        n = tokens.first
        stays = kept[:, tokens.words]
        return [(tokens.rows[:n][row[:n]], tokens.rows[n:][row[n:]]) for row in stays]

    def zeroed(self, bound: BoundPair, kept: np.ndarray) -> list[Ids]:
        """All, padding's in the place of those that go: its vector is zero."""
        tokens: _Tokens = bound.state
        rows = np.where(kept[:, tokens.words], tokens.rows, PAD)
        return [(row[: tokens.first], row[tokens.first :]) for row in rows]

    def rewritten(self, _bound: BoundPair, texts: Sequence[tuple[str, str]]) -> list[Ids]:
        """Those of other texts."""
        found = [self._tokens(_words(pair)) for pair in texts]
        return [(tokens.rows[: tokens.first], tokens.rows[tokens.first :]) for tokens in found]

    def _padded(self, rows: Sequence[np.ndarray]) -> tuple[Tensor, Tensor]:
        """What the network makes of tokens, `[m, tokens, ...]`, for rows of several lengths, and which are there."""
        lengths = np.array([len(r) for r in rows])
        kept = np.arange(lengths.max(initial=0)) < lengths[:, None]
        ids = np.full(kept.shape, PAD)
        ids[kept] = np.concatenate(rows)
        return self.network.lookup(torch.from_numpy(ids).to(self.device)), torch.from_numpy(kept).to(self.device)

    def _probabilities(self, first: tuple[Tensor, Tensor], second: tuple[Tensor, Tensor]) -> Tensor:
        return self.network.logits(*first, *second).softmax(dim=-1)

    def _together(self, bound: BoundPair) -> int:
        return max(1, BATCH_TOKENS // max(1, len(bound.state.rows)))

    def soft_dropped(self, bound: BoundPair, weights: Tensor) -> Tensor:
        """Probabilities with each embedding times its weight, those of weight 0 not there."""
        factors = self._factors(bound, weights)
        return self._divided(bound, self._embed(bound) * factors, factors[..., 0] != 0)

    def soft_zeroed(self, bound: BoundPair, weights: Tensor) -> Tensor:
        """Probabilities with each embedding times its weight."""
        return self._from_embeddings(bound, self._embed(bound) * self._factors(bound, weights))

    def _factors(self, bound: BoundPair, weights: Tensor) -> Tensor:
        return weights.to(self.device)[:, torch.from_numpy(bound.state.words), None]

    def _token_words(self, bound: BoundPair) -> np.ndarray:
        tokens: _Tokens = bound.state
        return tokens.words

    def _embed(self, bound: BoundPair) -> Tensor:
        embeddings: Tensor = self.network.embedding(torch.from_numpy(bound.state.rows).to(self.device))
        return embeddings.detach()

    def _from_embeddings(self, bound: BoundPair, embeddings: Tensor) -> Tensor:
        return self._divided(bound, embeddings, torch.ones(embeddings.shape[:2], dtype=torch.bool, device=self.device))

    def _divided(self, bound: BoundPair, embeddings: Tensor, kept: Tensor) -> Tensor:
        """Probabilities for the embeddings of all tokens of the pair, those of the first sentence first."""
        n = bound.state.first
        tokens = self.network.tokens(embeddings)
        return self._probabilities((tokens[:, :n], kept[:, :n]), (tokens[:, n:], kept[:, n:]))

    def _attentions(self, bound: BoundPair) -> Tensor:
        n = bound.state.first
        f = self.network.attend(self.network.project(self._embed(bound)))
        e = f[:n] @ f[n:].mT
        weights = e.new_zeros(len(f), len(f))
        weights[:n, n:], weights[n:, :n] = e.softmax(dim=-1), e.mT.softmax(dim=-1)
        return weights[None, None]

    def _tokens(self, words: Sequence[Word]) -> _Tokens:
        rows, owners = self.vocabulary.encode([w.text for w in words])
        sentences = np.array([w.sentence for w in words], dtype=np.int64)
        owner = np.array(owners, dtype=np.int64)
        return _Tokens(np.array(rows, dtype=np.int64), owner, sentences[owner])


def _words(texts: tuple[str, str]) -> list[Word]:
    return [Word(t[s:e], i, s, e) for i, t in enumerate(texts) for s, e in segment(t)]


def save_folder(folder: Path, network: DecomposableAttention, vocabulary: Vocabulary, labels: Sequence[str]) -> None:
    """Write the folder that `DAttnModel.from_folder` reads, weights in half precision."""
    config = {
        "model_type": "dattn",
        "labels": list(labels),
        "hidden_size": network.classify.in_features,
        "dimensions": network.embedding.embedding_dim,
        "unknown": vocabulary.unknown,
    }
    write_text(folder / "vocab.txt", vocabulary.text())
    with atomic(folder / "model.safetensors") as path:
        save_file({n: v.detach().half().contiguous() for n, v in network.state_dict().items()}, path)
    write_text(folder / "config.json", json.dumps(config, indent=1) + "\n")
