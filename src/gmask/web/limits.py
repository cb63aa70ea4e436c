"""What the server does at most, so that no request can make it slow, or large, for the others."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """Bounds of one request, and of all together."""

    body: int = 512_000  # bytes of a request
    characters: int = 20_000  # of a text
    words: int = 512  # of a text
    passages: int = 100  # of a ranking
    rows: int = 20_000  # of the model, for one explanation
    seconds: float = 300.0  # for one explanation
    factor: float = 4.0  # a number of a method's settings may be so many times its default
    waiting: int = 64  # explanations, and as many quick questions
    pairs: int = 32  # kept for What if
    connections: int = 256  # at once
    patience: float = 20.0  # seconds for a request to arrive whole, and for an answer to be taken
    results: int = 256  # kept for downloads and for the same question again
