"""The pairs a training run reads: several corpora, held-out pairs kept out, classes mapped by name."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gmask.dataset.catalogue import Corpus
from gmask.dataset.corpora import find_split, load, resolve
from gmask.dataset.example import Example
from gmask.dataset.overlap import overlap, pair_key, without
from gmask.dataset.records import UnlabelledError
from gmask.dataset.table import OnBad
from gmask.errors import GmaskError

__all__ = ["TrainingData", "gather"]

MOST_CLASSES = 100


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
    sources: Sequence[str],
    *,
    limit: int | None = None,
    clean: bool = False,
    on_bad: OnBad | None = None,
) -> TrainingData:
    """Read train, dev and test of each source; `NAME=PATH*3` takes a source's training pairs three times.

    Pairs of any dev or test split are taken out of the training pairs, should they occur there. A source without a dev
    split gives a tenth of its training pairs for it, chosen by a hash of the pair; one without a labelled test split is
    reported on without.

    Args:
        sources: As for `gmask.dataset.corpora.load`.
        limit: Read at most so many pairs a split.
        clean: Clean the texts as the paper does.
        on_bad: Called with the error of each bad row, which is then skipped. Default: the error is raised.
    """
    loaded = []
    for source in sources:
        name, star, repeat = source.rpartition("*")
        path, times = (name, int(repeat)) if star and repeat.isdigit() else (source, 1)
        splits = {s: _read(path, s, limit=limit, clean=clean, on_bad=on_bad) for s in ("train", "dev", "test")}
        if not splits["dev"]:
            splits["dev"] = [e for e in splits["train"] if _tenth(e)]
            splits["train"] = [e for e in splits["train"] if not _tenth(e)]
        loaded.append((resolve(path)[0], splits, times))
    held_out = [(corpus, s, splits[s]) for corpus, splits, _ in loaded for s in ("dev", "test") if splits[s]]
    kept_out = [e for _, _, examples in held_out for e in examples]
    train: list[Example] = []
    corpora, repeated = [], 0
    for corpus, splits, times in loaded:
        repeated += len(overlap(splits["train"], kept_out))
        own = without(splits["train"], kept_out)
        corpora.append((corpus, len(own)))
        train += own * times
    digest = hashlib.sha256()
    dev = [e for _, s, examples in held_out if s == "dev" for e in examples]
    for e in [*train, *dev]:
        digest.update(f"{e.first}\t{e.second}\t{e.label}\n".encode())
    labels = _labels([corpus for corpus, _ in corpora], train, held_out)
    return TrainingData(labels, train, dev, corpora, held_out, repeated, digest.hexdigest()[:16])


def _read(path: str, split: str, **how: Any) -> list[Example]:
    """One split; nothing for a dev or test split that is not there or not labelled."""
    corpus, folder = resolve(path)
    if folder.is_file():
        raise GmaskError(f"{folder} is one file; training wants a folder with train, dev and test files")
    if split != "train" and folder.is_dir():
        try:
            find_split(corpus, folder, split)
        except GmaskError:
            return []
    try:
        return load(path, split, **how)
    except UnlabelledError:
        if split == "test":
            return []
        raise


def _tenth(example: Example) -> bool:
    return hashlib.sha256("\t".join(pair_key(example)).encode()).digest()[0] % 10 == 0


def _labels(
    corpora: Sequence[Corpus], train: Sequence[Example], held_out: Sequence[tuple[Corpus, str, list[Example]]]
) -> tuple[str, ...]:
    seen = sorted({str(e.label) for e in train})
    if len(seen) < 2:
        raise GmaskError(f"the training data has one class only ({', '.join(seen)}); a classifier needs two or more")
    if len(seen) > MOST_CLASSES:
        raise GmaskError(f"the training data has {len(seen)} different labels; they look like scores, not classes")
    labels = tuple(dict.fromkeys([*(name for corpus in corpora for name in corpus.labels), *seen]))
    for corpus, split, examples in held_out:
        if strange := {str(e.label) for e in examples} - set(labels):
            raise GmaskError(
                f"the {split} split of {corpus.name} has labels that the training data has not: "
                f"{', '.join(sorted(strange))}; there are: {', '.join(labels)}"
            )
    return labels
