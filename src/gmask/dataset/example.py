"""A labelled pair, with the words people marked in it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Example", "Highlights", "Positions"]

Positions = tuple[int, ...]
# Per annotator: the positions of the white-space tokens marked in each sentence; None for a sentence nobody annotated.
Highlights = tuple[tuple[Positions | None, Positions | None], ...]


@dataclass(frozen=True)
class Example:
    """A pair of texts; `highlights` holds what each annotator marked, see `gmask.dataset.highlights`."""

    first: str
    second: str
    label: str | None = None
    id: str | None = None
    highlights: Highlights = ()
