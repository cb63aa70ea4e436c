"""Tokens to words: which tokens of an encoded pair make up each word that a person reads."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np

from gmask.pair import Span, Word, segment

__all__ = ["align"]


def align(
    texts: Sequence[str], offsets: Sequence[Span], sequences: Sequence[int | None]
) -> tuple[list[Word], np.ndarray]:
    """The words of two texts that have tokens, and for each token the position of its word, -1 for special tokens.

    A token belongs to the words it overlaps. Words that share a token are one word, because they can only go together;
    so where words are not spaced, they are at least the tokenizer's own pieces. A token without visible characters
    goes with the word after it, or before it at the end. Words without tokens (cut off, or unseen by the tokenizer) are
    not words.

    Args:
        texts: The two texts.
        offsets: For each token the characters it stands for.
        sequences: For each token the text it comes from, None for special tokens.
    """
    words: list[Word] = []
    owners = np.full(len(offsets), -1)
    for sentence, text in enumerate(texts):
        tokens = [i for i, sequence in enumerate(sequences) if sequence == sentence]
        spans, places = _group(segment(text), [offsets[i] for i in tokens])
        for token, place in zip(tokens, places, strict=True):
            owners[token] = -1 if place is None else len(words) + place
        words += [Word(text[start:end], sentence, start, end) for start, end in spans]
    return words, owners


def _group(spans: list[Span], tokens: list[Span]) -> tuple[list[Span], list[int | None]]:
    """The spans that tokens touch, merged where one token touches several, and each token's place among them."""
    starts, ends = [s for s, _ in spans], [e for _, e in spans]
    touched = [(bisect_right(ends, start), bisect_left(starts, end) - 1) for start, end in tokens]
    joined = np.zeros(len(spans) + 1, dtype=bool)  # whether a span and the one before it are one word
    seen = np.zeros(len(spans), dtype=bool)
    for first, last in touched:
        joined[first + 1 : last + 1] = True
        seen[first : last + 1] = True
    found: list[Span] = []
    place_of: dict[int, int] = {}
    for i in np.flatnonzero(seen):
        if joined[i]:
            found[-1] = (found[-1][0], ends[i])
        else:
            found.append(spans[i])
        place_of[int(i)] = len(found) - 1
    places = [place_of[first] if first <= last else None for first, last in touched]
    return found, _fill(_fill(places[::-1])[::-1])


def _fill(places: list[int | None]) -> list[int | None]:
    """Each gap takes the place before it."""
    filled: list[int | None] = []
    for place in places:
        filled.append(filled[-1] if place is None and filled else place)
    return filled
