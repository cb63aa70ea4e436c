"""Writing files so that a reader sees the old content or the new, never half of it."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gmask.errors import GmaskError

__all__ = ["atomic", "check_writable", "write_text", "writing"]


_calls = itertools.count()  # threads of a process may write the same file


@contextmanager
def atomic(path: Path | str) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends well, and vanishes when it does not.

    Raises:
        ValueError: The system does not let it be written.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{next(_calls)}.tmp")
    try:
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            yield temporary
            with temporary.open("rb") as written:
                os.fsync(written.fileno())
            temporary.replace(path)
        _sync_folder(path.parent)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def writing(path: Path | str, way_out: str = "") -> Iterator[None]:
    """What the system does not let be written within the block is told in one line, with a way out if there is one."""
    try:
        yield
    except OSError as error:
        raise GmaskError(f"cannot write {path}: {error.strerror or error}{way_out}") from None


def _sync_folder(folder: Path) -> None:
    """A name is as safe as its file only once its folder is written too, where a system lets folders be synced."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_text(path: Path | str, text: str) -> None:
    """Write a text file in one step."""
    with atomic(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def check_writable(path: Path | str) -> None:
    """Refuse a file that cannot be written: before the work, not after it."""
    path = Path(path)
    if path.is_dir():
        raise GmaskError(f"cannot write {path}: it is a folder")
    with writing(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise GmaskError(f"cannot write {path}: {path.parent} is a file") from None
        tempfile.TemporaryFile(dir=path.parent).close()
