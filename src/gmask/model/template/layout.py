"""A pair in a template as tokens: which are of the texts, and what of the template shares a token with a word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from gmask.errors import GmaskError
from gmask.model.layout import Layout, Tokens
from gmask.model.template.wording import Piece, Wording, place_of
from gmask.pair import Span

__all__ = ["TemplateLayout"]

FILLERS = ("a", '"a', "(", "1", "é")  # texts that begin with what tokenizers join to a space before it, or do not
# how tokenizers write what is not seen, by the sign they have for a space
WRITTEN = ({" ": "Ġ", "\n": "Ċ", "\r": "č", "\t": "ĉ"}, {" ": "▁", "\n": "▁", "\r": "▁", "\t": "▁"})


@dataclass(frozen=True)
class Token:
    """A token of a rendered part: its id, the characters it stands for, and how the tokenizer writes it."""

    id: int
    start: int
    end: int
    written: str


class TemplateLayout(Layout):
    """Two texts within a template.

    Args:
        wording: The template.
    """

    def __init__(self, wording: Wording) -> None:
        self.wording = wording
        self._known: tuple[object, list[list[Piece]]] | None = None

    def tokens(self, tokenizer: Any, first: str, second: str, limit: int | None) -> Tokens:
        """The tokens of a pair; of one that is too long, those at the ends of the texts are left out."""
        found = Tokens({"input_ids": []}, [], [], [])
        for pieces in self._segments(tokenizer):
            found = _joined(found, self._part(tokenizer, pieces, (first, second)))
        return found if limit is None or len(found.offsets) <= limit else self._cut(tokenizer, found, limit)

    def inputs(
        self, tokenizer: Any, pairs: Sequence[tuple[str, str]], limit: int | None
    ) -> list[Mapping[str, Sequence[int]]]:
        """As `tokens`, pair by pair."""
        return [self.tokens(tokenizer, *pair, limit).inputs for pair in pairs]

    def head(self, tokenizer: Any) -> Sequence[int]:
        """What stands before the first text, if that is not joined to it."""
        heads = []
        for filler in FILLERS:
            found = self.tokens(tokenizer, filler, filler, None)
            owned = [i for i, sequence in enumerate(found.sequences) if sequence is not None]
            heads.append(list(found.inputs["input_ids"][: min(owned, default=0)]))
        same = takewhile(lambda ids: len(set(ids)) == 1, zip(*heads, strict=False))
        return [ids[0] for ids in same]

    def _segments(self, tokenizer: Any) -> list[list[Piece]]:
        if self._known is None or self._known[0] is not tokenizer:
            self._known = tokenizer, self.wording.segments(tokenizer)
        return self._known[1]

    def _part(self, tokenizer: Any, pieces: Sequence[Piece], texts: tuple[str, str]) -> Tokens:
        """One part of the template with the texts in their places."""
        rendered, places = "", []
        for piece in pieces:
            if isinstance(piece, int):
                places.append((piece, len(rendered), len(rendered) + len(texts[piece])))
            rendered += texts[piece] if isinstance(piece, int) else piece
        offsets: list[Span] = []
        sequences: list[int | None] = []
        rests: list[int] = []
        stuck: list[str] = []
        tokens = _tokens(tokenizer, rendered, special=self.wording.special)
        for token in tokens:
            touched = [place for place in places if place[1] < token.end and token.start < place[2]]
            rest = _rest(tokenizer, rendered, token, touched[0]) if len(touched) == 1 else None
            if rest is None:  # nothing of a text, or not to be told from the template
                sequences.append(None)
                offsets.append((0, 0))
                rests.append(-1)
                stuck += [rendered[max(token.start, start) : min(token.end, end)] for _, start, end in touched]
                continue
            side, start, end = touched[0]
            sequences.append(side)
            offsets.append((max(token.start, start) - start, min(token.end, end) - start))
            rests.append(rest)
        return Tokens({"input_ids": [token.id for token in tokens]}, offsets, sequences, rests, _visible(stuck))

    def _cut(self, tokenizer: Any, found: Tokens, limit: int) -> Tokens:
        """Without as many tokens at the ends of the texts as are too many; the template stays."""
        ids, rests = list(found.inputs["input_ids"]), list(found.rests or ())
        ends = [
            sorted((i for i, s in enumerate(found.sequences) if s == side), key=lambda i: found.offsets[i])
            for side in (0, 1)
        ]
        order = [side for segment in self._segments(tokenizer) for side in place_of(segment)]
        gone: set[int] = set()
        left = len(ids)
        while left > limit:
            longest = max(order[::-1], key=lambda side: len(ends[side]))
            side = next((s for s in order[::-1] if ends[s]), longest) if self.wording.last_first else longest
            if not ends[side]:
                raise GmaskError(
                    f"the template alone has {left} tokens, and at most {limit} are read; "
                    "give a shorter one, or a larger limit"
                )
            start = found.offsets[ends[side][-1]][0]
            while ends[side] and found.offsets[ends[side][-1]][0] == start:  # wherever the text stands
                gone.add(last := ends[side].pop())
                left -= rests[last] < 0
        stay = [i for i in range(len(ids)) if i not in gone or rests[i] >= 0]
        return Tokens(
            {"input_ids": [rests[i] if i in gone else ids[i] for i in stay]},
            [(0, 0) if i in gone else found.offsets[i] for i in stay],
            [None if i in gone else found.sequences[i] for i in stay],
            [-1 if i in gone else rests[i] for i in stay],
            found.stuck,
        )


def _tokens(tokenizer: Any, rendered: str, *, special: bool) -> list[Token]:
    """The tokens of a text. One that begins with a space begins where the token before it ends."""
    found = tokenizer(rendered, add_special_tokens=special, return_offsets_mapping=True, verbose=False)
    tokens: list[Token] = []
    before = 0
    for i, (start, end), written in zip(
        found["input_ids"],
        found["offset_mapping"],
        tokenizer.convert_ids_to_tokens(found["input_ids"]),
        strict=True,
    ):
        begun = before if written[:1] in "Ġ▁" and rendered[before:start].isspace() else start
        tokens.append(Token(i, begun, end, written))
        before = max(before, end)
    return tokens


def _rest(tokenizer: Any, rendered: str, token: Token, place: tuple[int, int, int]) -> int | None:
    """What is left of a token without the characters of a text: an id, -1 for nothing; None if there is no such id."""
    _, start, end = place
    left, right = rendered[token.start : min(start, token.end)], rendered[max(end, token.start) : token.end]
    if not left and not right:
        return -1
    vocabulary = tokenizer.get_vocab()
    for signs in WRITTEN:
        before, after = ("".join(signs.get(sign, sign) for sign in part) for part in (left, right))
        for begun in (before, before[:1] if left.isspace() else before):  # several spaces may be written as one
            written = begun + after
            if token.written.startswith(begun) and token.written.endswith(after) and written in vocabulary:
                return int(vocabulary[written])
    return None


def _joined(one: Tokens, other: Tokens) -> Tokens:
    return replace(
        one,
        inputs={"input_ids": [*one.inputs["input_ids"], *other.inputs["input_ids"]]},
        offsets=[*one.offsets, *other.offsets],
        sequences=[*one.sequences, *other.sequences],
        rests=[*(one.rests or ()), *(other.rests or ())],
        stuck=_visible([*one.stuck, *other.stuck]),
    )


def _visible(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))
