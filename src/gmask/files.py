"""Writing files so that a reader sees the old content or the new, never half of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gmask.errors import GmaskError

__all__ = ["atomic", "check_writable", "write_text"]


@contextmanager
def atomic(path: Path | str) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends well, and vanishes when it does not."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path | str, text: str) -> None:
    """Write a text file in one step."""
    with atomic(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def check_writable(path: Path | str) -> None:
    """Refuse a file that cannot be written: before the work, not after it."""
    path = Path(path)
    if path.is_dir():
        raise GmaskError(f"cannot write {path}: it is a folder")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path.parent).close()
    except FileExistsError:
        raise GmaskError(f"cannot write {path}: {path.parent} is a file") from None
    except OSError as error:
        raise GmaskError(f"cannot write {path}: {error.strerror}") from None
