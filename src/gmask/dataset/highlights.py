"""The words people marked: from the publishers' notations to positions, and from positions to words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from gmask.dataset.example import Highlights, Positions
from gmask.dataset.table import Row
from gmask.pair import Word

__all__ = ["annotated_words", "highlighted_words", "highlights_of", "marked_positions"]

_TOKEN = re.compile(r"\S+")


def highlighted_words(words: Sequence[Word], texts: Sequence[str], highlights: Highlights) -> np.ndarray:
    """Whether each annotator marked each word, bool `[annotators, words]`.

    People mark white-space tokens; punctuation that hangs on to a marked token was not what they meant, and is not
    marked unless it is all there is.

    Args:
        words: The words of a pair, with their character offsets.
        texts: Its two texts.
        highlights: Of the example.
    """
    tokens = [[m.span() for m in _TOKEN.finditer(text)] for text in texts]
    marked = np.zeros((len(highlights), len(words)), dtype=bool)
    for row, annotator in zip(marked, highlights, strict=True):
        for i, word in enumerate(words):
            for position in annotator[word.sentence] or ():
                start, end = tokens[word.sentence][position]
                row[i] |= start <= word.start < end and _meant(word.text, texts[word.sentence][start:end])
    return marked


def annotated_words(words: Sequence[Word], highlights: Highlights) -> np.ndarray:
    """Whether each annotator was asked about the sentence of each word, bool `[annotators, words]`."""
    return np.array([[a[w.sentence] is not None for w in words] for a in highlights], dtype=bool)


def _meant(word: str, token: str) -> bool:
    return _spoken(word) or not _spoken(token)


def _spoken(text: str) -> bool:
    return any(c.isalnum() for c in text)


def marked_positions(sentence: str, marked: str) -> Positions | None:
    """The positions of the white-space tokens within `*stars*`; None if `marked` is not `sentence` with stars."""
    tokens, starred = sentence.split(), marked.split()
    if [t.replace("*", "") for t in tokens] != [t.replace("*", "") for t in starred]:
        return None
    positions, within = [], False
    for i, (token, star) in enumerate(zip(tokens, starred, strict=True)):
        stars = star.count("*") - token.count("*")  # a sentence may have stars of its own
        if stars > 0 or within:
            positions.append(i)
        within ^= stars % 2 == 1
    return tuple(positions)


def highlights_of(row: Row, texts: tuple[str, str]) -> Highlights:
    """What the annotators of a row marked: e-SNLI's `Sentence1_marked_1`, ... columns, or JSON fields `h1` and `h2`.

    JSON rows hold `h1` and `h2`, lists of positions, themselves or in a list `annotators`. Where `ambiguous` is true
    the positions are unsure and not taken.
    """
    if "annotators" in row.fields or "h1" in row.fields or "h2" in row.fields:
        annotators = row.fields.get("annotators", [row.fields])
        if not isinstance(annotators, list) or not all(isinstance(a, dict) for a in annotators):
            raise row.error("a list of objects is wanted", "annotators")
        return tuple((_listed(row, a, "h1", texts[0]), _listed(row, a, "h2", texts[1])) for a in annotators)
    names = {name.lower(): name for name in row.fields}
    found: list[tuple[Positions, Positions]] = []
    for number in range(1, 4):
        columns = [names.get(f"sentence{s}_marked_{number}") for s in (1, 2)]
        values = [row.fields[c] if c is not None else "" for c in columns]
        if not any(values):
            break
        first, second = (_starred(row, str(c), str(v), t) for c, v, t in zip(columns, values, texts, strict=True))
        found.append((first, second))
    return tuple(found)


def _starred(row: Row, column: str, marked: str, text: str) -> Positions:
    positions = marked_positions(text, marked)
    if positions is None:
        raise row.error("is not the sentence with *marked* words", column)
    return positions


def _listed(row: Row, annotator: dict[str, Any], column: str, text: str) -> Positions | None:
    positions = annotator.get(column)
    if positions is None or annotator.get("ambiguous"):
        return None
    tokens = len(text.split())
    if not isinstance(positions, list) or not all(type(p) is int and 0 <= p < tokens for p in positions):
        raise row.error(f"a list of positions of the {tokens} white-space tokens is wanted", column)
    return tuple(positions)
