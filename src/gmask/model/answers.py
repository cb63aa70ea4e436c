"""What a service has answered: numbers by a digest of the question, so that nothing is asked twice."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from gmask.errors import GmaskError
from gmask.files import writing

__all__ = ["Answers"]

FILE = "answers.sqlite"
PATIENCE = 60.0  # seconds that another process may take to write


class Answers:
    """A table of answers that threads and processes can share.

    Args:
        folder: Where it is kept; it is made if it is not there. Default: nowhere, it ends with this object.
    """

    def __init__(self, folder: Path | str | None = None) -> None:
        self.folder = None if folder is None else Path(folder).expanduser()
        self._one = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Answers, (self.folder,)  # a connection stays in its process

    def known(self, questions: Iterable[bytes]) -> dict[bytes, list[float]]:
        """The answers that are there already."""
        found = {}
        with self._reached() as table:
            for question in questions:
                row = table.execute("SELECT numbers FROM answers WHERE question = ?", (question,)).fetchone()
                if row is not None:
                    found[question] = array("d", row[0]).tolist()
        return found

    def keep(self, answers: Mapping[bytes, Iterable[float]]) -> None:
        """Keep answers, all of them or none; they outlive the end of this process, however it comes."""
        rows = [(question, array("d", numbers).tobytes()) for question, numbers in answers.items()]
        with self._reached() as table, table:
            table.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?)", rows)

    @contextmanager
    def _reached(self) -> Iterator[sqlite3.Connection]:
        """The table, for one thread at a time; what is wrong with its file is told in one line."""
        try:
            with self._one:
                yield self._table
        except sqlite3.Error as error:
            raise GmaskError(
                f"cannot use the answers kept in {self.folder} ({error}); give another folder as `cache`"
            ) from error

    @cached_property
    def _table(self) -> sqlite3.Connection:
        place = ""  # to SQLite a temporary file, gone with its connection
        if self.folder is not None:
            with writing(self.folder):
                self.folder.mkdir(parents=True, exist_ok=True)
            place = str(self.folder / FILE)
        table = sqlite3.connect(place, timeout=PATIENCE, check_same_thread=False)
        table.execute("PRAGMA journal_mode = WAL")  # readers and a writer do not wait for each other
        table.execute("PRAGMA synchronous = NORMAL")
        table.execute("CREATE TABLE IF NOT EXISTS answers (question BLOB PRIMARY KEY, numbers BLOB) WITHOUT ROWID")
        return table
