"""Passages as people have them: texts, records with an id and a title, the name of a file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gmask.errors import GmaskError, one_of

__all__ = ["Passage", "passages_of"]

TEXT = ("text", "passage", "document", "contents", "content", "body")
IDENTITY = ("_id", "id", "docid", "doc_id", "pid", "passage_id", "document_id")
TITLE = ("title", "heading")
ENDINGS = (".txt", ".jsonl", ".ndjson")


@dataclass(frozen=True)
class Passage:
    """A text to rank. Its id and its title are shown; only the text is read."""

    text: Any
    id: str
    title: str = ""

    @property
    def name(self) -> str:
        """What it is called."""
        return f"passage {self.id}"


def passages_of(given: Any) -> list[Passage]:
    """The passages, each with an id: its own, or its position."""
    if isinstance(given, (str, Path)):
        given = _file(Path(given).expanduser())
    elif hasattr(given, "to_dict") and hasattr(given, "columns"):
        given = given.to_dict("records")
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise GmaskError(f"passages are a list of texts or records, or the name of a file, not {given!r:.80}")
    found = [_passage(position, one) for position, one in enumerate(given)]
    if not found:
        raise GmaskError("there are no passages to rank; give at least one")
    seen: set[str] = set()
    for passage in found:
        if passage.id in seen:
            raise GmaskError(f"two passages have the id {passage.id!r}; ids must differ")
        seen.add(passage.id)
    return found


def _passage(position: int, given: Any) -> Passage:
    if isinstance(given, Passage):
        return given
    if not isinstance(given, Mapping):
        return Passage(given, str(position))
    fields = {str(name).lower(): value for name, value in given.items()}
    text, identity, title = (
        next((fields[name] for name in names if fields.get(name) is not None), None)
        for names in (TEXT, IDENTITY, TITLE)
    )
    if isinstance(text, Mapping):  # {"document": {"text": ...}}, as answers of services have it
        return _passage(position, {**{k: v for k, v in fields.items() if k in IDENTITY + TITLE}, **text})
    if text is None:
        have = ", ".join(map(str, given)) or "none"
        raise GmaskError(f"passage {position} has no text; wanted a field {', '.join(TEXT)}; there are: {have}")
    return Passage(text, str(position if identity is None else identity), str(title or ""))


def _file(path: Path) -> Iterator[Any]:
    """A passage a line; empty lines are passed over."""
    name = path.name.lower().removesuffix(".gz")
    if not name.endswith(ENDINGS):
        raise one_of("file of passages", str(path), [f"a name that ends in {end}" for end in ENDINGS])
    if not path.is_file():
        raise GmaskError(f"no such file: {path}")
    open_ = gzip.open if path.name.lower().endswith(".gz") else open
    try:
        with open_(path, "rb") as file:
            yield from _lines(path, file, plain=name.endswith(".txt"))
    except (OSError, EOFError) as error:
        raise GmaskError(f"cannot read {path}: {error}") from None


def _lines(path: Path, file: Iterable[bytes], *, plain: bool) -> Iterator[Any]:
    for number, line in enumerate(file, start=1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            if text:
                yield text if plain else _object(text)
        except ValueError as error:
            raise GmaskError(f"{path}, line {number}: {_told(error)}") from None


def _object(text: str) -> Any:
    found = json.loads(text)
    if not isinstance(found, (str, dict)):
        raise GmaskError(f"a text or an object is wanted, not {text[:40]}")
    return found


def _told(error: ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8 text"
    return f"not JSON ({error})" if isinstance(error, json.JSONDecodeError) else str(error)
