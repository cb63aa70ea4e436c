"""From a row with named columns to an `Example`."""

from __future__ import annotations

from collections.abc import Callable

from gmask.dataset.catalogue import Corpus
from gmask.dataset.example import Example
from gmask.dataset.highlights import highlights_of
from gmask.dataset.table import DataError, Row
from gmask.errors import GmaskError

__all__ = ["FIRST", "IDENTITY", "LABEL", "SECOND", "UnlabelledError", "label_in", "reader", "text_in"]

FIRST = ("sentence1", "premise", "question1", "#1 string", "text", "text_a", "query", "first")
SECOND = ("sentence2", "hypothesis", "question2", "#2 string", "text_pair", "text_b", "passage", "second")
LABEL = ("gold_label", "label", "is_duplicate", "quality", "judgment")
IDENTITY = ("pairid", "pair_id", "id", "idx", "index")


class UnlabelledError(DataError):
    """A file without labels where labels are wanted."""


def reader(corpus: Corpus, row: Row, *, labelled: bool) -> Callable[[Row], Example]:
    """Settle which columns hold what, by the first row; returns what reads every row.

    Args:
        corpus: Says what labels there are.
        row: The first row of a file.
        labelled: Whether a label is wanted.
    """
    by_name = {name.lower(): name for name in row.fields}
    columns = {}
    for role, names in (("first text", FIRST), ("second text", SECOND), ("label", LABEL), ("id", IDENTITY)):
        columns[role] = next((by_name[n] for n in names if n in by_name), None)
        if columns[role] is None and (role.endswith("text") or (role == "label" and labelled)):
            error = UnlabelledError if role == "label" else DataError
            have = ", ".join(row.fields)
            raise error(row.path, 1, f"no column for the {role}; wanted one of {', '.join(names)}; there are: {have}")

    def read(row: Row) -> Example:
        texts = text_in(row, str(columns["first text"])), text_in(row, str(columns["second text"]))
        label = label_in(corpus, row, columns["label"]) if columns["label"] else None
        identity = row.fields.get(columns["id"]) if columns["id"] else None
        return Example(*texts, label, None if identity is None else str(identity), highlights_of(row, texts))

    return read


def text_in(row: Row, column: str) -> str:
    """The text in a column, if there is something to read."""
    value = row.fields.get(column)
    if value is None or (isinstance(value, str) and not value.strip()):
        raise row.error("empty text", column)
    if not isinstance(value, str):
        raise row.error(f"a text is wanted, not {type(value).__name__}", column)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise row.error("not valid Unicode text", column) from None
    return value


def label_in(corpus: Corpus, row: Row, column: str) -> str | None:
    """The name of the label in a column."""
    try:
        return corpus.label_of(row.fields.get(column))
    except GmaskError as error:
        raise row.error(str(error), column) from None
