"""The paper's table of statistics: classes, average sentence length, vocabulary, pairs a split."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gmask.dataset.catalogue import SPLITS, Figures
from gmask.dataset.cleaning import clean
from gmask.dataset.example import Example

__all__ = ["statistics"]


def statistics(splits: Mapping[str, Iterable[Example]]) -> Figures:
    """Count words of the cleaned texts, over all splits, as the paper does.

    Args:
        splits: The pairs of `train`, `dev` and `test`, as far as there are any; `all` counts as `train`.
    """
    labels: set[str] = set()
    vocabulary: set[str] = set()
    words = sentences = 0
    pairs: dict[str, int] = {}
    for split, examples in splits.items():
        pairs[split] = 0
        for example in examples:
            pairs[split] += 1
            if example.label is not None:
                labels.add(example.label)
            for text in (example.first, example.second):
                cleaned = clean(text).split()
                vocabulary.update(cleaned)
                words += len(cleaned)
                sentences += 1
    if "all" in pairs:
        pairs["train"] = pairs["all"]
    train, dev, test = (pairs.get(s) for s in SPLITS)
    return Figures(len(labels), words / max(1, sentences), len(vocabulary), (train, dev, test))
