"""Numbered records in a JSONL file that survives being killed, cut short or damaged at any point."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import shutil
import time
import zlib
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gmask.errors import GmaskError
from gmask.files import atomic, writing

__all__ = ["GOES_ON", "Damage", "Ledger", "read_records", "seal", "unseal"]

SYNC_SECONDS = 1.0  # a killed program loses nothing that was written; a power cut at most so much
_SEALED = re.compile(rb'\{"n":(\d+),.*(,"check":"([0-9a-f]{8})"\})\n', re.DOTALL)
_AGAIN = b'"again":true'  # where it says so of itself; within a text the quotes would be escaped
_ABSENT = -1

GOES_ON = "; started again, it goes on here"


@dataclass(frozen=True)
class Damage:
    """A line that is not what was written, or, with `again`, one that was written to be made again."""

    line: int
    what: str
    again: bool = False

    def __str__(self) -> str:
        return f"line {self.line} {self.what}"


def seal(number: int, record: Mapping[str, Any]) -> bytes:
    """A line that carries its number and a checksum (CRC-32) of everything before it."""
    body = json.dumps({"n": number, **record}, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    return body[:-1] + b',"check":"%08x"}\n' % zlib.crc32(body)


def unseal(line: bytes) -> tuple[int, dict[str, Any]]:
    """The number and the record of a line.

    Raises:
        ValueError: It is damaged.
    """
    number = _number(line)
    record = json.loads(line)
    del record["n"], record["check"]
    return number, record


def _number(line: bytes) -> int:
    if not line.endswith(b"\n"):
        raise GmaskError("is cut short")
    if not (match := _SEALED.fullmatch(line)):
        raise GmaskError("is no record")
    if zlib.crc32(line[: match.start(2)] + b"}") != int(match[3], 16):
        raise GmaskError("does not match its checksum")
    return int(match[1])


def _survey(path: Path) -> Iterator[tuple[int, int, int | Damage]]:
    """For each line: where it starts, where it ends, and its number or what is wrong with it."""
    with path.open("rb") as file:
        start = 0
        for place, line in enumerate(file, start=1):
            end = start + len(line)
            try:
                number = _number(line)
                yield start, end, Damage(place, "is to be made again", again=True) if _AGAIN in line else number
            except GmaskError as error:
                yield start, end, Damage(place, str(error))
            start = end


def read_records(path: Path, on_damage: Callable[[Damage], None]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The numbers and records that can be read, in their order; nothing is changed."""
    with path.open("rb") as file:
        for place, line in enumerate(file, start=1):
            try:
                yield unseal(line)
            except GmaskError as error:
                on_damage(Damage(place, str(error)))


class _Spare:
    """Records found behind a damaged place, to be put back when their turn comes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places = array("q")  # by number: where the line starts
        for start, _, found in _survey(path):
            if isinstance(found, int):
                self._places.extend([_ABSENT] * (found + 1 - len(self._places)))
                self._places[found] = start

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, number: int) -> bool:
        return number < len(self._places) and self._places[number] != _ABSENT

    def line(self, number: int) -> bytes:
        with self.path.open("rb") as file:
            file.seek(self._places[number])
            return file.readline()


class Ledger:
    """Records 0, 1, 2, ... of a file, one line each, appended in their order and held by one process at a time.

    Opening mends: a last line that was cut short is taken away; where something in the middle is damaged, the file is
    set aside, cut before the damage, and what could be read behind it is put back when its number comes round. So at
    the end the file is the same, byte for byte, as if nothing had happened. A record with `"again": True` is taken out
    in the same way when the file is opened anew, to be made again.

    Args:
        path: The file.
        say: Told in a line what was mended.
        check: Called once no other process has the file, before anything in it is changed.
    """

    def __init__(self, path: Path, say: Callable[[str], None], check: Callable[[], None] = lambda: None) -> None:
        self.path = path
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab", buffering=0)
        self._length = 0
        self._synced = time.monotonic()
        try:
            _lock(self._file.fileno(), path)
            check()
            self._mend(say)
        except GmaskError:
            self._file.close()
            raise
        self._spares = [_Spare(p) for p in self._set_aside()]

    def __len__(self) -> int:
        return self._length

    def __contains__(self, number: int) -> bool:
        return number < self._length or self._spare_with(number) is not None

    def __enter__(self) -> Ledger:  # noqa: PYI034
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The records there are, also those that wait to be put back, with their numbers, which rise."""
        length = self._length
        with self.path.open("rb") as file:
            for _ in range(length):
                yield unseal(file.readline())
        for number in range(length, max((len(spare) for spare in self._spares), default=0)):
            if spare := self._spare_with(number):
                yield unseal(spare.line(number))

    def append(self, number: int, record: Mapping[str, Any]) -> None:
        """Write the record with this number, unless it is there already."""
        self.put_back()
        if number < self._length:
            return
        if number > self._length:
            raise GmaskError(f"{self.path}: record {self._length} is missing, record {number} cannot follow")
        self._write(seal(number, record))

    def put_back(self) -> None:
        """Write the records whose turn it is from what was set aside."""
        while spare := self._spare_with(self._length):
            self._write(spare.line(self._length))

    def finish(self) -> None:
        """Nothing is to be written any more: what was set aside goes if every record in it stands in the file again."""
        self.put_back()
        with writing(self.path, GOES_ON):
            os.fsync(self._file.fileno())
            for spare in [spare for spare in self._spares if len(spare) <= self._length]:
                spare.path.unlink(missing_ok=True)
                self._spares.remove(spare)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _spare_with(self, number: int) -> _Spare | None:
        return next((spare for spare in self._spares if number in spare), None)

    def _write(self, line: bytes) -> None:
        with writing(self.path, GOES_ON):
            while line:  # a raw write may take a part only
                line = line[self._file.write(line) :]
            if time.monotonic() - self._synced > SYNC_SECONDS:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()
        self._length += 1

    def _mend(self, say: Callable[[str], None]) -> None:
        healthy, lines, spared, damages = 0, 0, 0, list[Damage]()
        for _, end, found in _survey(self.path):
            lines += 1
            if isinstance(found, Damage):
                damages.append(found)
            elif damages:
                spared += 1
            elif found != self._length:
                damages.append(Damage(lines, f"is record {found}, where record {self._length} should stand"))
                spared += 1
            else:
                self._length += 1
                healthy = end
        if not damages:
            return
        if spared:
            with atomic(self._next_aside()) as copy:
                shutil.copyfile(self.path, copy)
        with writing(self.path, GOES_ON):
            os.truncate(self.path, healthy)
        again = sum(d.again for d in damages)
        if again:
            say(f"{self.path}: the model failed on {again:,} of {lines:,} records, which are made again")
        damages = [d for d in damages if not d.again]
        if damages:
            shown = ", ".join(str(d) for d in damages[:5]) + (", ..." if len(damages) > 5 else "")
            kept = f"{self._length + spared} of {lines} records are kept"
            say(f"{self.path} is damaged: {shown}; {kept}, the rest is redone")

    def _set_aside(self) -> list[Path]:
        return sorted(p for p in self.path.parent.iterdir() if p.name.startswith(f"{self.path.name}.aside-"))

    def _next_aside(self) -> Path:
        """A name that none has which was set aside before and waits still."""
        names = (self.path.with_name(f"{self.path.name}.aside-{number}") for number in itertools.count(1))
        return next(path for path in names if not path.exists())


def _lock(descriptor: int, path: Path) -> None:
    """One writer at a time, where the system knows such locks; a killed process holds none."""
    with contextlib.suppress(ImportError):
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise GmaskError(
                f"{path} is being written by another process; wait for it, or give another place"
            ) from None
