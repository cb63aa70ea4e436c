"""The colours of all views: the first sentence pink, the second blue, a third text green, groups violet."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DARK", "LIGHT", "Palette", "contrast", "mix"]


@dataclass(frozen=True)
class Palette:
    """Colours as `#rrggbb`. Text in `ink` is readable on every blend of `paper` with those that mark."""

    paper: str
    raised: str  # cards and tracks
    ink: str
    muted: str
    first: str
    second: str
    third: str
    group: str
    link: str
    alert: str

    @property
    def sentences(self) -> tuple[str, ...]:
        """The colour of each sentence."""
        return self.first, self.second, self.third


LIGHT = Palette(
    paper="#ffffff",
    raised="#f3f4f7",
    ink="#1d2129",
    muted="#5a6270",
    first="#ff8dbd",
    second="#6db8ff",
    third="#7fd08f",
    group="#b49cff",
    link="#7544e0",
    alert="#fff3d1",
)
DARK = Palette(
    paper="#14171c",
    raised="#20252d",
    ink="#eceff4",
    muted="#a3adbb",
    first="#b3306f",
    second="#1c6cba",
    third="#20743a",
    group="#6a48d6",
    link="#b79dff",
    alert="#3d3314",
)


def mix(base: str, colour: str, share: float) -> str:
    """`base` with `share` of `colour` over it."""
    blend = (round(b + (c - b) * share) for b, c in zip(_rgb(base), _rgb(colour), strict=True))
    return "#" + "".join(f"{v:02x}" for v in blend)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2, from 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    linear = [v / 3294.6 if v <= 10 else ((v / 255 + 0.055) / 1.055) ** 2.4 for v in _rgb(colour)]
    return sum(weight * v for weight, v in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
