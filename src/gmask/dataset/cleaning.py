"""The paper's cleaning: lowercase, no extra white space, no special characters."""

from __future__ import annotations

import re
from dataclasses import replace

from gmask.dataset.example import Alignment, Example, Links, Positions

__all__ = ["clean", "clean_example"]

# Words (with the apostrophes within them) and the marks that end sentences; the rest is special characters.
_KEPT = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[.?!]")


def clean(text: str) -> str:
    """The cleaned text: its words and sentence ends, in lowercase, one space between them."""
    return " ".join(_KEPT.findall(text.lower()))


def clean_example(example: Example) -> Example:
    """Both texts cleaned, and what people marked and aligned still on its words."""
    texts = (example.first, example.second)
    pieces = _pieces(texts[0]), _pieces(texts[1])
    cleaned = clean(texts[0]), clean(texts[1])
    tokens = cleaned[0].split(), cleaned[1].split()

    def marked(side: int, positions: Positions | None) -> Positions | None:
        if positions is None:
            return None
        return tuple(k for i in sorted(set(positions)) for k in pieces[side][i] if tokens[side][k][0].isalnum())

    def moved(links: Links) -> Links:
        return tuple((a, b) for i, j in links for a in pieces[0][i] for b in pieces[1][j])

    return replace(
        example,
        first=cleaned[0],
        second=cleaned[1],
        highlights=tuple((marked(0, first), marked(1, second)) for first, second in example.highlights),
        alignment=example.alignment and Alignment(moved(example.alignment.sure), moved(example.alignment.possible)),
    )


def _pieces(text: str) -> list[range]:
    """For each white-space token the positions of what cleaning leaves of it."""
    found, count = [], 0
    for token in text.split():
        left = len(clean(token).split())
        found.append(range(count, count + left))
        count += left
    return found
