"""An explanation as a file to download."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from gmask.explanation import Explanation
from gmask.web.schema import Format

__all__ = ["FORMATS", "FileFormat"]


@dataclass(frozen=True)
class FileFormat:
    """What a kind of file is called, and how it is made."""

    title: str
    media: str
    ending: str
    write: Callable[[Explanation], bytes]


def _figure(e: Explanation, ending: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of characters no font has: the page tells nobody, the picture shows it
        path = Path(folder) / f"figure.{ending}"
        e.save(path)
        return path.read_bytes()


FORMATS: dict[str, FileFormat] = {
    "html": FileFormat("HTML", "text/html", "html", lambda e: e.to_html().encode()),
    "json": FileFormat("JSON", "application/json", "json", lambda e: e.to_json().encode()),
    "latex": FileFormat("LaTeX", "application/x-latex", "tex", lambda e: e.to_latex().encode()),
    "svg": FileFormat("SVG", "image/svg+xml", "svg", lambda e: e.to_svg().encode()),
    "png": FileFormat("PNG", "image/png", "png", lambda e: _figure(e, "png")),
    "pdf": FileFormat("PDF", "application/pdf", "pdf", lambda e: _figure(e, "pdf")),
    "text": FileFormat("text", "text/plain", "txt", lambda e: e.to_text().encode()),
}
assert set(FORMATS) == set(get_args(Format))
