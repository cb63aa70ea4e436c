"""How two texts become the tokens that a model reads: as the tokenizer's own pair, or otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gmask.pair import Span

__all__ = ["Layout", "Tokens"]


@dataclass(frozen=True)
class Tokens:
    """A pair as tokens.

    Args:
        inputs: The tokenizer's arguments for a model, each with a number a token.
        offsets: For each token the characters of its text that it stands for.
        sequences: For each token the text it comes from; None if it stays whatever words go.
        rests: For each token the id that stands in its place when its word is gone, -1 for none; None: there is none.
        stuck: What of the texts stays, because its tokens stand for something around the texts too.
    """

    inputs: Mapping[str, Sequence[int]]
    offsets: Sequence[Span]
    sequences: Sequence[int | None]
    rests: Sequence[int] | None = None
    stuck: tuple[str, ...] = ()


class Layout:
    """Two texts as the tokenizer's own pair."""

    def tokens(self, tokenizer: Any, first: str, second: str, limit: int | None) -> Tokens:
        """The tokens of a pair, at most so many."""
        found = tokenizer(text=first, text_pair=second, return_offsets_mapping=True, verbose=False, **_cut(limit))
        return Tokens(found, found["offset_mapping"], found.sequence_ids())

    def inputs(
        self, tokenizer: Any, pairs: Sequence[tuple[str, str]], limit: int | None
    ) -> list[Mapping[str, Sequence[int]]]:
        """The arguments of a model for several pairs."""
        first, second = ([pair[side] for pair in pairs] for side in (0, 1))
        found = tokenizer(text=first, text_pair=second, verbose=False, **_cut(limit))
        return [{name: found[name][row] for name in found} for row in range(len(pairs))]

    def head(self, tokenizer: Any) -> Sequence[int]:  # noqa: ARG002
        """The tokens that every pair begins with, whatever its texts."""
        return ()


def _cut(limit: int | None) -> dict[str, Any]:
    return {} if limit is None else {"truncation": "longest_first", "max_length": limit}
