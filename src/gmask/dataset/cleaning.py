"""The paper's cleaning: lowercase, no extra white space, no special characters."""

from __future__ import annotations

import re
from dataclasses import replace

from gmask.dataset.example import Example, Positions

__all__ = ["clean", "clean_example"]

# Words (with the apostrophes within them) and the marks that end sentences; the rest is special characters.
_KEPT = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[.?!]")


def clean(text: str) -> str:
    """The cleaned text: its words and sentence ends, in lowercase, one space between them."""
    return " ".join(_KEPT.findall(text.lower()))


def clean_example(example: Example) -> Example:
    """Both texts cleaned, and the highlights still on their words."""
    texts = (example.first, example.second)
    highlights = tuple((_moved(texts[0], first), _moved(texts[1], second)) for first, second in example.highlights)
    return replace(example, first=clean(texts[0]), second=clean(texts[1]), highlights=highlights)


def _moved(text: str, positions: Positions | None) -> Positions | None:
    if positions is None:
        return None
    moved, count = [], 0
    for i, token in enumerate(text.split()):
        pieces = clean(token).split()
        moved += [count + k for k, piece in enumerate(pieces) if i in positions and piece[0].isalnum()]
        count += len(pieces)
    return tuple(moved)
