"""The ERASER benchmark (DeYoung et al. 2020): annotations that point into documents.

In e-SNLI both texts are documents, named after the annotation. In the other tasks one or more documents are read beside
a `query` (a claim, a question, a question and its answer), in which nobody marked anything.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from gmask.dataset.catalogue import Corpus
from gmask.dataset.example import Example, Positions
from gmask.dataset.records import label_in
from gmask.dataset.table import Row, read_rows
from gmask.errors import GmaskError

__all__ = ["eraser_reader", "is_eraser"]

_ROLES = ("premise", "hypothesis")


def is_eraser(row: Row) -> bool:
    """Whether a row is an ERASER annotation."""
    return {"annotation_id", "evidences", "classification"} <= row.fields.keys()


def eraser_reader(corpus: Corpus, folder: Path) -> Callable[[Row], Example]:
    """What reads annotations whose documents are in `folder`, in `docs.jsonl` or one file each in `docs`."""
    document = _documents(folder)

    def read(row: Row) -> Example:
        identity = str(row.fields["annotation_id"])
        if query := str(row.fields.get("query") or "").strip():
            return _asked(row, identity, query)
        texts = []
        for role in _ROLES:
            text = document(f"{identity}_{role}")
            if text is None or not text.strip():
                raise row.error(f"no document {identity}_{role} in {folder}", "annotation_id")
            texts.append(text)
        label = label_in(corpus, row, "classification")
        first, second = (_marked(row, f"{identity}_{role}", t) for role, t in zip(_ROLES, texts, strict=True))
        return Example(texts[0], texts[1], label, identity, ((first, second),))

    def _asked(row: Row, identity: str, query: str) -> Example:
        """Documents, one after the other, beside a query."""
        texts, marked, tokens = [], list[int](), 0
        for name in _named(row):
            text = document(name)
            if text is None or not text.strip():
                raise row.error(f"no document {name} in {folder}", "docids")
            marked += [tokens + position for position in _marked(row, name, text)]
            texts.append(text)
            tokens += len(text.split())
        label = label_in(corpus, row, "classification")
        return Example(" ".join(texts), query, label, identity, ((tuple(marked), None),))

    return read


def _named(row: Row) -> list[str]:
    """The documents of an annotation; where it lists none, those that its evidence is in."""
    try:
        named = row.fields.get("docids") or [e["docid"] for group in row.fields["evidences"] for e in group]  # type: ignore[attr-defined]
        found = list(dict.fromkeys(map(str, named)))  # type: ignore[call-overload]
    except (KeyError, TypeError):
        raise row.error("groups of evidence with docid, start_token and end_token are wanted", "evidences") from None
    if not found:
        raise row.error("documents to read beside the query are wanted", "docids")
    return found


def _documents(folder: Path) -> Callable[[str], str | None]:
    table = next((p for p in (folder / "docs.jsonl", folder / "docs.jsonl.gz") if p.is_file()), None)
    if table is not None:
        texts = {str(r.fields.get("docid")): _joined(str(r.fields.get("document", ""))) for r in read_rows(table)}
        return texts.get
    if not (folder / "docs").is_dir():
        raise GmaskError(f"ERASER's annotations need their documents: no docs.jsonl and no docs folder in {folder}")

    @cache
    def read(name: str) -> str | None:
        path = folder / "docs" / name
        if "/" in name or not path.is_file():
            return None
        return _joined(path.read_text(encoding="utf-8"))

    return read


def _joined(document: str) -> str:
    """Sentences stand on lines of their own and tokens apart; positions count over the whole document."""
    return " ".join(document.split())


def _marked(row: Row, document: str, text: str) -> Positions:
    """The positions of all evidence in one document."""
    marked: set[int] = set()
    tokens = len(text.split())
    try:
        for group in row.fields["evidences"]:  # type: ignore[attr-defined]
            for evidence in group:
                if evidence["docid"] == document:
                    start, end = evidence["start_token"], evidence["end_token"]
                    if not 0 <= start < end <= tokens:
                        raise row.error(f"evidence from token {start} to {end} of {tokens} in {document}", "evidences")
                    marked.update(range(start, end))
    except (KeyError, TypeError):
        raise row.error("groups of evidence with docid, start_token and end_token are wanted", "evidences") from None
    return tuple(sorted(marked))
