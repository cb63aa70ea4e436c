"""Cutting a text into its sentences, by what stands around a full stop; no model and no list of a language's rules.

A mark ends a sentence unless something says otherwise: an abbreviation or an initial before it, a number around it, a
small letter after it in a text that has capitals. A text that is written small throughout, and one whose full stops
stand by themselves, is read as such. Lines end sentences where they look like headings or items of a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gmask.language import COMMON
from gmask.segmentation import Span

__all__ = ["split"]

_CLOSING = "\"'”’»›)\\]}）」』】〉》"
_WIDE = "。！？｡．"  # of texts without spaces: whatever follows
_MARK = re.compile(rf"[{_WIDE}]+[{_CLOSING}]*|(?:[.!?…؟।]+|\s\.)[{_CLOSING}]*(?=\s|$)")
_ITEM = re.compile(r"\s*(?:[-*•‣–—]\s|\(?(?:\d{1,3}|[a-zA-Z])[.)]\s)")
_LINE = re.compile(r"[^\S\n]*\n\s*")
_HEADING = 50  # characters: a line that is shorter was ended on purpose

# What stands before a full stop that ends no sentence, without its last stop.
_SHORT = frozenset(
    """abb abs adm al appl approx apr assoc aug ave bd bldg bzw ca capt cf ch chap cit co corp dec dept dipl doz dr
    ed eds eq eqn eqns eqs etc evtl feb fig figs ft ggf gov hon hr hrsg ibid inc incl inkl jan jr jul jun kap
    lt ltd mio mme mr mrd mrs ms mt mwst nov nr oct phys pp prof publ ref refs resp rev sec sect sects sen
    sept sgt soc sog sr sra srta st std str supp tel univ usw vgl viz vol vols vs zzgl""".split()  # noqa: SIM905
)
_CLOSERS = frozenset("al co corp etc inc jr ltd sr usw".split())  # noqa: SIM905  # these may end one as well
_COUNTED = frozenset("art col max min no nos op par pat pl tab".split())  # noqa: SIM905  # words, unless a number follows
_MEASURE = re.compile(r"\d[\d.,]*-?[^\W\d_]{1,3}")  # as in 12-in.
_STARTS = frozenset().union(*(COMMON[code] for code in ("en", "de", "fr", "es", "it", "pt", "nl")))


def split(text: str) -> list[Span]:
    """Cut a text into the spans of its sentences, in their order; every character that is no space is in one of them.

    Args:
        text: Any text.

    Returns:
        Spans that neither overlap nor begin or end with a space; none, where there is nothing but spaces.
    """
    small = not any(c.isupper() for c in text)
    ends = sorted({*_lines(text), *(end for end in _marks(text, small=small))})
    spans: list[Span] = []
    for start, end in zip([0, *ends], [*ends, len(text)], strict=True):
        part = text[start:end]
        left, right = start + len(part) - len(part.lstrip()), start + len(part.rstrip())
        if left >= right:
            continue
        worded = any(c.isalnum() for c in part)
        if spans and not (worded and any(c.isalnum() for c in text[spans[-1][0] : spans[-1][1]])):
            spans[-1] = (spans[-1][0], right)  # marks by themselves belong to what stands beside them
        else:
            spans.append((left, right))
    return spans


def _lines(text: str) -> Iterator[int]:
    """Where lines end that are paragraphs, headings or items."""
    start = 0
    for match in _LINE.finditer(text):
        line, following = text[start : match.start()], text[match.end() : match.end() + 1]
        apart = match.group().count("\n") > 1 or _ITEM.match(text, match.end()) is not None
        ended = line.rstrip()[-1:] in tuple(":;") or (bool(_ITEM.match(line)) and not following.islower())
        short = 0 < len(line) < _HEADING and not following.islower() and not line.rstrip().endswith((",", "-"))
        if apart or ended or short:
            yield match.end()
        start = match.end()


def _marks(text: str, *, small: bool) -> Iterator[int]:
    """Where marks end sentences."""
    for match in _MARK.finditer(text):
        mark, rest = match.group(), text[match.end() :].lstrip()[:40]
        if mark[0] in _WIDE:  # a quotation within a sentence ends none
            if mark[-1] in _WIDE or not text[match.end() : match.end() + 1].isalnum():
                yield match.end()
        elif not rest or _ends(text[: match.start()][-40:], mark, rest, small=small):
            yield match.end()


def _ends(before: str, mark: str, rest: str, *, small: bool) -> bool:
    """Whether a mark ends a sentence, by what stands before and after it."""
    opening = rest.lstrip("\"'“„‘’«‹([{¿¡—–- ")[:1]
    if mark[0].isspace():  # a stop by itself, as some corpora write it: but " . 5" is a number
        return not rest[0].isdigit() and rest[0] != "." and not before.endswith(".")
    if opening.islower() and not small:
        return False
    stops = mark.rstrip(_CLOSING.replace("\\", ""))
    if stops != ".":
        return not (small and stops in ("...", "…"))
    word = re.split(r"[\s(\[\"'“„‘«]", before)[-1].lower()
    follower = re.match(r"[^\W\d_]*", rest.lstrip("\"'“„‘«(["))
    begins = not small and follower is not None and follower.group().lower() in _STARTS
    if word.isdigit() and len(word) < 3:  # an item's number, a date
        return begins and bool(before.strip(" \n\t0123456789"))
    if re.fullmatch(r"[^\W\d_](?:\.[^\W\d_])*", word):  # an initial; e.g., U.S.
        return begins and len(word) > 1 and word not in ("e.g", "i.e", "z.b", "d.h")
    if _MEASURE.fullmatch(word) or (word in _COUNTED and rest[0].isdigit()):
        return begins
    if word in _SHORT or word.rpartition(".")[2] in _SHORT:
        return begins and word in _CLOSERS
    return True
