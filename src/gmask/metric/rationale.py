"""The words that people marked, beside what a method says of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gmask.dataset.highlights import annotated_words, highlighted_words
from gmask.metric.base import Case

__all__ = ["MARKED", "Rationale", "rationale_of", "spans"]

MARKED = "words that people marked"


@dataclass(frozen=True)
class Rationale:
    """Parallel over the words that count: their sentence, whether people marked them, and their attribution."""

    sentences: np.ndarray
    marked: np.ndarray
    attributions: np.ndarray

    @property
    def chosen(self) -> np.ndarray:
        """As many of the most important words as people marked."""
        order = np.argsort(-self.attributions, kind="stable")
        return np.isin(np.arange(len(order)), order[: self.marked.sum()])


def rationale_of(case: Case) -> Rationale | None:
    """People's words and the method's; None where nobody marked any.

    A word is marked if at least half of the annotators who were asked about its sentence marked it. Punctuation, and
    sentences nobody was asked about, do not count.
    """
    e = case.explanation
    if not case.highlights:
        return None
    asked = annotated_words(e.words, case.highlights).sum(axis=0)
    votes = highlighted_words(e.words, (e.first, e.second), case.highlights).sum(axis=0)
    counts = (asked > 0) & np.array([any(c.isalnum() for c in word.text) for word in e.words])
    marked = (2 * votes >= asked)[counts]
    if not marked.any():
        return None
    sentences = np.array([word.sentence for word in e.words])
    return Rationale(sentences[counts], marked, np.array(e.attributions)[counts])


def spans(sentences: np.ndarray, chosen: np.ndarray) -> list[set[int]]:
    """The runs of neighbouring chosen words, each within one sentence."""
    found: list[set[int]] = []
    for i in np.flatnonzero(chosen):
        if found and i - 1 in found[-1] and sentences[i - 1] == sentences[i]:
            found[-1].add(int(i))
        else:
            found.append({int(i)})
    return found
