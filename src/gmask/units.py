"""What stays and goes as one: words, sentences, or sentences first and then the words of those that matter."""

from __future__ import annotations

from gmask.errors import any_case, one_of
from gmask.model.bound import BoundPair
from gmask.model.grouped import GroupedPair, sentences_of

__all__ = ["UNITS", "check_units", "in_units"]

UNITS = ("auto", "sentences", "words")


def check_units(units: object) -> str:
    """A choice of units."""
    known = any_case(units, UNITS)
    if known is None:
        raise one_of("units", units, UNITS)
    return known


def in_units(bound: BoundPair, units: str) -> BoundPair:
    """The pair as it is asked about: word by word, or with its sentences as words."""
    return GroupedPair(bound, sentences_of(bound)) if units == "sentences" else bound
