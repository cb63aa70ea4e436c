"""The pairs of a study: drawn from a data set in an order that is the same for everyone."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from gmask.dataset.corpora import load, resolve
from gmask.dataset.example import Example
from gmask.errors import GmaskError
from gmask.pair import check_pair

__all__ = ["draw"]


def draw(
    data: str | Path, split: str | None = None, limit: int | None = None, skip: int = 0
) -> tuple[list[Example], dict[str, Any]]:
    """The pairs to study, and what the data is.

    The order is drawn once for all, whatever the seed of a study: so a larger limit adds pairs to those of a smaller
    one, and runs with other seeds or methods are of the same pairs. Rows that are no pairs and pairs that cannot be
    read (no word in a sentence, thousands of words) are left out.

    Args:
        data: As `gmask.dataset.corpora.load` takes it.
        split: Where there are splits. Default: `test`.
        limit: How many pairs at most. Default: all.
        skip: How many pairs of that order to pass over first, as those of an earlier study.
    """
    if limit is not None and limit < 1:
        raise GmaskError(f"at least one pair is needed, not {limit}")
    if skip < 0:
        raise GmaskError(f"pairs to skip are counted from 0, not {skip}")
    corpus, path = resolve(data)
    examples = [e for e in load(data, split or "test", on_bad=lambda _: None) if _whole(e)]
    if skip >= len(examples) > 0:
        raise GmaskError(f"{data} has {len(examples)} pairs, so after the first {skip} there is none")
    drawn = random.Random(0).sample(examples, len(examples))[skip:]  # noqa: S311
    about = {
        "name": corpus.name,
        "title": corpus.title,
        "split": None if path.is_file() else split or "test",
        "file": path.name,
        "pairs": len(examples),
        **({"skip": skip} if skip else {}),
    }
    return drawn[:limit], about


def _whole(example: Example) -> bool:
    try:
        check_pair(example.first, example.second)
    except GmaskError:
        return False
    return True
