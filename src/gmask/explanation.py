"""The one result class: what a model said, which words it rests on, and the evidence for that."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from gmask.errors import GmaskError, one_of
from gmask.files import write_text
from gmask.pair import Word
from gmask.reference import EMPTY, Reference
from gmask.target import DIRECTIONS

__all__ = ["Evidence", "Explanation", "Group", "Rival", "Sentence"]

SCHEMA = 2
READABLE = (1, 2)  # files of the first have no reference: they were held against an empty pair
ENDINGS = (".json", ".html", ".tex", ".svg", ".png", ".pdf", ".txt")
MEMBER = 0.5  # a word is in a group if it more likely is than not
FLOOR = 1e-5  # an attribution below this is none: methods break ties on a smaller scale


@dataclass(frozen=True, repr=False)
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

    def words(self, e: Explanation, sentence: int | None = None) -> tuple[Word, ...]:
        """Its words in the explanation it is of; with `sentence`, only those of the first (0) or the second (1)."""
        return tuple(e.words[i] for i in self.members if sentence in (None, e.words[i].sentence))

    def __repr__(self) -> str:
        words = ", ".join(map(str, self.members)) or "none"
        proof = "" if self.kept is None else f", kept {self.kept:.2f}"
        proof += "" if self.removed is None else f", removed {self.removed:.2f}"
        return f"<Group of words {words}: importance {self.importance:.2f}{proof}>"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a long text, of which those that decide were found first, and then their words.

    `sentence` is the text it is of, the first (0) or the second (1). `kept` and `removed`: the explained probability,
    or a raw score, with only this sentence of its text, and without it, the other text being whole; words are removed
    in the first of the ways that `removal` names. `says` is what the model says with only this sentence, where labels
    exclude each other.
    """

    text: str
    sentence: int
    start: int
    end: int
    kept: float
    removed: float
    says: str | None
    decisive: bool

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, repr=False)
class Evidence:
    """The explained probability, or a raw score in its own units, under removals that anyone can repeat.

    `kept[v - 1]` and `removed[v - 1]`: with only, and without, the top v words. `nothing`: with nothing of the pair
    left, by the reference. `emptied`: with the first, and with the second, sentence emptied. `exchanged`: with it
    exchanged for other real texts, on average; `survival`: for what share of these the model still gives the answer.
    `anyway`: for what share of pairs of such texts, with nothing of this pair, it gives it too. `survives`: whether it
    gives it for all exchanges, and not anyway. These need texts in the language of the pair.
    """

    kept: tuple[float, ...]
    removed: tuple[float, ...]
    emptied: tuple[float, float]
    survives: tuple[bool, bool]
    nothing: float
    exchanged: tuple[float, float] | None = None
    survival: tuple[float, float] | None = None
    anyway: float | None = None

    def __repr__(self) -> str:
        kept, removed = (" ".join(f"{v:.2f}" for v in values) for values in (self.kept, self.removed))
        return f"<Evidence: nothing {self.nothing:.2f}, kept {kept}, removed {removed}>"


@dataclass(frozen=True)
class Rival:
    """A text that the second one is held against, beside the same first: the difference of their scores is explained.

    Attributes:
        text: It; words of it are of sentence 2.
        names: What the second, and what this one, is called.
        scores: Of the second, and of this one.
        turn: The fewest words found that, deleted from the texts, turn the order of the two; None if none were.
        turned: The scores without these words.
    """

    text: str
    names: tuple[str, str]
    scores: tuple[float, float]
    turn: tuple[int, ...] | None = None
    turned: tuple[float, float] | None = None


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a model said what it said of a pair, or why it gave one pair another score than a second one.

    `label` and `probability` are what the model says of the pair; `target` is the label explained (another, if asked
    for), `against` the one it is held against, and `value` its probability, or share of the two, or the raw `score`.
    `reference` is where nothing of the pair is left, by which the answer is judged; `str(e.reference)` is in words.
    With a third text, `over`, the score is the difference of the scores of (first, second) and (first, third).
    `sentences` are those of a long text: the words of the `decisive` ones were asked about, all others have nothing.
    `details["seen"]`, and for a raw score `details["scores"]`, have the lowest and the highest of all that was seen.
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
    seconds: float | None  # None where they were not kept
    reference: Reference = EMPTY
    over: Rival | None = None
    sentences: tuple[Sentence, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The two texts, and the third if there is one; the sentence of a word is its place here."""
        return (self.first, self.second) if self.over is None else (self.first, self.second, self.over.text)

    def order(self) -> list[int]:
        """The positions of the words, most important first; ties in reading order."""
        return [int(i) for i in np.argsort(-np.asarray(self.attributions), kind="stable")]

    def top(self, count: int = 4) -> list[Word]:
        """The most important words; fewer where fewer speak for the target."""
        return [self.words[i] for i in self.order()[:count] if self.attributions[i] >= FLOOR]

    @property
    def rests_on(self) -> int | None:
        """The sentence (0 or 1) that carries the answer alone: it survives with other real texts beside it."""
        first_gone, second_gone = self.evidence.survives
        return None if first_gone == second_gone or not self.holds else (1 if first_gone else 0)

    @property
    def holds(self) -> bool:
        """Whether the model, reading all words, gives the answer that is explained."""
        if self.score is not None:
            return (self.score >= self.evidence.nothing) == (self.target == DIRECTIONS[1])
        return self.value >= 0.5 if self.against is not None or self.multilabel else self.target == self.label

    @property
    def multilabel(self) -> bool:
        """Whether each label has a probability of its own, so that any number of them can hold."""
        return bool(self.details.get("multilabel"))

    def notes(self) -> list[str]:
        """What a reader must know before trusting the story, in words."""
        from gmask.notes import notes

        return notes(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON."""
        words = tuple({"text": w.text, "sentence": w.sentence, "start": w.start, "end": w.end} for w in self.words)
        parts = {"groups": tuple(dict(vars(g)) for g in self.groups), "evidence": dict(vars(self.evidence))}
        parts["reference"] = dict(vars(self.reference))
        parts["over"] = None if self.over is None else dict(vars(self.over))  # type: ignore[assignment]
        parts["sentences"] = tuple(asdict(s) for s in self.sentences)
        return {"schema": SCHEMA, **vars(self), "words": words, **parts}

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
        if (schema := data["schema"]) not in READABLE:
            raise one_of("schema version", schema, READABLE)
        # A line of a batch has a number, an id and a checksum besides, and no time, so as to have the same bytes again.
        data = {"seconds": None, **{f.name: data[f.name] for f in fields(cls) if f.name in data}}
        try:
            data["words"] = tuple(Word(**w) for w in data["words"])
            data["groups"] = tuple(Group(**{**g, "memberships": tuple(g["memberships"])}) for g in data["groups"])
            evidence: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data["evidence"].items()}
            if schema == 1:  # an answer that survives an emptied sentence says nothing
                evidence["survives"] = (False, False)
            data["evidence"] = Evidence(**evidence)
            reference = data.get("reference") or {}
            data["reference"] = Reference(
                str(reference.get("kind", "empty")), *(tuple(reference.get(k, ())) for k in ("firsts", "seconds"))
            )
            if (over := data.get("over")) is not None:
                rival: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in over.items()}
                data["over"] = Rival(**rival)
            data["sentences"] = tuple(Sentence(**s) for s in data.get("sentences", ()))
            for name in ("attributions", "labels", "probabilities", "warnings"):
                data[name] = tuple(data[name])
            return cls(**data)._checked()
        except (KeyError, TypeError, AttributeError) as error:
            raise GmaskError(f"not an explanation of schema {SCHEMA}: {error}") from None

    def _checked(self) -> Explanation:
        """Itself, if each word stands in its sentence and has its numbers."""
        texts, n = self.texts, len(self.words)
        if not all(len(numbers) == n for numbers in (self.attributions, *(g.memberships for g in self.groups))):
            raise GmaskError(f"not an explanation: there are {n} words, but not as many attributions or memberships")
        if self.over is not None and not all(0 <= i < n for i in self.over.turn or ()):
            raise GmaskError(f"not an explanation: there are {n} words, but others turn the order")
        parts: list[Word | Sentence] = [*self.words, *self.sentences]
        for w in parts:
            if w.sentence not in range(len(texts)) or texts[w.sentence][w.start : w.end] != w.text:
                raise GmaskError(f"not an explanation: {w.text[:40]!r} does not stand where it should")
        return self

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
        """Write a file in the format its name ends in: .json, .html, .tex, .svg, .png, .pdf or .txt."""
        from gmask.view.figure import save_figure

        path = Path(path)
        check_ending(path)
        writers: dict[str, Callable[[], None]] = {
            ".json": lambda: write_text(path, self.to_json(indent=1) + "\n"),
            ".html": lambda: write_text(path, self.to_html() + "\n"),
            ".tex": lambda: write_text(path, self.to_latex() + "\n"),
            ".svg": lambda: write_text(path, self.to_svg() + "\n"),
            ".png": lambda: save_figure(self, path),
            ".pdf": lambda: save_figure(self, path),
            ".txt": lambda: write_text(path, self.to_text() + "\n"),
        }
        try:
            writers[path.suffix.lower()]()
        except OSError as error:
            raise GmaskError(f"cannot write {path}: {error.strerror}") from None

    def _repr_html_(self) -> str:
        from gmask.view.html import fragment

        return fragment(self)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        from gmask.view.parts import named, supporting

        words = ", ".join(named(self, supporting(self)[:4], repr)) or "no word"
        return f"<Explanation of {self.target!r} by {self.method}: {words}>"


def check_ending(path: Path) -> None:
    """Refuse a file whose name does not end in one of the formats."""
    if path.suffix.lower() not in ENDINGS:
        raise one_of("file ending", path.suffix, ENDINGS)
