"""The evidence curve: what is explained, with only the top words kept and with them removed."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gmask.explanation import Explanation
from gmask.view.parts import measure, named, number

__all__ = ["curve"]

WIDTH, HEIGHT = 360, 200
LEFT, RIGHT, TOP, BOTTOM = 34, 12, 12, 36
Point = tuple[float, float]
Ends = tuple[float, float]  # what the lowest and the highest level stand for


def curve(e: Explanation) -> str:
    """The curve as SVG for a page that has its style; from no word to the top ten."""
    kept = [e.evidence.nothing, *e.evidence.kept]
    removed = [e.value, *e.evidence.removed]
    ends = (0.0, 1.0) if e.score is None else _ends([*kept, *removed])
    upper, lower = _points(kept, ends), _points(removed, ends)
    words = ["", *named(e, e.order()[: len(e.evidence.kept)])]
    parts = [
        *(_level(share, ends) for share in (0.0, 0.5, 1.0)),
        *(_tick(x, str(count)) for count, (x, _) in enumerate(upper)),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4, "top words", "middle"),
        f'<path class="between" d="{_line(upper)}L{_line(lower[::-1])[1:]}Z"/>',
        f'<path class="removed" d="{_line(lower)}"/>',
        f'<path class="kept" d="{_line(upper)}"/>',
        *_dots("removed", lower, removed, words, "without the top"),
        *_dots("kept", upper, kept, words, "only the top"),
    ]
    told = f"{measure(e)} Only the top words: {_numbers(kept[1:])}. Without them: {_numbers(removed[1:])}."
    return (
        f'<svg class="curve" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(told)}">'
        f"{''.join(parts)}</svg>"
    )


def _ends(scores: Sequence[float]) -> Ends:
    """The lowest and the highest of raw scores, which have no ends of their own."""
    low, high = min(scores), max(scores)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _points(values: Sequence[float], ends: Ends) -> list[Point]:
    step = (WIDTH - LEFT - RIGHT) / max(1, len(values) - 1)
    low, high = ends
    return [(LEFT + i * step, _height((v - low) / (high - low))) for i, v in enumerate(values)]


def _height(share: float) -> float:
    return TOP + (1 - min(max(share, 0.0), 1.0)) * (HEIGHT - TOP - BOTTOM)


def _line(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _level(share: float, ends: Ends) -> str:
    y, value = _height(share), ends[0] + share * (ends[1] - ends[0])
    label = f"{value:.3g}".replace("-", "−")
    return f'<path class="level" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>' + _text(LEFT - 7, y + 4, label, "end")


def _tick(x: float, label: str) -> str:
    return _text(x, HEIGHT - BOTTOM + 16, label, "middle")


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


def _dots(kind: str, points: Sequence[Point], values: Sequence[float], words: Sequence[str], said: str) -> list[str]:
    found = []
    for count, ((x, y), value) in enumerate(zip(points, values, strict=True)):
        added = f" (+ {words[count]})" if count else ""
        title = f"{said} {count}{added}: {number(value)}"
        found.append(
            f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"><title>{escape(title)}</title></circle>'
        )
    return found


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(number(v) for v in values)
