"""The pairs a training run reads: several corpora, held-out pairs kept out, classes mapped by name."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gmask.dataset.corpora import Corpus, Example, load, resolve
from gmask.dataset.overlap import overlap, without
from gmask.dataset.table import DataError
from gmask.errors import GmaskError

__all__ = ["TrainingData", "gather"]


@dataclass(frozen=True)
class TrainingData:
    """What to learn from, what to choose by, what to report on."""

    labels: tuple[str, ...]
    train: list[Example]
    dev: list[Example]
    corpora: list[tuple[Corpus, int]]
    held_out: list[tuple[Corpus, str, list[Example]]]
    overlap: int
    fingerprint: str

    def classes(self, examples: Sequence[Example]) -> list[int]:
        """The class index of each example's label, by name."""
        return [self.labels.index(str(e.label)) for e in examples]


def gather(
    sources: Sequence[str], *, limit: int | None = None, on_bad: Callable[[DataError], None] | None = None
) -> TrainingData:
    """Read train, dev and test of each source; `NAME=PATH*3` takes a source's training pairs three times.

    Pairs of any dev or test split are taken out of the training pairs, should they occur there.
    """
    loaded, times = [], []
    for source in sources:
        name, star, repeat = source.rpartition("*")
        path, count = (name, int(repeat)) if star and repeat.isdigit() else (source, 1)
        corpus, _ = resolve(path)
        loaded.append((corpus, {s: load(path, s, limit=limit, on_bad=on_bad) for s in ("train", "dev", "test")}))
        times.append(count)
    labels = list(dict.fromkeys(name for corpus, _ in loaded for name in corpus.labels))
    seen = sorted({str(e.label) for _, splits in loaded for e in splits["train"]})
    if not labels:
        labels = seen
    if len(seen) < 2:
        raise GmaskError(f"the training data has one class only ({seen[0]!r}); a classifier needs two or more")
    held_out = [(corpus, s, splits[s]) for corpus, splits in loaded for s in ("dev", "test")]
    kept_out = [e for _, _, examples in held_out for e in examples]
    train: list[Example] = []
    corpora, repeated = [], 0
    for (corpus, splits), count in zip(loaded, times, strict=True):
        repeated += len(overlap(splits["train"], kept_out))
        own = without(splits["train"], kept_out)
        corpora.append((corpus, len(own)))
        train += own * count
    digest = hashlib.sha256()
    for e in train:
        digest.update(f"{e.first}\t{e.second}\t{e.label}\n".encode())
    dev = [e for _, s, examples in held_out if s == "dev" for e in examples]
    return TrainingData(tuple(labels), train, dev, corpora, held_out, repeated, digest.hexdigest()[:16])
