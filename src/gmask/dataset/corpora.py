"""Labelled pairs from wherever they are: a file, a folder of splits, the hub; a corpus known by name, or any other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from gmask.dataset.catalogue import CORPORA, SPLITS, Corpus
from gmask.dataset.cleaning import clean_example
from gmask.dataset.eraser import eraser_reader, is_eraser
from gmask.dataset.example import Example
from gmask.dataset.hub import PREFIX, hub_corpus, iterate_hub
from gmask.dataset.records import FIRST, SECOND, UnlabelledError, reader
from gmask.dataset.table import DataError, OnBad, Row, read_rows
from gmask.errors import GmaskError, one_of

__all__ = [
    "CORPORA",
    "FIRST",
    "SECOND",
    "Corpus",
    "Example",
    "find_split",
    "iterate",
    "load",
    "resolve",
    "splits",
    "stream",
]


def resolve(data: str | Path) -> tuple[Corpus, Path]:
    """The corpus and the path that `NAME=PATH`, `PATH` or `hub:NAME` stands for.

    A folder named as a corpus is that corpus, and so is a file in it.
    """
    text = str(data)
    if text.startswith(PREFIX):
        return hub_corpus(text), Path(text)
    name, _, rest = text.partition("=")
    if rest and name in CORPORA:
        return CORPORA[name], Path(rest)
    if rest and not Path(text).exists():
        raise one_of("corpus", name, CORPORA)
    path = Path(text)
    for part in (path.name, path.parent.name):
        if part.lower() in CORPORA:
            return CORPORA[part.lower()], path
    return Corpus(path.name, path.name), path


def find_split(corpus: Corpus, folder: Path, split: str) -> list[Path]:
    """The files that hold one split of a corpus; a file that ends in `_1` goes on in `_2`."""
    if split not in SPLITS:
        raise one_of("split", split, SPLITS)
    stems = {"dev": ("dev", "validation", "val", "valid")}.get(split, (split,))
    names = [*corpus.files.get(split, ()), *(f"{s}.{e}" for s in stems for e in ("tsv", "csv", "jsonl"))]
    for name in names:
        for first in (folder / name, folder / f"{name}.gz"):
            if first.is_file():
                files = [first]
                while (following := _next_part(files[-1])).is_file() and following != files[-1]:
                    files.append(following)
                return files
    raise GmaskError(f"no {split} split in {folder}; looked for {', '.join(names)} (and each with .gz)")


def splits(data: str | Path) -> list[str]:
    """The splits there are; `all` for a single file."""
    corpus, path = resolve(data)
    if str(data).startswith(PREFIX):
        return list(SPLITS)
    if path.is_file():
        return ["all"]
    if not path.is_dir():
        raise GmaskError(f"no such file or folder: {path}")
    found = []
    for split in SPLITS:
        with suppress(GmaskError):
            find_split(corpus, path, split)
            found.append(split)
    if not found:
        find_split(corpus, path, SPLITS[0])  # which says what it looked for
    return found


def _next_part(path: Path) -> Path:
    return path.with_name(re.sub(r"_(\d+)(?=\.)", lambda m: f"_{int(m[1]) + 1}", path.name, count=1))


def load(
    data: str | Path,
    split: str | None = None,
    *,
    limit: int | None = None,
    clean: bool = False,
    on_bad: OnBad | None = None,
) -> list[Example]:
    """Read the labelled pairs of a file, or of one split of a folder or hub dataset.

    Args:
        data: A file, a folder of splits, either as `NAME=PATH` with the name of a corpus, or `hub:NAME`.
        split: `train`, `dev` or `test`, where there are splits. Default: `train`.
        limit: Read at most so many pairs. Default: all.
        clean: Clean the texts as the paper does (lowercase, no special characters). Default: they stay as they are.
        on_bad: Called with the error of each bad row, which is then skipped. Default: the error is raised.
    """
    examples: list[Example] = []
    for example in stream(data, split, clean=clean, on_bad=on_bad):
        if limit is not None and len(examples) >= limit:
            break
        examples.append(example)
    if not examples:
        raise UnlabelledError(str(data), 1, f"no labelled pair{f' in its {split} split' if split else ''}")
    return examples


def stream(
    data: str | Path,
    split: str | None = None,
    *,
    labelled: bool = True,
    clean: bool = False,
    on_bad: OnBad | None = None,
) -> Iterator[Example]:
    """What `load` reads, one pair at a time."""
    corpus, path = resolve(data)
    if str(data).startswith(PREFIX):
        yield from iterate_hub(corpus, split or "train", on_bad=on_bad, labelled=labelled)
        return
    if not path.exists():
        raise GmaskError(f"no such file or folder: {path}")
    for file in find_split(corpus, path, split or "train") if path.is_dir() else [path]:
        yield from iterate(corpus, file, on_bad=on_bad, labelled=labelled, clean=clean)


def iterate(
    corpus: Corpus, path: Path, *, on_bad: OnBad | None = None, labelled: bool = True, clean: bool = False
) -> Iterator[Example]:
    """Yield the pairs of one file; with `labelled`, rows that carry no gold label are passed over."""
    read: Callable[[Row], Example] | None = None
    for row in read_rows(path, header=_header(corpus, path), on_bad=on_bad):
        if read is None:  # a file whose columns are not understood is refused, whatever is done with bad rows
            read = eraser_reader(corpus, path.parent) if is_eraser(row) else reader(corpus, row, labelled=labelled)
        try:
            example = read(row)
            if clean:
                example = clean_example(example)
                if not (example.first and example.second):
                    raise row.error("cleaning leaves no word of a sentence")
        except DataError as error:
            if on_bad is None:
                raise
            on_bad(error)
            continue
        if example.label is not None or not labelled:
            yield example


def _header(corpus: Corpus, path: Path) -> tuple[str, ...] | None:
    """A corpus distributed without a header keeps its own column names, unless this copy was given a header."""
    if corpus.header is None:
        return None
    first = next(read_rows(path, on_bad=lambda _: None), None)
    named = {name.lower() for name in first.fields} if first else set()
    return None if named & set(FIRST) else corpus.header
