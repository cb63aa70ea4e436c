"""The pairs of a study: drawn from a data set in an order that is the same for everyone."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gmask.dataset.corpora import Corpus, load, resolve, stream
from gmask.dataset.example import Example
from gmask.dataset.records import IDENTITY, LABEL, UnlabelledError
from gmask.errors import GmaskError
from gmask.explainer import pair_of
from gmask.pair import check_pair
from gmask.study.progress import say

__all__ = ["draw", "example_of"]


def example_of(pair: Any) -> Example:
    """A pair in any form that `gmask.explain` takes; a mapping may have a label and an id, by well-known names."""
    if isinstance(pair, Example):
        return pair
    columns = {str(name).lower(): value for name, value in pair.items()} if isinstance(pair, Mapping) else {}
    gold, own = (next((columns[n] for n in names if n in columns), None) for names in (LABEL, IDENTITY))
    return Example(*pair_of(pair), Corpus("pairs", "pairs").label_of(gold), None if own is None else str(own))


def draw(
    data: str | Path, split: str | None = None, limit: int | None = None, skip: int = 0, *, labelled: bool = False
) -> tuple[list[Example], dict[str, Any]]:
    """The pairs to study, and what the data is.

    The order is drawn once for all, whatever the seed of a study: so a larger limit adds pairs to those of a smaller
    one, and runs with other seeds or methods are of the same pairs. Rows that are no pairs and pairs that cannot be
    read (no word in a sentence, thousands of words) are left out, and a line on standard error says so. Where some rows
    have a label, those without are passed over; where none has, they are the pairs.

    Args:
        data: As `gmask.dataset.corpora.load` takes it.
        split: Where there are splits. Default: `test`.
        limit: How many pairs at most. Default: all.
        skip: How many pairs of that order to pass over first, as those of an earlier study.
        labelled: Whether labels are needed. Default: they are taken where there are any.
    """
    if limit is not None and limit < 1:
        raise GmaskError(f"at least one pair is needed, not {limit}")
    if skip < 0:
        raise GmaskError(f"pairs to skip are counted from 0, not {skip}")
    corpus, path = resolve(data)
    split, left_out = split or "test", list[GmaskError]()
    try:
        found = load(data, split, on_bad=left_out.append)
    except UnlabelledError as error:
        if labelled:
            raise (left_out or [error])[0] from None  # what is wrong, not what follows from it
        left_out.clear()
        found = list(stream(data, split, labelled=False, on_bad=left_out.append))
    examples = [e for e in found if _whole(e, left_out)]
    if left_out and not examples:
        raise left_out[0]
    if left_out:
        say(f"rows left out of {path}: {len(left_out):,}; the first: {left_out[0]}")
    if skip >= len(examples) > 0:
        raise GmaskError(f"{data} has {len(examples)} pairs, so after the first {skip} there is none")
    drawn = random.Random(0).sample(examples, len(examples))[skip:]  # noqa: S311
    about = {
        "name": corpus.name,
        "title": corpus.title,
        "split": None if path.is_file() else split,
        "file": path.name,
        "pairs": len(examples),
        **({"skip": skip} if skip else {}),
    }
    return drawn[:limit], about


def _whole(example: Example, left_out: list[GmaskError]) -> bool:
    try:
        check_pair(example.first, example.second)
    except GmaskError as error:
        left_out.append(GmaskError(f"{example.first!r:.40} / {example.second!r:.40}: {error}"))
        return False
    return True
