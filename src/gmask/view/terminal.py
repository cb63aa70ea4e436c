"""The terminal's view: colour where it is wanted, else plain text with important words in brackets."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from io import StringIO

from rich.console import Console, Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from gmask.explanation import Explanation
from gmask.view.colours import DARK, LIGHT, mix
from gmask.view.parts import (
    Reason,
    classes,
    headline,
    measure,
    named,
    number,
    opposing,
    origin,
    phrase,
    question,
    ranked_sentences,
    reasons,
    runs,
    shades,
    sides,
    stretches,
    supporting,
    visible,
)

__all__ = ["bar", "printed", "to_text", "width_of"]

WIDEST = 100
BAR = 20
BRACKETED = 0.25  # in plain text a word is marked if its attribution is at least this share of the strongest
REASONS = 6
SENTENCES = 5
DECIDES = "▸"  # before a sentence of a long text that decides
LISTED = 4  # words for it, and words against it
GREY = "#9a9da3"  # as bright as the marks, so that these lose colour, not light, and suit dark and light terminals
# Between the light and the dark palette: text and bars that can be read on either.
LINE = mix(LIGHT.link, DARK.link, 0.4)
BETWEEN = [mix(light, dark, 0.55) for light, dark in zip(LIGHT.sentences, DARK.sentences, strict=True)]


def to_text(e: Explanation, *, colour: bool, width: int | None = None) -> str:
    """What the terminal shows.

    Args:
        e: The explanation.
        colour: Use colours; otherwise the text has no escape codes.
        width: Columns. Default: the terminal's, at most 100.
    """
    columns = width_of(width)
    parts = [
        _verdict(e),
        _sentences(e, colour),
        *_notes(e),
        *_decisive(e),
        _reasons(e),
        _evidence(e, columns),
        _origin(e),
    ]
    return printed(parts, columns, colour=colour)


def width_of(width: int | None) -> int:
    """The columns asked for, or those of the terminal, at most 100."""
    return width or min(shutil.get_terminal_size((WIDEST, 24)).columns, WIDEST)


def printed(parts: Sequence[RenderableType], columns: int, *, colour: bool) -> str:
    """Parts one below the other, with an empty line between them."""
    out = StringIO()
    many = os.environ.get("COLORTERM", "") in ("truecolor", "24bit")
    console = Console(
        file=out,
        width=max(columns, 30),
        force_terminal=colour,
        color_system=("truecolor" if many else "256") if colour else None,
        no_color=not colour,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for i, part in enumerate(parts):
        if i:
            console.print()
        console.print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _verdict(e: Explanation) -> RenderableType:
    value = f" {number(e.value)}" if e.score is None else ""
    asked = Text(f"{_line(question(e))}{value}")
    if e.score is not None:
        return Text.assemble((headline(e), "bold"), "  ", asked)
    bars = Table.grid(padding=(0, 1))
    for name, p in classes(e):
        style = "bold" if name == visible(e.label) else ""
        bars.add_row(Text(_line(name), style), bar(p), Text(number(p), style))
    return Group(bars, asked) if e.against is not None or e.target != e.label else bars


def bar(share: float, length: int = BAR) -> Text:
    """A bar that is as full as a share."""
    full = round(8 * length * min(max(share, 0.0), 1.0))
    return Text(("█" * (full // 8) + " ▏▎▍▌▋▊▉"[full % 8]).strip().ljust(length), LINE)


def _sentences(e: Explanation, colour: bool) -> RenderableType:
    shade = shades(e)
    marked = {i for i in e.order()[:10] if shade[i] >= BRACKETED}
    grid = Table.grid(padding=(0, 2, 0, 0))
    for sentence in range(len(e.texts)):
        text = Text(overflow="fold")
        for own, part in stretches(e, runs(e, sentence)):
            if own is not None and own.decisive:
                text.append(f"{DECIDES} ", BETWEEN[sentence])
            aside = "dim" if own is not None and not own.decisive else ""
            for run in part:
                plain = visible(run.text)
                if run.word is None or not shade[run.word]:
                    text.append(plain, aside)
                elif colour:
                    text.append(plain, _mark(sentence, shade[run.word]))
                else:
                    text.append(f"[{plain}]" if run.word in marked else plain)
        grid.add_row(Text(f"{sentence + 1}", "dim"), text)
    return grid


def _decisive(e: Explanation) -> list[RenderableType]:
    """What the sentences of a long text do, those that decide first."""
    if not e.sentences:
        return []
    table = Table.grid(padding=(0, 2, 0, 0))
    says = any(s.says is not None for s in e.sentences)
    table.add_row(*(Text(head, "dim") for head in ("", "sentence", "only it", "all but it", *["says"] * says)))
    for s in ranked_sentences(e)[:SENTENCES]:
        text = Text(_line(s.text), BETWEEN[s.sentence] if s.decisive else "dim", overflow="ellipsis", no_wrap=True)
        numbers = [Text(number(value), justify="right") for value in (s.kept, s.removed)]
        table.add_row(Text(DECIDES if s.decisive else ""), text, *numbers, *[Text(_line(s.says or ""))] * says)
    left = len(e.sentences) - SENTENCES
    return [Group(table, Text(f"and {left} more", "dim")) if left > 0 else table]


def _mark(sentence: int, shade: float) -> Style:
    return Style(color="#000000", bgcolor=mix(GREY, LIGHT.sentences[sentence], shade), bold=shade > 0.5)


def _reasons(e: Explanation) -> RenderableType:
    found = reasons(e)
    strong, against = supporting(e)[:LISTED], opposing(e)[:LISTED]
    names = named(e, [*strong, *against], _line)
    parts: list[RenderableType] = []
    if found:
        table = Table.grid(padding=(0, 2, 0, 0))
        heads = ("reason", "importance", *(f"in the {side}" for side in sides(e)), "alone keeps", "without it")
        table.add_row(*(Text(head, "dim") for head in heads))
        for reason in found[:REASONS]:
            table.add_row(*_reason(e, reason))
        parts.append(table)
        if len(found) > REASONS:
            parts.append(Text(f"and {len(found) - REASONS} more", "dim"))
    else:
        words = [f"{name} {number(e.attributions[i])}" for i, name in zip(strong, names, strict=False)]
        parts.append(Text("Strongest words: " + (", ".join(words) if words else "none")))
    if against:
        parts.append(Text("Against it: " + ", ".join(names[len(strong) :]), "dim"))
    return Group(*parts)


def _reason(e: Explanation, reason: Reason) -> list[Text]:
    group = reason.group
    sides = []
    for sentence, words in enumerate(reason.words):
        sides.append(Text(phrase(e, words), BETWEEN[sentence]) if words else Text("—", "dim"))
    proofs = [
        Text(number(value) if value is not None and reason.sure else "?", justify="right")
        for value in (group.kept, group.removed)
    ]
    blocks = "█" * round(6 * reason.share) or "▏"
    importance = Text.assemble(f"{number(group.importance)} ", (blocks, LINE))
    return [Text(f"{reason.rank:>3}", "bold"), importance, *sides, *proofs]


def _evidence(e: Explanation, columns: int) -> RenderableType:
    shown = max(min(len(e.evidence.kept), (columns - 18) // 6), 1)
    table = Table.grid(padding=(0, 2, 0, 0))
    for name, values, style in (
        ("top words", [f"{v:>4}" for v in range(1, shown + 1)], "dim"),
        ("only these", [number(v) for v in e.evidence.kept[:shown]], ""),
        ("all but these", [number(v) for v in e.evidence.removed[:shown]], ""),
    ):
        table.add_row(Text(name, style or "dim"), *(Text(v, style) for v in values))
    return Group(table, Text(_line(measure(e)), "dim"))


def _notes(e: Explanation) -> list[RenderableType]:
    grid = Table.grid(padding=(0, 2, 0, 0))
    for note in e.notes():
        grid.add_row(Text("!", "bold"), Text(_line(note), "bold"))
    return [grid] if grid.rows else []


def _origin(e: Explanation) -> Text:
    return Text(_line(origin(e)), "dim")


def _line(text: str) -> str:
    """A text on one line, and without what could steer the terminal."""
    return " ".join(visible(text).split())
