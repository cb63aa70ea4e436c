"""The paper's Figure 1 as coordinates: words on both sides, groups between. Drawn as SVG, PNG and PDF."""

from __future__ import annotations

import textwrap
import unicodedata
from dataclasses import dataclass
from itertools import groupby

from gmask.explanation import Explanation
from gmask.view.parts import LINKED, Reason, classes, headline, number, question, reasons, shades, sides, visible

__all__ = ["Layout", "Link", "Node", "Row", "lay_out"]

ROW = 25.0  # the height of a word
FONT = 15.0
SMALL = 12.0
BLOCK = 16.0  # the side of a word's block
NODE = (150.0, 44.0)
GAP = 62.0  # from one group to the next
MIDDLE = 240.0  # between the blocks of the two sides
MARGIN = 16.0
LONGEST = 17  # characters of a word that are shown
MOST = 24  # rows a side; of longer sentences only what matters is shown


@dataclass(frozen=True)
class Row:
    """A word beside its block, or (without a word) a stretch that is left out."""

    text: str
    full: str
    word: int | None
    sentence: int
    shade: float
    y: float

    @property
    def column(self) -> int:
        """The left one for the first sentence, the right one for all others."""
        return min(self.sentence, 1)


@dataclass(frozen=True)
class Node:
    """A group."""

    reason: Reason
    y: float
    label: str
    caption: str


@dataclass(frozen=True)
class Link:
    """A line from a word's block to a group."""

    word: int
    group: int
    sentence: int
    strength: float
    y: float
    to: float


@dataclass(frozen=True)
class Layout:
    """Where everything stands, in pixels from the top left corner."""

    width: float
    height: float
    title: str
    subtitle: str
    rows: list[Row]
    nodes: list[Node]
    links: list[Link]
    notes: list[str]
    names: tuple[str, str]  # of the columns
    blocks: tuple[float, float]  # the left edges of the blocks of each side
    top: float  # of the rows
    foot: float  # of the first note

    @property
    def centre(self) -> float:
        """Where the groups stand."""
        return (self.blocks[0] + BLOCK + self.blocks[1]) / 2

    def heads(self) -> list[tuple[float, str, str]]:
        """The heads of the columns: where, what, and which end of the text stands there."""
        left, right = self.blocks
        middle = [(self.centre, "reasons", "middle")] if self.nodes else []
        return [(left + BLOCK, self.names[0], "end"), *middle, (right, self.names[1], "start")]


def lay_out(e: Explanation, *, titled: bool = True) -> Layout:
    """Place the words, groups and lines of an explanation.

    Args:
        e: The explanation.
        titled: Leave room for what the model said and for the notes, which a page says elsewhere.
    """
    shade = shades(e)
    linked = [r for r in reasons(e) if max(r.group.memberships) >= LINKED]
    columns = [_side(e, sentence, shade, linked) for sentence in (0, 1)]
    names = ("first sentence", "second sentence")
    if e.over is not None:
        names = (sides(e)[0], sides(e)[1])
        columns[1] += [("", 2, None), (sides(e)[2], 2, None), *_side(e, 2, shade, linked)]
    widths = [max((_width(text) for text, _, _ in side), default=0.0) for side in columns]
    widths = [max(w, 100.0) for w in widths]  # the column heads need as much

    left = MARGIN + widths[0] + 8
    right = left + BLOCK + (MIDDLE if linked else MIDDLE / 3)
    width = right + BLOCK + 8 + widths[1] + MARGIN
    notes = [line for note in e.notes() for line in textwrap.wrap(visible(note), int(width / 7.6))] if titled else []

    top = MARGIN + (62 if titled else 0) + 30
    body = max(*(len(side) * ROW for side in columns), len(linked) * GAP)
    rows = [
        Row(text, visible(e.words[i].text) if i is not None else text, i, s, shade[i] if i is not None else 0.0, y)
        for side in columns
        for (text, s, i), y in zip(side, _spread(len(side), ROW, top, body), strict=True)
    ]
    gap = max(GAP, min(body / max(len(linked), 1), 2 * GAP))
    nodes = [
        Node(reason, y, f"{reason.rank} · {number(reason.group.importance)}", _caption(reason))
        for reason, y in zip(linked, _spread(len(linked), gap, top, body), strict=True)
    ]
    links = [
        Link(row.word, node.reason.position, row.sentence, m, row.y, node.y)
        for node in nodes
        for row in rows
        if row.word is not None and (m := node.reason.group.memberships[row.word]) >= LINKED
    ]
    foot = top + body + 24
    height = (foot + 18 * (len(notes) - 1) + MARGIN) if notes else top + body + MARGIN
    title, subtitle = (_short(text, int(width / size)) for text, size in ((headline(e), 13), (_subtitle(e), 9)))
    return Layout(width, height, title, subtitle, rows, nodes, links, notes, names, (left, right), top, foot)


def _side(e: Explanation, sentence: int, shade: list[float], linked: list[Reason]) -> list[tuple[str, int, int | None]]:
    """The rows of a sentence; of a long one the words that matter most, and how many stand between them."""
    words = [i for i, w in enumerate(e.words) if w.sentence == sentence]
    if len(words) > MOST:
        weight = {i: max(shade[i], *(r.group.memberships[i] for r in linked), 0.0) for i in words}
        shown = {i for i in sorted(words, key=lambda i: -weight[i])[: MOST // 2] if weight[i] > 0}
    else:
        shown = set(words)
    rows: list[tuple[str, int, int | None]] = []
    for left_out, stretch in groupby(words, key=lambda i: i not in shown):
        some = list(stretch)
        if left_out and len(some) > 1:
            rows.append((f"… {len(some)} words …", sentence, None))
        else:
            rows += [(_short(visible(e.words[i].text), LONGEST), sentence, i) for i in some]
    return rows


def _spread(count: int, gap: float, top: float, body: float) -> list[float]:
    """The middles of `count` rows, centred in the body."""
    first = top + (body - count * gap) / 2 + gap / 2
    return [first + i * gap for i in range(count)]


def _caption(reason: Reason) -> str:
    group = reason.group
    if not reason.sure or group.kept is None or group.removed is None:
        return ""
    return f"alone {number(group.kept)} · without {number(group.removed)}"


def _subtitle(e: Explanation) -> str:
    """What the model did not say, or, if something else was asked, the question."""
    if e.score is not None or e.against is not None or e.target != e.label:
        return f"{question(e)} {number(e.value)}" if e.score is None else question(e)
    return " · ".join(f"{name} {number(p)}" for name, p in classes(e) if name != visible(e.label))


def _short(text: str, longest: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _width(text: str) -> float:
    """About how wide a text is, in pixels: fonts differ, so this errs on the wide side."""
    total = 0.0
    for c in text:
        if unicodedata.east_asian_width(c) in "WF":
            total += 1.05
        elif c in "iljtfI.,;:'|!()[] ":
            total += 0.38
        elif c in "mwMW@%" or c.isupper():
            total += 0.88
        elif unicodedata.category(c)[0] != "M":
            total += 0.62
    return total * FONT
