"""Cutting a text into the words a person reads: atoms first, then what belongs together."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["Span", "atoms", "segment"]

Span = tuple[int, int]

# Thai, Lao, Burmese, Khmer: letters, vowels before them, what stands around them, what stacks them and what closes a
# syllable. Letters can close one by themselves, but for Burmese, and unless the one after them does.
_LETTER = "ก-ฮກ-ຮໜ-ໟက-ဪဿၐ-ၕក-ឳ"
_LEAD, _OPEN = "เ-โເ-ໂ", "ใไໃໄ"
_AROUND = "ะ-\u0e3aๅ\u0e47-\u0e4eະ-ຽ\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u17b4-\u17d3\u17dd"
_STACKS = "\u1039\u17d2"
_CLOSES = "\u0e4c\u0ecc\u103a\u17cb\u17cd"
_HEAD = f"(?:[กขคตทปผพส](?=[รลว][{_AROUND}])|[หຫ](?=[งญนมยรลวງຍນມຣລວ][{_AROUND}]))?[{_LETTER}]"
_VOWEL = f"(?:[{_AROUND}]|(?<=[{_STACKS}])[{_LETTER}])+"
_BARE = f"[ก-ฮກ-ຮໜ-ໟក-ឳ](?![{_AROUND}]|[{_LETTER}][{_CLOSES}])"
_CLOSED = f"[{_LETTER}][{_CLOSES}][{_AROUND}]*"
_FINAL = f"(?:{_CLOSED}|[อวອວ]{_BARE}|{_BARE})"
_RATE = r"[^\W\d_]{1,3}/(?:h|s|min|kg|g|l|L|km|m[²³]?|d)(?!\w)"
_ADDRESS = r"[\w.~:/?#@!$&*+,;=%()\[\]-]*[\w/#=&~+-]"

# What is one word although it has several atoms. Addresses are ASCII: a text without spaces may go on after them.
_TOGETHER = (
    rf"(?a:(?<!\w)(?:https?://|ftp://|www\.){_ADDRESS})",
    r"(?a:(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+)",
    rf"(?a:(?<![\w.-])(?:[\w-]+\.)+(?:com|edu|gov|net|org)(?!\w)(?:/(?:{_ADDRESS})?)?)",
    r"(?<![\w.,/-])\d{1,4}([/.-])\d{1,2}\1\d{1,4}(?![\w/-])|(?<![\w./])\d+/\d+(?![\w/])",  # dates, fractions
    rf"(?:(?<!\w)[−±])?[$€£¥₹]?\d+(?:[.,:]\d+)*(?:[eE][+-]?\d+(?!\w)|[%‰$€£¥₹]|°[CFK]?|{_RATE})?",
    rf"°[CFK](?!\w)|(?<=\d ){_RATE}",  # units apart from their numbers
    "[ぁ-ゟ][ぁ-ゟー]*|[ァ-ヿ]+",
    f"[{_LEAD}]?{_HEAD}{_VOWEL}{_FINAL}?[ๆฯໆៗ]?",  # syllables: with a vowel around, before, or not written
    f"[{_OPEN}]{_HEAD}[{_AROUND}]*(?:{_CLOSED}|ย(?![{_AROUND}]))?[ๆฯໆៗ]?",
    f"[{_LEAD}]{_HEAD}{_FINAL}{{0,2}}|[{_LETTER}]{_FINAL}?",
)
_CHINESE = re.compile("|".join(_TOGETHER))
_JAPANESE = re.compile("|".join((*_TOGETHER, "[々〆〇\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")))
_KANA = re.compile("[ぁ-ヿ]")


def segment(text: str) -> list[Span]:
    """Cut a text into the spans of its words; punctuation marks are words of their own.

    Addresses, and numbers with their signs and units (3.5%, $20, 10:30, 5m/s, 2024-05-06), are whole. Where words are
    not spaced, a Chinese character is a word; in a Japanese text, one with kana, a run of the same script is; Thai,
    Lao, Burmese and Khmer are cut at what looks like the end of a syllable.
    """
    together = (_JAPANESE if _KANA.search(text) else _CHINESE).finditer(text)
    spans: list[Span] = []
    low, high = 0, 0  # of the last match
    for start, end in atoms(text):
        within = bool(spans) and low < spans[-1][1] and start < high
        while high <= start and (match := next(together, None)):
            low, high = match.span()
        if within:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def atoms(text: str) -> list[Span]:
    """The finest cut: letters and digits in runs, and each character of its own where words are not spaced."""
    spans: list[Span] = []
    start = None  # of the atom that is being read
    for i, c in enumerate(text):
        kind = _kind(c)
        if start is not None and (kind == "mark" or _continues(text, i, kind)):
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
    return "unspaced" if _within(c, *_UNSPACED) else "letter"


_UNSPACED = (
    *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF)),  # Thai and Lao, Burmese, Khmer
    *((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)),  # kana, ideographs
)


def _within(c: str, *ranges: Span) -> bool:
    return any(low <= ord(c) <= high for low, high in ranges)


def _continues(text: str, i: int, kind: str) -> bool:
    """Whether the character at `i` belongs to the atom before it."""
    before, after = text[i - 1], text[i + 1 : i + 2]
    if before == "\u200d":
        return True
    if kind == "sign":  # an apostrophe within a word, a point or comma within a number
        inner = (
            (c.isalpha() for c in (before, after)) if text[i] in "'\u2019" else (c.isdigit() for c in (before, after))
        )
        return text[i] in "'\u2019.," and all(inner)
    if kind != "letter":
        return False
    if before in "'\u2019.," and i > 1:
        return _continues(text, i - 1, "sign")
    return _kind(before) in ("letter", "mark")
