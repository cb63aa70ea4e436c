"""Planted sameness: black boxes that measure how much two texts share, and call two empty texts the same.

What two texts share is then known to be the reason for a high score, although nothing at all scores as high or higher.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from gmask.bench.families import FAMILIES
from gmask.dataset.samples import sample_pairs
from gmask.explainer import Explainer
from gmask.explanation import FLOOR, Explanation
from gmask.method.base import create
from gmask.model.callable import CallableModel
from gmask.pair import segment

__all__ = ["BOXES", "HEADS", "METHODS", "Case", "Recognised", "cases", "line", "recognise", "recognised"]

METHODS = ("gmask", "lime", "kernelshap", "leave-one-out", "shapley-interactions", "archipelago", "random")
HEADS = ("shared words on top", "groups of shared words", "explained as high", "no word speaks for it", "rows")
FUNCTION = ("the", "a", "of", "in", "is", "and", "to", "with", "on", "at")  # words that no box counts
NOUNS = ("people", "animals", "instruments", "clothes", "vehicles", "food", "scenes")
CONTENT = tuple(word.partition("/")[0] for family in NOUNS for s in FAMILIES[family] for word in s.split())
SHARED, KEYWORDS = 3, 2  # words that both sentences have
OWN = (2, 3)  # further content words of the first and the second sentence: eleven in all, six of them shared
FILLED = 3  # function words a sentence
DIMENSIONS = 64
HIGH = 0.5

Similarity = Callable[[list[str], list[str]], float]  # of the content words of two texts that are not both empty


@dataclass(frozen=True)
class Case:
    """A pair and the words that make its score high."""

    first: str
    second: str
    shared: frozenset[str]


@dataclass(frozen=True)
class Box:
    """A kind of black box: what it makes of a case, how many words are shared there, and what its numbers are."""

    similarity: Callable[[Case], Similarity]
    shared: int = SHARED
    outputs: Literal["probabilities", "score"] = "probabilities"

    def model(self, case: Case) -> CallableModel:
        """The box, to be asked about a case."""
        alike = self.similarity(case)

        def box(pairs: list[tuple[str, str]]) -> list[float]:
            contents = [(content(first), content(second)) for first, second in pairs]
            return [alike(one, other) if one or other else 1.0 for one, other in contents]

        return CallableModel(box, outputs=self.outputs, name="sameness")


def content(text: str) -> list[str]:
    """The words of a text that boxes count."""
    words = (text[start:end].casefold() for start, end in segment(text))
    return [word for word in words if word[0].isalnum() and word not in FUNCTION]


def dice(one: list[str], other: list[str]) -> float:
    """The share of common words."""
    return 2 * len({*one} & {*other}) / (len({*one}) + len({*other}))


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    """Of two vectors; 0 if one is nothing."""
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / length if length else 0.0


def tf_idf(one: list[str], other: list[str]) -> float:
    """The cosine of the counts of words, each weighted by how rare it is in the package's sample pairs."""
    weights, unseen = _idf()
    words = sorted({*one, *other})
    weight = np.array([weights.get(word, unseen) for word in words])
    counts = [np.array([c[word] for word in words]) * weight for c in (Counter(one), Counter(other))]
    return min(1.0, cosine(*counts))


def bag_of_vectors(one: list[str], other: list[str]) -> float:
    """The cosine of the sums of the words' vectors, which are random, so that only equal words are alike."""
    return cosine(_sum(one), _sum(other))


def keywords(case: Case) -> Similarity:
    """1 if both texts have all shared words of the case, else 0."""
    return lambda one, other: float(case.shared <= {*one} & {*other})


BOXES = {
    "share of words": Box(lambda _: dice),
    "TF-IDF": Box(lambda _: tf_idf),
    "TF-IDF, raw": Box(lambda _: tf_idf, outputs="score"),
    "vectors, raw": Box(lambda _: bag_of_vectors, outputs="score"),
    "keywords": Box(keywords, shared=KEYWORDS),
}


def cases(box: Box, count: int, seed: int = 0) -> Iterator[Case]:
    """Random pairs of words that the box scores high, the same for the same seed."""
    random = np.random.default_rng(seed)
    made = 0
    while made < count:
        words = [str(w) for w in random.choice(CONTENT, box.shared + sum(OWN), replace=False)]
        shared, own = words[: box.shared], np.split(words[box.shared :], [OWN[0]])
        texts = [
            " ".join(str(w) for w in random.permutation([*shared, *rest, *random.choice(FUNCTION, FILLED)]))
            for rest in own
        ]
        case = Case(texts[0], texts[1], frozenset(shared))
        if box.similarity(case)(content(case.first), content(case.second)) > HIGH:
            made += 1
            yield case


@dataclass(frozen=True)
class Recognised:
    """How much of a planted sameness an explanation tells.

    Attributes:
        on_top: Whether the shared words, in both sentences, are as many top words; of six, one may be missing.
        grouped: Whether there are groups, and each is of shared words of both sentences; NaN without groups.
        high: Whether it is explained why the score is high.
        speechless: Whether it has no word that speaks for it.
        rows: What the model was asked.
    """

    on_top: float
    grouped: float
    high: float
    speechless: float
    rows: float


def recognise(
    method: str, box: Box, count: int = 100, seed: int = 0, **options: Any
) -> Iterator[tuple[Case, Explanation]]:
    """Let a method explain why a box scores random pairs high.

    Args:
        method: A name, perhaps with settings.
        box: One of `BOXES`.
        count: How many pairs.
        seed: Of the pairs, and of the method.
        **options: Of the explainer, as `removal`.
    """
    chosen = create(method)
    for number, case in enumerate(cases(box, count, seed)):
        explainer = Explainer(box.model(case), chosen, seed=seed + number, **options)
        yield case, explainer(case.first, case.second)


def recognised(case: Case, e: Explanation) -> Recognised:
    """Hold an explanation against what is shared."""
    shared = {i for i, word in enumerate(e.words) if word.text in case.shared}
    groups = [set(g.members) for g in e.groups if g.members]
    allowed = len(shared) // 6  # of four, all must be there
    good = [group <= shared and len({e.words[i].sentence for i in group}) == 2 for group in groups]
    return Recognised(
        float(len(shared - {*e.order()[: len(shared)]}) <= allowed),
        float(all(good)) if groups else float("nan"),
        float(e.target == "high"),
        float(max(e.attributions) < FLOOR),
        float(e.rows),
    )


def line(name: str, box: str, found: Sequence[Recognised]) -> str:
    """A row of the Markdown table: shares of the cases, and rows on average."""
    *shares, rows = np.array([astuple(f) for f in found]).T
    cells = ["" if np.isnan(share).all() else f"{np.nan_to_num(share).mean():.0%}" for share in shares]
    return f"| {name} | {box} | {len(found)} | {' | '.join(cells)} | {rows.mean():.0f} |"


@cache
def _idf() -> tuple[dict[str, float], float]:
    """How rare each word is in the sentences that come with the package, and a word that is in none."""
    texts = [{*content(text)} for pair in sample_pairs() for text in pair]
    seen = Counter(word for text in texts for word in text)
    rarity = {word: math.log((1 + len(texts)) / (1 + count)) + 1 for word, count in seen.items()}
    return rarity, math.log(1 + len(texts)) + 1


@cache
def _vector(word: str) -> np.ndarray:
    return np.random.default_rng(list(word.encode())).normal(size=DIMENSIONS)


def _sum(words: Sequence[str]) -> np.ndarray:
    return np.sum([_vector(word) for word in words], axis=0) if words else np.zeros(DIMENSIONS)
