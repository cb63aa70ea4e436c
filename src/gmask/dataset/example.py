"""A labelled pair, with the words people marked or aligned in it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Alignment", "Example", "Highlights", "Links", "Positions"]

Positions = tuple[int, ...]
# Per annotator: the positions of the white-space tokens marked in each sentence; None for a sentence nobody annotated.
Highlights = tuple[tuple[Positions | None, Positions | None], ...]
Links = tuple[tuple[int, int], ...]  # positions of white-space tokens of the first and the second sentence


@dataclass(frozen=True)
class Alignment:
    """The words of the two sentences that mean the same by people's account, surely or possibly."""

    sure: Links
    possible: Links = ()


@dataclass(frozen=True)
class Example:
    """A pair of texts; `highlights` holds what each annotator marked, `alignment` what people aligned, if they did."""

    first: str
    second: str
    label: str | None = None
    id: str | None = None
    highlights: Highlights = ()
    alignment: Alignment | None = None
