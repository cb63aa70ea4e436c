"""The one result class: what a model said, which words it rests on, and the evidence for that."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gmask.errors import GmaskError, one_of
from gmask.files import write_text
from gmask.pair import Word

__all__ = ["Evidence", "Explanation", "Group"]

SCHEMA = 1
MEMBER = 0.5  # a word is in a group if it more likely is than not


@dataclass(frozen=True)
class Group:
    """Words that act together. `kept` and `removed`: the explained probability with only, and without, its words."""

    importance: float
    memberships: tuple[float, ...]
    kept: float | None = None
    removed: float | None = None

    @property
    def members(self) -> tuple[int, ...]:
        """The positions of the words that more likely than not are in the group."""
        return tuple(i for i, m in enumerate(self.memberships) if m >= MEMBER)


@dataclass(frozen=True)
class Evidence:
    """The explained probability under removals that anyone can repeat.

    `kept[v - 1]` and `removed[v - 1]`: with only, and without, the top v words. `emptied`: with the first, and with the
    second, sentence emptied; `survives`: whether the model still says the label then. `nothing`: with no word at all.
    """

    kept: tuple[float, ...]
    removed: tuple[float, ...]
    emptied: tuple[float, float]
    survives: tuple[bool, bool]
    nothing: float


@dataclass(frozen=True)
class Explanation:
    """Why a model said what it said of a pair.

    `label` and `probability` are what the model says of the pair; `target` is the label explained (another, if asked
    for), `against` the one it is held against, and `value` its probability (or share of the two, or the position of a
    raw `score` between what no words and all words give).
    """

    first: str
    second: str
    words: tuple[Word, ...]
    attributions: tuple[float, ...]
    groups: tuple[Group, ...]
    labels: tuple[str, ...]
    probabilities: tuple[float, ...]
    label: str
    probability: float
    target: str
    against: str | None
    value: float
    score: float | None
    evidence: Evidence
    method: str
    settings: Mapping[str, Any]
    removal: str
    model: str
    seed: int
    rows: int
    seconds: float
    versions: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def order(self) -> list[int]:
        """The positions of the words, most important first; ties in reading order."""
        return [int(i) for i in np.argsort(-np.asarray(self.attributions), kind="stable")]

    def top(self, count: int = 4) -> list[Word]:
        """The most important words."""
        return [self.words[i] for i in self.order()[:count]]

    @property
    def rests_on(self) -> int | None:
        """The sentence (0 or 1) that carries the label alone, if the label survives without the other."""
        first_gone, second_gone = self.evidence.survives
        return None if first_gone == second_gone else (1 if first_gone else 0)

    def notes(self) -> list[str]:
        """What a reader must know before trusting the story, in words."""
        first_gone, second_gone = self.evidence.survives
        p, q = self.evidence.emptied
        notes = []
        if first_gone and second_gone:
            notes.append(
                f"The model says “{self.target}” even with either sentence emptied ({p:.2f} and {q:.2f}): "
                "it does not need both."
            )
        elif first_gone:
            notes.append(
                f"The model says “{self.target}” ({p:.2f}) even with the first sentence emptied: "
                "it rests on the second sentence alone."
            )
        elif second_gone:
            notes.append(
                f"The model says “{self.target}” ({q:.2f}) even with the second sentence emptied: "
                "it rests on the first sentence alone."
            )
        if self.target != self.label:
            notes.append(f"The model says “{self.label}”; this explains “{self.target}”, which was asked for.")
        return [*notes, *self.warnings]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON."""
        return {"schema": SCHEMA, **asdict(self)}

    def to_json(self, *, indent: int | None = None) -> str:
        """JSON that `from_json` reads back to an equal explanation."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Explanation:
        """The explanation that a JSON text holds."""
        try:
            data = json.loads(text)
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise GmaskError(f"not the JSON of an explanation: {error}") from None
        return cls.from_dict(data)

    @classmethod
    def from_dict(cls, data: Any) -> Explanation:
        """The explanation that plain data holds."""
        if not isinstance(data, dict) or "schema" not in data:
            raise GmaskError("not an explanation: there is no schema version")
        data = dict(data)
        if (schema := data.pop("schema")) != SCHEMA:
            raise one_of("schema version", schema, [SCHEMA])
        try:
            data["words"] = tuple(Word(**w) for w in data["words"])
            data["groups"] = tuple(Group(**{**g, "memberships": tuple(g["memberships"])}) for g in data["groups"])
            data["evidence"] = Evidence(
                **{k: tuple(v) if isinstance(v, list) else v for k, v in data["evidence"].items()}
            )
            for name in ("attributions", "labels", "probabilities", "warnings"):
                data[name] = tuple(data[name])
            return cls(**data)
        except (KeyError, TypeError) as error:
            raise GmaskError(f"not an explanation of schema {SCHEMA}: {error}") from None

    def to_html(self) -> str:
        """A self-contained page."""
        from gmask.view.html import to_html

        return to_html(self)

    def to_latex(self) -> str:
        """A table row in the manner of the paper."""
        from gmask.view.latex import to_latex

        return to_latex(self)

    def to_svg(self) -> str:
        """The paper's Figure 1: words on both sides, groups between."""
        from gmask.view.figure import to_svg

        return to_svg(self)

    def to_text(self, *, colour: bool = False) -> str:
        """What the terminal shows."""
        from gmask.view.terminal import to_text

        return to_text(self, colour=colour)

    def save(self, path: Path | str) -> None:
        """Write a file in the format its name ends in: .json, .html, .tex, .svg, .png or .txt."""
        path = Path(path)
        if path.suffix == ".png":
            from gmask.view.figure import save_png

            save_png(self, path)
            return
        writers = {
            ".json": lambda: self.to_json(indent=1),
            ".html": self.to_html,
            ".tex": self.to_latex,
            ".svg": self.to_svg,
            ".txt": self.to_text,
        }
        if path.suffix not in writers:
            raise one_of("file ending", path.suffix, [*writers, ".png"])
        write_text(path, writers[path.suffix]() + "\n")

    def _repr_html_(self) -> str:
        from gmask.view.html import fragment

        return fragment(self)

    def __str__(self) -> str:
        return self.to_text()
