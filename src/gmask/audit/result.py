"""What an audit found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gmask.errors import GmaskError, one_of
from gmask.files import write_text

__all__ = ["FORMAT", "JSON", "Audit", "Finding"]

FORMAT = 2
JSON, PAGE, COUNTER = "audit.json", "audit.html", "counterexamples.tsv"


@dataclass(frozen=True, repr=False)
class Finding:
    """A pattern that causes answers: brought about in pairs that had no part in finding it, it turned their answers.

    Attributes:
        pattern: What it is, in words.
        first: Its words in the first text.
        second: Its words in the second text.
        label: The label it causes.
        pairs: How many answers rest on it.
        accuracy: How often these are right; None without labels.
        turned: The share of answers that bringing it about turned into the label.
        interval: The 95 % interval of that share.
        examples: Pairs whose answer rests on it, wrong ones first; `marks` are where its words stand.
        details: Everything else, as in audit.json: `control` (the share turned by words of equal frequency), `q`, ...
    """

    pattern: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    label: str
    pairs: int
    accuracy: float | None
    turned: float
    interval: tuple[float, float]
    examples: tuple[Mapping[str, Any], ...]
    details: Mapping[str, Any]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Finding:
        """The finding that plain data holds."""
        own = ("pattern", "first", "second", "label", "pairs", "accuracy", "turned", "interval", "examples")
        low, high = data["interval"]
        return cls(
            data["pattern"],
            tuple(data["first"]),
            tuple(data["second"]),
            data["label"],
            data["pairs"],
            data["accuracy"],
            data["turned"],
            (low, high),
            tuple(data["examples"]),
            {name: value for name, value in data.items() if name not in own},
        )

    def __repr__(self) -> str:
        return f"<Finding {self}>"

    def __str__(self) -> str:
        control, hosts = self.details["control"], self.details["hosts"]
        right = "" if self.accuracy is None else f", {self.accuracy:.0%} of them right"
        *parts, _ = self.details["alone"] or [None]
        words = [f"“{own['word']}” in the {own['text']} alone {own['turned']:.0%}" for own in parts]
        beside = ", ".join(words) or f"control {control:.0%}"
        resting = "1 answer rests" if self.pairs == 1 else f"{self.pairs} answers rest"
        return (
            f"{self.pattern}: {self.label}; turned {self.turned:.0%} of {hosts} answers ({beside}); "
            f"{resting} on it{right}"
        )


@dataclass(frozen=True, repr=False)
class Audit:
    """What a model does systematically, and how often it is right with it.

    Attributes:
        data: All of it as plain data, as in audit.json.
    """

    data: Mapping[str, Any]

    @property
    def findings(self) -> list[Finding]:
        """Proven causes: patterns with words of their own first, each by how many answers it decides."""
        return [Finding.from_dict(finding) for finding in self.data["findings"]]

    @property
    def one_sided(self) -> list[dict[str, Any]]:
        """For each label and text: how many answers the text carries alone, beside any other, and their accuracy."""
        return list(self.data["one_sided"])

    @property
    def errors(self) -> list[dict[str, Any]]:
        """The wrong answers by what they rest on."""
        return list(self.data["errors"])

    @property
    def changes(self) -> list[dict[str, Any]]:
        """Pairs that the other model answers differently, where there is one."""
        return list(self.data.get("changes", ()))

    @property
    def notes(self) -> list[str]:
        """What could not be found out, and why."""
        return list(self.data["notes"])

    def to_frame(self) -> Any:
        """One row a finding: a pandas DataFrame where pandas is installed, else a list of dicts."""
        from gmask.audit.tables import finding_rows

        rows = finding_rows(self.data["findings"])
        try:
            import pandas as pd
        except ImportError:
            return rows
        return pd.DataFrame(rows)

    @classmethod
    def read(cls, path: Path | str) -> Audit:
        """An audit that was saved: its folder, or its audit.json."""
        path = Path(path)
        file = path / JSON if path.is_dir() else path
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise GmaskError(f"{path} is no audit: there is no {JSON} in it") from None
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            raise GmaskError(f"{file} is damaged ({error}); run gmask audit again, it keeps its answers") from None
        if not isinstance(data, dict) or data.get("format") != FORMAT or "findings" not in data:
            raise GmaskError(f"{file} is no audit of format {FORMAT}")
        return cls(data)

    def to_json(self) -> str:
        """All of it."""
        return json.dumps(self.data, ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    def save(self, path: Path | str) -> None:
        """Write the page (.html), the data (.json), or a folder with both, the tables and the counter-examples."""
        from gmask.audit.check import settings_files
        from gmask.audit.tables import counterexamples, tables
        from gmask.view.audit import to_page

        path = Path(path)
        if path.suffix == ".html":
            write_text(path, to_page(self.data))
        elif path.suffix == ".json":
            write_text(path, self.to_json())
        elif path.suffix and not path.is_dir():
            raise one_of("file ending", path.suffix, (".html", ".json", "none, for a folder"))
        else:
            write_text(path / JSON, self.to_json())
            write_text(path / PAGE, to_page(self.data))
            write_text(path / COUNTER, counterexamples(self.data))
            for name, text in tables(self.data).items():
                write_text(path / f"{name}.csv", text)
            for name, text in settings_files(self.data).items():
                if not (path / name).exists():  # people edit them
                    write_text(path / name, text)

    def __len__(self) -> int:
        return len(self.data["findings"])

    def __repr__(self) -> str:
        found = f"{len(self)} finding{'s' * (len(self) != 1)}"
        return f"<Audit of {self.data['model']['name']}: {found}, {self.data['counts']['pairs']} pairs>"

    def __str__(self) -> str:
        lines = [f"{i}. {finding}" for i, finding in enumerate(self.findings, start=1)]
        return "\n".join([repr(self)[1:-1], *lines, *(f"note: {note}" for note in self.notes)])
