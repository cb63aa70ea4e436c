"""Word alignments by people: from the pairs of positions in a file to the words of an explanation."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from gmask.dataset.example import Alignment, Links
from gmask.dataset.table import Row
from gmask.pair import Word

__all__ = ["aligned_words", "alignment_of"]

_TOKEN = re.compile(r"\S+")
_LINK = re.compile(r"(\d+)-(\d+)", re.ASCII)


def alignment_of(row: Row, texts: tuple[str, str]) -> Alignment | None:
    """What people aligned in a row with the columns `sure` and `possible`: "i-j", with spaces; None without them."""
    columns = {name.lower(): name for name in row.fields}
    if not {"sure", "possible"} <= columns.keys():
        return None
    return Alignment(_links(row, columns["sure"], texts), _links(row, columns["possible"], texts))


def _links(row: Row, column: str, texts: tuple[str, str]) -> Links:
    counts = [len(text.split()) for text in texts]
    found = []
    for written in str(row.fields[column] or "").split():
        link = _LINK.fullmatch(written)
        if link is None or int(link[1]) >= counts[0] or int(link[2]) >= counts[1]:
            wanted = f"positions i-j below {counts[0]} and {counts[1]}, as many white-space tokens as there are"
            raise row.error(f"{written!r} is no link; wanted are {wanted}", column)
        found.append((int(link[1]), int(link[2])))
    return tuple(sorted(found))


def aligned_words(words: Sequence[Word], texts: Sequence[str], alignment: Alignment) -> np.ndarray:
    """Whether people aligned two words, surely or possibly, bool `[words, words]`; the same both ways.

    A word is aligned as the white-space tokens it stands in are. Punctuation is a word like any other.

    Args:
        words: The words of a pair, with their character offsets.
        texts: Its two texts.
        alignment: Of the example.
    """
    tokens = [[m.span() for m in _TOKEN.finditer(text)] for text in texts]

    def within(side: int, position: int) -> list[bool]:
        start, end = tokens[side][position]
        return [w.sentence == side and w.start < end and start < w.end for w in words]

    aligned = np.zeros((len(words), len(words)), dtype=bool)
    for i, j in (*alignment.sure, *alignment.possible):
        aligned |= np.outer(within(0, i), within(1, j))
    return aligned | aligned.T
