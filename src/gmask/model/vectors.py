"""Pretrained word vectors from the files people have: GloVe, word2vec and fastText, text or binary."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from gmask.errors import GmaskError

__all__ = ["WordVectors", "read_vectors"]

MOST = 500_000  # words read from a file; the files are ordered by frequency
_FASTTEXT = (793712314).to_bytes(4, "little")


class WordVectors:
    """Words, most frequent first, and a vector for each. fastText binaries also make vectors for words not listed."""

    def __init__(self, keyed: Any) -> None:
        self._keyed = keyed  # gensim's KeyedVectors
        self.words: list[str] = list(keyed.index_to_key)
        self.dimensions = int(keyed.vector_size)

    def __contains__(self, word: str) -> bool:
        return word in self._keyed

    def of(self, words: Iterable[str]) -> np.ndarray:
        """The vectors of words that are there, float `[words, dimensions]`."""
        return np.stack([self._keyed[word] for word in words]).astype(np.float32)


def read_vectors(path: Path | str) -> WordVectors:
    """Read a file of word vectors; its format is told from its content.

    Args:
        path: GloVe text (no header), word2vec text or `.vec` (with a header), word2vec binary, fastText binary, each
            with or without `.gz`, or the JSON of the npm packages `wink-embeddings-sg-*`.
    """
    path = Path(path)
    if not path.is_file():
        raise GmaskError(f"no such file of word vectors: {path}")
    try:
        from gensim.models import KeyedVectors
        from gensim.models.fasttext import load_facebook_vectors
    except ImportError:
        raise GmaskError("reading word vectors needs gensim: pip install gmask[vectors]") from None
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        start = file.read(1 << 16)
    try:
        if start.startswith(b"{"):
            return WordVectors(_read_json(path, KeyedVectors))
        if start.startswith(_FASTTEXT):
            return WordVectors(load_facebook_vectors(str(path)))
        head, _, body = start.partition(b"\n")
        has_header = len(head.split()) == 2
        return WordVectors(
            KeyedVectors.load_word2vec_format(
                str(path), binary=has_header and _is_binary(body), no_header=not has_header, limit=MOST
            )
        )
    except Exception as error:  # gensim says in many ways that it cannot read a file
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise GmaskError(f"{path} is no file of word vectors that can be read ({reason})") from error


def _is_binary(body: bytes) -> bool:
    """Whether what follows a header is raw floats and not numbers in text."""
    second = body.split(b"\n", 1)[0].split(b" ")[1:]
    try:
        [float(number) for number in second if number.strip()]
    except ValueError:
        return True
    return len(second) < 2


def _read_json(path: Path, keyed_vectors: Any) -> Any:
    content = json.loads(path.read_text(encoding="utf-8"))
    keyed = keyed_vectors(content["dimensions"])
    words = content["words"][:MOST]
    table = content["vectors"]  # a row: the vector, its norm, its position
    keyed.add_vectors(words, np.array([table[w][: content["dimensions"]] for w in words], dtype=np.float32))
    return keyed
