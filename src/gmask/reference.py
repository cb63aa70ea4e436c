"""What an answer is held against: where nothing of the pair is left.

An answer that is already there under the reference cannot be explained against it. To every model that judges sameness
an empty pair is a perfect match; and an empty text is no paraphrase of anything, whatever it is. So the reference is
chosen, by default, as the one under which the explained label is lowest: the empty pair, or unrelated real texts in the
place of a sentence that is wholly gone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from gmask.errors import GmaskError, any_case, one_of
from gmask.neutral import neutral
from gmask.pair import check_pair

__all__ = ["EMPTY", "Reference", "References"]

KINDS = ("auto", "empty", "unrelated")
DRAWN = 8  # pairs of a data set, of which texts that stand in for others are taken
COUNT = 3  # texts that stand in for a sentence, one after the other
SHOWN = 60  # characters of a text that a sentence about it shows


@dataclass(frozen=True)
class Reference:
    """Nothing, or texts that stand in for the first and the second where all of it is gone.

    Attributes:
        kind: `empty`, `unrelated` (drawn for the pair), `given` (the user's own) or `passages` (others of a ranking).
        firsts: Texts in the place of the first.
        seconds: Texts in the place of the second, as many.
    """

    kind: str = "empty"
    firsts: tuple[str, ...] = ()
    seconds: tuple[str, ...] = ()

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Pairs with nothing of the pair left: texts that do not belong together, where there are several."""
        return [(first, self.seconds[(i + 1) % len(self.seconds)]) for i, first in enumerate(self.firsts)]

    def only(self, number: int) -> Reference:
        """With one of its texts for each side, which do not belong together; the first again after the last."""
        if not self.firsts:
            return self
        first, second = self.pairs[number % len(self.firsts)]
        return Reference(self.kind, (first,), (second,))

    def __str__(self) -> str:
        if not self.firsts:
            return "an empty pair"
        if self.kind == "passages":
            return f"other passages of the ranking in the place of one that is gone, as “{_short(self.seconds[0])}”"
        told = {"unrelated": "unrelated texts", "given": "the texts that were given"}[self.kind]
        return f"{told} in the place of a sentence that is gone, as “{_short(self.firsts[0])}”"


EMPTY = Reference()


class References:
    """A choice of reference, and where its texts come from.

    Args:
        choice: `auto`, `empty`, `unrelated`, a pair of texts, a list of pairs, the name of a data file, or a reference.
        drawn: The first pairs of the data, of which unrelated texts are drawn: for a pair, of those before it, so that
            its texts are the same however many pairs follow. Default: neutral texts that come with the package.
    """

    def __init__(self, choice: Any = "auto", drawn: Sequence[tuple[str, str]] = ()) -> None:
        self.given: tuple[tuple[str, str], ...] = ()
        self.kind = (any_case(choice, KINDS) if isinstance(choice, str) else None) or "given"
        self.drawn = tuple(pair for pair in drawn if _readable(*pair))
        if isinstance(choice, Reference):
            self.kind, self.given = choice.kind, tuple(zip(choice.firsts, choice.seconds, strict=True))
        elif self.kind == "given":
            self.given = _given(choice)

    @property
    def about(self) -> dict[str, Any]:
        """What a manifest knows it by, as plain data without texts. What is drawn is settled by the pairs of a run."""
        texts = json.dumps(self.given)
        return {"kind": self.kind, "texts": hashlib.sha256(texts.encode()).hexdigest()[:16]}

    def unrelated(self, first: str, second: str) -> Reference | None:
        """Texts that have nothing to do with a pair; None if there are none in its language."""
        if self.given:
            return Reference(self.kind, *(tuple(texts) for texts in zip(*self.given, strict=True)))
        others = list(takewhile(lambda pair: pair[0] != first and pair[1] != second, self.drawn))
        if len(others) >= COUNT:
            firsts, seconds = zip(*others[:COUNT], strict=True)
            return Reference("unrelated", firsts, seconds)
        try:
            firsts = neutral(first, COUNT, avoid=(second,))
            return Reference("unrelated", firsts, neutral(second, COUNT, avoid=(first, *firsts)))
        except GmaskError:
            if self.kind == "unrelated":
                raise
            return None

    def candidates(self, first: str, second: str, *, raw: bool) -> list[Reference]:
        """Those that may be chosen. A raw score is held against unrelated texts: that of nothing means nothing."""
        if self.kind == "empty":
            return [EMPTY]
        unrelated = self.unrelated(first, second)
        if unrelated is None:
            return [EMPTY]
        return [unrelated] if self.kind != "auto" or raw else [EMPTY, unrelated]


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1].rstrip()}…"


def _readable(first: str, second: str) -> bool:
    try:
        check_pair(first, second)
    except GmaskError:
        return False
    return True


def _given(choice: Any) -> tuple[tuple[str, str], ...]:
    from gmask.dataset.given import examples_of

    if isinstance(choice, (tuple, list)) and len(choice) == 2 and all(isinstance(text, str) for text in choice):
        choice = [choice]
    if isinstance(choice, str) and not Path(choice).is_file():
        raise one_of("reference", choice, [*KINDS, "a pair of texts", "a list of pairs", "the name of a data file"])
    found = []
    for example in examples_of(choice):
        if isinstance(example, GmaskError):
            raise GmaskError(f"the reference: {example}")
        found.append(check_pair(example.first, example.second))
        if len(found) == COUNT:
            break
    if not found:
        raise GmaskError("the reference has no pair of texts")
    return tuple(found)
