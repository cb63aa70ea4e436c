"""Known causes by construction: a sentence, and the same with one word exchanged for another of its family.

The model decides which count: of a sentence and itself it must say that they mean the same, of the two that they do
not. Then the word and its stand-in are the cause of that.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import islice

from gmask.bench.cause import Cause
from gmask.bench.families import family_words
from gmask.errors import GmaskError
from gmask.model.base import PairModel
from gmask.pair import segment
from gmask.study.saying import same_label, says

__all__ = ["exchanges", "minimal_pairs", "verdicts"]

TOGETHER = 32  # sentences whose exchanges are put to the model at once
VERDICTS = (  # what models call sentences that mean the same, and what those that do not
    ("entailment", "contradiction"),
    ("paraphrase", "not paraphrase"),
    ("duplicate", "not duplicate"),
    ("equivalent", "not equivalent"),
)


def verdicts(model: PairModel) -> tuple[str, str]:
    """The model's labels for sentences that mean the same, and for those that do not."""
    for names in VERDICTS:
        found = [label for name in names for label in model.labels if same_label(label, name)]
        if len(found) == 2:
            return found[0], found[1]
    known = ", or ".join(" and ".join(map(repr, names)) for names in VERDICTS)
    raise GmaskError(f"{model.name} must know the labels {known}; it knows {', '.join(model.labels)}")


def minimal_pairs(model: PairModel, sentences: Iterable[str]) -> Iterator[list[Cause]]:
    """For each sentence with a word of a family, the exchanges of one word that the model answers as they deserve."""
    same, other = verdicts(model)
    coming = ((s, made) for s in dict.fromkeys(sentences) if (made := list(exchanges(s))))
    while part := list(islice(coming, TOGETHER)):
        pairs = [pair for s, made in part for pair in [(s, s), *((s, changed) for changed, _, _ in made)]]
        said = dict(zip(pairs, says(model, pairs), strict=True))
        for sentence, made in part:
            yield [
                _cause(model, sentence, changed, start, kind, other)
                for changed, start, kind in made
                if said[sentence, sentence] == same and said[sentence, changed] == other
            ]


def exchanges(sentence: str) -> Iterator[tuple[str, int, str]]:
    """The sentence with one word exchanged, where that word starts, and the family it is of; one for each such word.

    Which word stands in is drawn, the same each time. It is none that is there already, and fits an "a" or "an" before
    it. A word that is there twice stays.
    """
    spans = segment(sentence)
    words = [sentence[start:end].casefold() for start, end in spans]
    for i, (word, (start, end)) in enumerate(zip(words, spans, strict=True)):
        if word not in family_words() or words.count(word) > 1:
            continue
        family, others = family_words()[word]
        article = i > 0 and words[i - 1] in ("a", "an")
        free = [o for o in others if o not in words and not (article and _vowel(o) != _vowel(word))]
        if free:
            chosen = random.Random(f"{sentence} {i}").choice(free)  # noqa: S311
            written = chosen.capitalize() if sentence[start].isupper() else chosen
            yield sentence[:start] + written + sentence[end:], start, family


def _cause(model: PairModel, first: str, second: str, start: int, kind: str, label: str) -> Cause:
    words = model.bind(first, second).words
    return Cause(first, second, label, tuple(i for i, w in enumerate(words) if w.start <= start < w.end), kind)


def _vowel(word: str) -> bool:
    return word.startswith(("a", "e", "i", "o", "u", "hour", "8", "11"))
