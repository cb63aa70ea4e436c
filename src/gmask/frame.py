"""Explanations as a table: one row a reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gmask.errors import GmaskError
from gmask.explanation import Explanation

__all__ = ["to_frame"]

COLUMNS = (
    *("id", "label", "probability", "target", "gold", "correct"),
    *("reason", "importance", "first", "second", "kept", "removed", "notes"),
)


def to_frame(explanations: Explanation | Iterable[Explanation | None]) -> Any:
    """One row a reason; a pair without a reason has a row too, and so has one that could not be explained (None).

    The columns: `id` (of the pair, where it has one, else its position), `label`, `probability` and `target` as in the
    explanation, `gold` and `correct` where the pair came with a label that the model knows; `reason` (1 is the most
    important), `importance`, its words in the `first` and the `second` text, `kept` and `removed`; `notes`.

    Returns:
        A pandas DataFrame where pandas is installed, else a list of dicts.
    """
    given = [explanations] if isinstance(explanations, Explanation) else explanations
    rows = [{**dict.fromkeys(COLUMNS), **row} for place, e in enumerate(given) for row in _rows(place, e)]
    try:
        import pandas as pd
    except ImportError:
        return rows
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(place: int, e: Explanation | None) -> Iterator[dict[str, Any]]:
    if e is None:
        yield {"id": place}
        return
    if not isinstance(e, Explanation):
        raise GmaskError(f"to_frame takes explanations, not {e!r:.80}")
    gold = e.details.get("gold")
    pair = {
        "id": e.details.get("id", place),
        "label": e.label,
        "probability": e.probability,
        "target": e.target,
        "gold": gold,
        "correct": gold == e.label if gold in e.labels else None,
        "notes": " ".join(e.notes()),
    }
    if not e.groups:
        yield pair
    for rank, group in enumerate(e.groups, start=1):
        first, second = (" ".join(word.text for word in group.words(e, sentence)) for sentence in (0, 1))
        proof = {"importance": group.importance, "kept": group.kept, "removed": group.removed}
        yield {**pair, "reason": rank, "first": first, "second": second, **proof}
