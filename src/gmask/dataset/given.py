"""Pairs as people have them: tuples, records, a DataFrame, a dataset, the name of a data file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gmask.dataset.catalogue import Corpus
from gmask.dataset.corpora import iterate, resolve
from gmask.dataset.example import Example
from gmask.dataset.hub import named_records
from gmask.dataset.records import FIRST, IDENTITY, LABEL, SECOND
from gmask.dataset.table import DataError
from gmask.errors import GmaskError

__all__ = ["example_of", "examples_of", "is_record"]

ANY = Corpus("pairs", "pairs")  # whatever its labels are


def examples_of(pairs: Any) -> Iterator[Example | GmaskError]:
    """The pairs one after another, and in its place what is wrong with one that is none."""
    if isinstance(pairs, (str, Path)):
        yield from _file(pairs)
        return
    if isinstance(pairs, Mapping):
        raise GmaskError("`pairs` is a list of pairs, a table or the name of a file; one pair is explain(model, pair)")
    for pair in _rows(pairs):
        try:
            yield example_of(pair)
        except GmaskError as error:
            yield error


def example_of(pair: Any) -> Example:
    """A pair given as a tuple, a list, an array, or a record with well-known column names, in any case.

    The gold label and the id of a record come with it.
    """
    if isinstance(pair, Example):
        return pair
    if is_record(pair):
        named = pair._asdict() if hasattr(pair, "_asdict") else pair
        fields = {str(name).lower(): value for name, value in named.items()}
        columns = [next((n for n in names if n in fields), None) for names in (FIRST, SECOND, LABEL, IDENTITY)]
        if None not in columns[:2]:
            first, second, gold, identity = (fields.get(str(column)) for column in columns)
            return Example(first, second, ANY.label_of(_told(gold)), _told(identity))  # type: ignore[arg-type]
        if isinstance(pair, Mapping) or len(fields) != 2:
            raise GmaskError(f'a pair is {{"text": ..., "text_pair": ...}} or the like; there are only: {list(fields)}')
        pair = list(fields.values())
    if isinstance(pair, np.ndarray):
        pair = pair.tolist()
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise GmaskError(f"a pair is two texts, (a, b), not {pair!r:.80}")
    return Example(pair[0], pair[1])


def is_record(thing: Any) -> bool:
    """Whether it has named fields: a mapping, a named tuple, or a row of a DataFrame."""
    if isinstance(thing, tuple):
        return hasattr(thing, "_asdict")
    return isinstance(thing, Mapping) or (hasattr(thing, "items") and getattr(thing, "ndim", None) == 1)


def _told(value: Any) -> str | None:
    """A value as text, if it is there: tables have NaN or <NA> in empty fields."""
    return None if value is None or str(value) in ("nan", "<NA>") else str(value)


def _rows(pairs: Any) -> Iterator[Any]:
    """The rows of a DataFrame or a dataset, or whatever there is to go through."""
    if hasattr(pairs, "itertuples"):
        names = list(pairs.columns)
        rows = pairs.itertuples(index=False, name=None)
        return iter(rows if len(names) == 2 else (dict(zip(names, row, strict=True)) for row in rows))
    if isinstance(getattr(pairs, "features", None), Mapping):
        return named_records(pairs)
    try:
        return iter(pairs)
    except TypeError:
        raise GmaskError(f"`pairs` is a list of pairs, a table or the name of a file, not {pairs!r:.80}") from None


def _file(name: str | Path) -> Iterator[Example | GmaskError]:
    corpus, path = resolve(name)
    if not path.is_file():
        raise GmaskError(f"no such file: {path}")
    bad: list[DataError] = []
    for example in iterate(replace(corpus, labels=()), path, on_bad=bad.append, labelled=False):
        yield from bad
        bad.clear()
        yield example
    yield from bad
