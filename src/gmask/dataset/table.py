"""Rows of TSV, CSV and JSONL files (plain or gzip), each with the line it came from."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gmask.errors import GmaskError, one_of

__all__ = ["DataError", "Row", "read_rows"]

FORMATS = ("tsv", "csv", "jsonl")
MOST_LINES = 100  # of one CSV record; a longer one has a quote that was never closed


class DataError(GmaskError):
    """Something wrong at one place of a data file."""

    def __init__(self, path: Path | str, line: int, message: str, column: str | None = None) -> None:
        place = f"{path}, line {line}" + (f", column {column!r}" if column else "")
        super().__init__(f"{place}: {message}")
        self.path, self.line, self.column = str(path), line, column


OnBad = Callable[[DataError], None]


@dataclass(frozen=True)
class Row:
    """One record: its fields by column name, and where it stands."""

    path: str
    line: int
    fields: dict[str, object]

    def error(self, message: str, column: str | None = None) -> DataError:
        """A `DataError` that points at this row."""
        return DataError(self.path, self.line, message, column)


def format_of(path: Path) -> str:
    """The format a file's name announces: tsv (also .txt), csv or jsonl (also .json, .ndjson)."""
    suffixes = [s.lower() for s in path.suffixes if s.lower() != ".gz"]
    known = {".tsv": "tsv", ".txt": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl"}
    if not suffixes or suffixes[-1] not in known:
        raise one_of("file format of", path.name, (f".{f}" for f in FORMATS))
    return known[suffixes[-1]]


def read_rows(
    path: Path | str,
    *,
    header: Sequence[str] | None = None,
    on_bad: OnBad | None = None,
) -> Iterator[Row]:
    """Yield the rows of a file, one at a time, in constant memory.

    Args:
        path: A `.tsv`, `.csv` or `.jsonl` file, with or without `.gz`. TSV has no quoting: a quote is a character like
            any other. CSV follows the usual quoting rules.
        header: Column names, for files that carry none. Default: the first line names the columns.
        on_bad: Called with the error of a bad row, which is then skipped. Default: the error is raised.
    """
    path = Path(path)
    if not path.is_file():
        raise GmaskError(f"no such file: {path}")

    def bad(error: DataError) -> None:
        if on_bad is None:
            raise error
        on_bad(error)

    if format_of(path) == "jsonl":
        yield from _json_rows(path, _lines(path, bad), bad)
        return
    records = (_tsv_records if format_of(path) == "tsv" else _csv_records)(path, bad)
    names = list(header) if header is not None else None
    for line, values in records:
        if names is None:
            names = [v.strip() for v in values]
            if repeated := {n for n in names if names.count(n) > 1}:
                raise DataError(path, line, f"the header names {', '.join(sorted(repeated))} more than once")
        elif len(values) != len(names):
            bad(DataError(path, line, f"{len(values)} fields, but {len(names)} columns ({', '.join(names)})"))
        else:
            yield Row(str(path), line, dict(zip(names, values, strict=True)))


def _lines(path: Path, bad: OnBad) -> Iterator[tuple[int, str]]:
    """The lines that are text, with their numbers and line ends."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as raw:
        line = 0
        try:
            for line, data in enumerate(raw, start=1):
                try:
                    text = data.decode("utf-8-sig" if line == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    bad(DataError(path, line, f"not UTF-8 at byte {error.start + 1} of the line"))
                    continue
                if "\0" in text:
                    bad(DataError(path, line, f"a NUL byte at character {text.index(chr(0)) + 1} of the line"))
                    continue
                yield line, text
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DataError(path, line + 1, f"broken gzip data ({error})") from None


def _tsv_records(path: Path, bad: OnBad) -> Iterator[tuple[int, list[str]]]:
    for line, text in _lines(path, bad):
        if bare := text.rstrip("\r\n"):
            yield line, bare.split("\t")


def _csv_records(path: Path, bad: OnBad) -> Iterator[tuple[int, list[str]]]:
    """Records of quoted fields. One that breaks off, for want of a quote, costs its first line, not the whole file."""
    lines = _lines(path, bad)
    waiting: deque[tuple[int, str]] = deque()  # read for a record that broke off, to be read again
    while True:
        taken: list[tuple[int, str]] = []

        def take(taken: list[tuple[int, str]] = taken) -> Iterator[str]:
            while len(taken) < MOST_LINES and (got := waiting.popleft() if waiting else next(lines, None)):
                taken.append(got)
                yield got[1]

        try:
            values = next(csv.reader(take(), strict=True), None)
        except csv.Error as error:
            reason = "a quote is opened and not closed" if "unexpected end" in str(error) else str(error)
            bad(DataError(path, taken[0][0], f"broken CSV: {reason}"))
            waiting.extendleft(reversed(taken[1:]))
            continue
        if values is None:
            return
        if values:
            yield taken[0][0], values


def _json_rows(path: Path, lines: Iterator[tuple[int, str]], bad: OnBad) -> Iterator[Row]:
    begun = False
    for line, text in lines:
        if not text.strip():
            continue
        if not begun and text.lstrip().startswith("["):  # no row is bad here, the whole is another format
            raise DataError(path, line, "a JSON array; wanted is JSONL, a JSON object on a line of its own each")
        begun = True
        try:
            record = json.loads(text)
        except json.JSONDecodeError as error:
            bad(DataError(path, line, f"not JSON at character {error.colno}: {error.msg}"))
            continue
        except RecursionError:
            bad(DataError(path, line, "JSON nested too deeply"))
            continue
        if not isinstance(record, dict):
            bad(DataError(path, line, f"a JSON object is wanted, not {type(record).__name__}"))
            continue
        yield Row(str(path), line, record)
