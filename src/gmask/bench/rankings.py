"""What else ranks words by label: statistics of the data alone, and mean importances of words over many pairs."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from gmask.dataset.example import Example
from gmask.explanation import Explanation
from gmask.pair import segment

__all__ = ["Ranked", "competency", "mean_importance"]

FEWEST = 5  # occurrences of a word in explained pairs, for a mean

Ranked = tuple[int, str, str]  # the side, the word, the label


def competency(examples: Sequence[Example], most: int = 5) -> list[Ranked]:
    """The words whose labels are least like those of all pairs (Gardner et al., EMNLP 2021).

        z = (p(label | word) - p0) / sqrt(p0 (1 - p0) / n)

    n is the number of pairs that have the word on its side, p0 the share of the label among all of them.
    """
    labels = Counter(str(e.label) for e in examples)
    seen: Counter[tuple[int, str]] = Counter()
    with_label: Counter[Ranked] = Counter()
    for e in examples:
        for side, text in enumerate((e.first, e.second)):
            for word in {text[start:end].casefold() for start, end in segment(text)}:
                seen[side, word] += 1
                with_label[side, word, str(e.label)] += 1

    def z(ranked: Ranked) -> float:
        side, word, label = ranked
        n, p0 = seen[side, word], labels[label] / len(examples)
        return (with_label[ranked] / n - p0) / math.sqrt(p0 * (1 - p0) / n)

    return sorted(with_label, key=z, reverse=True)[:most]


def mean_importance(explanations: Iterable[Explanation], most: int = 5) -> list[Ranked]:
    """The words with the largest mean attribution to a label, over the pairs that the model gives it."""
    found: dict[Ranked, list[float]] = defaultdict(list)
    for e in explanations:
        for word, attribution in zip(e.words, e.attributions, strict=True):
            if any(c.isalnum() for c in word.text):
                found[word.sentence, word.text.casefold(), e.label].append(attribution)
    often = {ranked: sum(a) / len(a) for ranked, a in found.items() if len(a) >= FEWEST}
    return sorted(often, key=lambda r: often[r], reverse=True)[:most]
