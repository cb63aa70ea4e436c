"""Two texts and their words: what a person reads, with character offsets into the original text."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from gmask.errors import GmaskError
from gmask.segmentation import Span, segment

__all__ = ["Span", "Word", "check_pair", "check_text", "has_words", "segment", "unread"]

SIDES = ("first", "second", "third")
THIRD = 2  # the side of a text that the second one is held against, beside the same first text
MAX_CHARACTERS = 200_000
MAX_WORDS = 2_000


@dataclass(frozen=True, slots=True, repr=False)
class Word:
    """A word of the first (0) or second (1) sentence, or of a third text (2), and where it stands there."""

    text: str
    sentence: int
    start: int
    end: int

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Word {self.text!r} in the {SIDES[self.sentence]}, at {self.start}>"


def unread(words: Sequence[Word], read: Sequence[Word]) -> str:
    """How many of a pair's words at the end of its texts are not among those that are read, and where they begin."""
    known = {(w.sentence, w.start) for w in read}
    told = []
    for side, place in enumerate(SIDES):
        gone = [w for w in words if w.sentence == side and (w.sentence, w.start) not in known]
        if gone:
            were, beginning = "word was" if len(gone) == 1 else "words were", " ".join(w.text for w in gone[:4])
            told.append(f"{len(gone)} {were} cut off the {place} text and never read, from “{beginning}” on")
    return "; ".join(told)


def has_words(text: str) -> bool:
    """Whether there is more in a text than punctuation."""
    return any(c.isalnum() or unicodedata.category(c) == "So" for c in text)


def check_pair(first: object, second: object) -> tuple[str, str]:
    """The two texts, if they are two texts with something to read in them."""
    needs = "both sentences need at least one word"
    return check_text(first, "the first sentence", needs), check_text(second, "the second sentence", needs)


def check_text(text: object, name: str, needs: str = "it needs at least one word") -> str:
    """A text, if it is one with something to read in it; what is wrong with it is told by its name."""
    if not isinstance(text, str):
        raise GmaskError(f"{name} must be a text, not {type(text).__name__}")
    if not text.strip():
        raise GmaskError(f"{name} is empty; {needs}")
    if "\0" in text:
        raise GmaskError(f"{name} has a NUL byte; remove it")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise GmaskError(f"{name} is not valid Unicode text (UTF-8 expected)") from None
    if (words := len(text.split())) > MAX_WORDS:
        raise GmaskError(f"{name} has {words:,} words; at most {MAX_WORDS:,} can be explained")
    if len(text) > MAX_CHARACTERS:
        raise GmaskError(f"{name} has {len(text):,} characters; at most {MAX_CHARACTERS:,} can be explained")
    if not has_words(text):
        raise GmaskError(f"{name} {text.strip()[:20]!r} has no words, only punctuation")
    return str(text)
