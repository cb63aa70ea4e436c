"""Pairs and what people made of them: a table whose column `group` holds together a pair and its revisions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from gmask.dataset.corpora import find_split, resolve, splits
from gmask.dataset.example import Example
from gmask.dataset.records import reader
from gmask.dataset.table import DataError, Row, read_rows
from gmask.errors import GmaskError

__all__ = ["revised"]

GROUP = "group"


def revised(data: str | Path) -> Iterator[list[Example]]:
    """The labelled pairs of each group, of a file or of all splits of a folder, in the order they stand in."""
    corpus, path = resolve(data)
    if not path.exists():
        raise GmaskError(f"no such file or folder: {path}")
    files = [path] if path.is_file() else [f for split in splits(data) for f in find_split(corpus, path, split)]
    for file in files:
        rows = read_rows(file)
        first = next(rows, None)
        if first is None:
            continue
        if GROUP not in first.fields:
            have = ", ".join(first.fields)
            raise DataError(file, 1, f"no column {GROUP!r}, which says what pairs belong together; there are: {have}")
        read = reader(corpus, first, labelled=True)
        for _, members in groupby((first, *rows), key=_group):
            yield [example for example in map(read, members) if example.label is not None]


def _group(row: Row) -> object:
    return row.fields[GROUP]
