"""How a ranking looks: a table in the terminal, a self-contained page with the explanations that were asked for."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from gmask.view.html import framed, markup, script, shielded
from gmask.view.parts import number, question, visible
from gmask.view.terminal import bar, printed, width_of

if TYPE_CHECKING:
    from gmask.ranking import Ranking

__all__ = ["fragment", "markup_of", "to_html", "to_text"]

EXCERPT = 200  # characters of a passage before the rest is folded away
LISTED = 50  # passages that the terminal shows


def shares(r: Ranking) -> dict[int, float]:
    """How long the bar of each passage is: a probability as it is, a raw score between the lowest and the highest."""
    scores = {i: score for i, score in enumerate(r.scores) if score is not None}
    low, high = (0.0, 1.0) if r.label is not None else (min(scores.values()), max(scores.values()))
    return {i: (score - low) / (high - low) if high > low else 1.0 for i, score in scores.items()}


def measure(r: Ranking) -> str:
    """What the scores are."""
    what = "raw scores" if r.label is None else f"probabilities of “{visible(r.label)}”"
    return f"{len(r.passages):,} passage{'s' * (len(r.passages) != 1)} · {what} · {visible(r.model.name)}"


def scored(r: Ranking, i: int) -> str:
    """The score of a passage, for people."""
    score = r.scores[i]
    return "not read" if score is None else number(score)


def to_text(r: Ranking, *, colour: bool, width: int | None = None) -> str:
    """What the terminal shows: the best passages, and the notes.

    Args:
        r: The ranking.
        colour: Use colours; otherwise the text has no escape codes.
        width: Columns. Default: the terminal's, at most 100.
    """
    share, order = shares(r), r.order
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(justify="right")
    table.add_column(overflow="fold", max_width=24)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    table.add_row(*(Text(head, "dim") for head in ("", "passage", "score", "", "")))
    for place, i in enumerate(order[:LISTED], start=1):
        passage = r.passages[i]
        shown = Text(_line(f"{passage.title}: {passage.text}" if passage.title else str(passage.text)))
        table.add_row(
            Text(str(place), "bold"), Text(_line(passage.id)), scored(r, i), bar(share.get(i, 0.0), 10), shown
        )
    parts: list[RenderableType] = [Text(_line(r.query), "bold"), table]
    if len(order) > LISTED:
        parts.append(Text(f"and {len(order) - LISTED:,} more", "dim"))
    parts += [Text(f"!  {_line(note)}", "bold") for note in r.notes()]
    parts.append(Text(measure(r), "dim"))
    return printed(parts, width_of(width), colour=colour)


def to_html(r: Ranking) -> str:
    """A page that needs nothing from anywhere."""
    return framed(f"{visible(r.query)} · ranking", "Ranking", fragment(r))


def fragment(r: Ranking) -> str:
    """The ranking and the explanations that were asked for, to be put into any page."""
    return f"<style>{shielded()}</style>\n{markup_of(r)}\n{''.join(_explained(r))}\n<script>{script()}</script>"


def markup_of(r: Ranking) -> str:
    """The ranking itself, for a page that has the style already."""
    share = shares(r)
    rows = "".join(_row(r, place, i, share.get(i, 0.0)) for place, i in enumerate(r.order, start=1))
    notes = "".join(f'<li dir="auto">{escape(visible(note))}</li>' for note in r.notes())
    told = f'<ul class="notes" aria-label="Read this first">{notes}</ul>' if notes else ""
    return (
        f'<section class="gmask ranking" aria-label="Ranking">\n<h2 dir="auto">{escape(visible(r.query))}</h2>\n{told}'
        f'<ol class="ranked">{rows}</ol>\n<footer class="small">{escape(measure(r))}</footer>\n</section>'
    )


def _row(r: Ranking, place: int, i: int, share: float) -> str:
    passage, text = r.passages[i], visible(str(r.passages[i].text))
    body = f'<p dir="auto">{escape(text)}</p>'
    if len(text) > EXCERPT:
        begins = escape(text[:EXCERPT].rsplit(" ", 1)[0])
        body = f'<details><summary dir="auto">{begins} …</summary>{body}</details>'
    title = f' <b dir="auto">{escape(visible(passage.title))}</b>' if passage.title else ""
    return (
        f'<li data-passage="{i}"><span class="rank">{place}</span><div><p class="small">{escape(visible(passage.name))}'
        f'{title}</p>{body}</div><span class="bar" style="--v:{share:.4f}"></span>'
        f'<span class="number">{scored(r, i)}</span></li>'
    )


def _explained(r: Ranking) -> Iterator[str]:
    for (i, _), e in r.explanations.items():
        asked = question(e) if e.over is not None else f"{r.passages[i].name}: {question(e)}"
        yield f'<details class="gmask" open><summary>{escape(visible(asked))}</summary>\n{markup(e)}\n</details>\n'


def _line(text: str) -> str:
    """A text on one line, and without what could steer the terminal."""
    return " ".join(visible(text).split())
