"""Corpora from the Hugging Face hub, by name, through the library `datasets`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gmask.dataset.catalogue import CORPORA, Corpus
from gmask.dataset.example import Example
from gmask.dataset.records import LABEL, reader
from gmask.dataset.table import DataError, Row
from gmask.errors import GmaskError, one_of

__all__ = ["PREFIX", "hub_corpus", "iterate_hub", "named_records"]

PREFIX = "hub:"


def hub_corpus(name: str) -> Corpus:
    """The corpus that `hub:NAME` stands for: one known by name, or any `owner/dataset`, `owner/dataset:config`."""
    known = name.removeprefix(PREFIX)
    if known in CORPORA:
        if CORPORA[known].hub is None:
            raise GmaskError(f"{CORPORA[known].title} is not on the hub; give its files")
        return CORPORA[known]
    path, _, config = known.partition(":")
    if not path or path.count("/") > 1:
        raise one_of("hub dataset", known, [*(n for n, c in CORPORA.items() if c.hub), "owner/dataset[:config]"])
    return Corpus(known, known, hub=(path, config or None))


def iterate_hub(
    corpus: Corpus, split: str, *, on_bad: Callable[[DataError], None] | None = None, labelled: bool = True
) -> Iterator[Example]:
    """Yield the pairs of one split; numbered labels are turned into the names the dataset itself gives them."""
    place = f"{PREFIX}{corpus.name} ({split})"
    read: Callable[[Row], Example] | None = None
    for number, fields in enumerate(named_records(_load(corpus, split)), start=1):
        row = Row(place, number, fields)
        try:
            read = read or reader(corpus, row, labelled=labelled)
            example = read(row)
        except DataError as error:
            if on_bad is None or read is None:
                raise
            on_bad(error)
            continue
        if example.label is not None or not labelled:
            yield example


def named_records(table: Any) -> Iterator[dict[str, Any]]:
    """The rows of a dataset, labels by the names that it gives them itself."""
    names = {c: f.names for c, f in table.features.items() if c.lower() in LABEL and hasattr(f, "names")}
    for fields in table:
        named = {c: n[fields[c]] if isinstance(fields[c], int) and fields[c] >= 0 else None for c, n in names.items()}
        yield {**fields, **named}


def _load(corpus: Corpus, split: str) -> Any:
    try:
        import datasets
    except ImportError:
        raise GmaskError("reading from the hub needs the library datasets: pip install gmask[hub]") from None
    path, config = corpus.hub or (corpus.name, None)
    wanted = {"dev": "validation"}.get(split, split)
    try:
        return datasets.load_dataset(path, config, split=wanted)
    except Exception as error:  # whatever the library, the network or the hub says
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise GmaskError(f"cannot load {path} ({wanted}) from the hub: {reason}") from error
