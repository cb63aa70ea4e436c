"""Two texts and their words: what a person reads, with character offsets into the original text."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from gmask.errors import GmaskError

__all__ = ["Word", "check_pair", "segment"]

MAX_CHARACTERS = 200_000
MAX_WORDS = 2_000

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the first (0) or second (1) sentence, and where it stands there."""

    text: str
    sentence: int
    start: int
    end: int

    def __str__(self) -> str:
        return self.text


def check_pair(first: object, second: object) -> tuple[str, str]:
    """The two texts, if they are two texts with something to read in them."""
    for place, text in (("first", first), ("second", second)):
        if not isinstance(text, str):
            raise GmaskError(f"the {place} sentence must be a text, not {type(text).__name__}")
        if not text.strip():
            raise GmaskError(f"the {place} sentence is empty; both sentences need at least one word")
        if "\0" in text:
            raise GmaskError(f"the {place} sentence has a NUL byte; remove it")
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise GmaskError(f"the {place} sentence is not valid Unicode text (UTF-8 expected)") from None
        if (words := len(text.split())) > MAX_WORDS:
            raise GmaskError(f"the {place} sentence has {words:,} words; at most {MAX_WORDS:,} can be explained")
        if len(text) > MAX_CHARACTERS:
            raise GmaskError(
                f"the {place} sentence has {len(text):,} characters; at most {MAX_CHARACTERS:,} can be explained"
            )
        if not any(c.isalnum() or unicodedata.category(c) == "So" for c in text):
            raise GmaskError(f"the {place} sentence {text.strip()[:20]!r} has no words, only punctuation")
    return str(first), str(second)


def segment(text: str, *, pieces: bool = False) -> list[Span]:
    """Cut a text into the spans of its words; punctuation marks are words of their own.

    Ideographs and kana, written without spaces, are a word each. In other scripts without spaces (Thai, Lao, Burmese,
    Khmer) a character is rarely a word.

    Args:
        text: Any text.
        pieces: Cut those scripts into characters too, for a tokenizer to put together again. Default: runs stay whole.
    """
    spans: list[Span] = []
    start = None  # of the word that is being read
    for i, c in enumerate(text):
        kind = _kind(c)
        if start is not None and (kind == "mark" or _continues(text, i, kind, pieces=pieces)):
            spans[-1] = (start, i + 1)
        elif kind == "space":
            start = None
        else:
            start = i
            spans.append((i, i + 1))
    return spans


@lru_cache(maxsize=4096)
def _kind(c: str) -> str:
    category = unicodedata.category(c)
    if c.isspace():
        return "space"
    if category[0] == "M" or c in "\u200c\u200d\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff":
        return "mark"  # accents, joiners, skin tones: part of what stands before them
    if category[0] == "Z" or category in ("Cc", "Cf", "Cs"):
        return "space"
    if category[0] not in "LN":
        return "sign"
    if _within(c, (0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)):
        return "ideograph"
    return "unspaced" if _within(c, (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF)) else "letter"


def _within(c: str, *ranges: Span) -> bool:
    return any(low <= ord(c) <= high for low, high in ranges)


def _continues(text: str, i: int, kind: str, *, pieces: bool) -> bool:
    """Whether the character at `i` belongs to the word before it."""
    before, after = text[i - 1], text[i + 1 : i + 2]
    if before == "\u200d":
        return True
    if kind == "sign":  # an apostrophe within a word, a point or comma within a number
        inner = (
            (c.isalpha() for c in (before, after)) if text[i] in "'\u2019" else (c.isdigit() for c in (before, after))
        )
        return text[i] in "'\u2019.," and all(inner)
    if kind not in ("letter", "unspaced"):
        return False
    if before in "'\u2019.," and i > 1:
        return _continues(text, i - 1, "sign", pieces=pieces)
    return _kind(before) in (kind, "mark") and not (pieces and kind == "unspaced")
