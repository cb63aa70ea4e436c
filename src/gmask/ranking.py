"""Passages in the order of a model's scores for a query: why one has its score, and why it stands above another."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from gmask.bar import bar
from gmask.coarse import is_long
from gmask.dataset.passages import Passage, passages_of
from gmask.errors import GmaskError, one_of
from gmask.explainer import Explainer, versions
from gmask.explanation import Explanation, Rival
from gmask.files import write_text
from gmask.method.base import Method
from gmask.model import load
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair
from gmask.model.held import hold
from gmask.model.rival import Margin, RivalPair
from gmask.neutral import neutral
from gmask.pair import check_text
from gmask.reference import COUNT, Reference, References
from gmask.target import find_target, relevant
from gmask.turn import find_turn

__all__ = ["Ranking", "rank"]

SCHEMA = 1
TOGETHER = 32  # passages that are scored together
ENDINGS = (".html", ".json", ".txt")
DELETE = "delete"  # what would turn the order is shown by deleting words: anyone can repeat that
SAME = 1e-6  # scores that differ by this share of them are the same


@dataclass(frozen=True, repr=False)
class Ranking:
    """Passages with their scores, and the explanations that were asked for.

    Attributes:
        query: The query.
        passages: The passages as they were given.
        scores: The model's score of each, in its own units; None for one that could not be read.
        model: The model.
        label: The label whose probability is the score; None for a raw score.
        warnings: What is known of single passages, by their position.
        explanations: What was asked for: by the position of a passage and of the one it is held against, if any.
    """

    query: str
    passages: tuple[Passage, ...]
    scores: tuple[float | None, ...]
    model: PairModel
    label: str | None
    warnings: dict[int, tuple[str, ...]] = field(default_factory=dict)
    explanations: dict[tuple[int, int | None], Explanation] = field(default_factory=dict)

    @property
    def order(self) -> list[int]:
        """The positions of the passages, the best first; ties as they were given, what could not be read last."""
        return sorted(range(len(self.scores)), key=lambda i: (self.scores[i] is None, -(self.scores[i] or 0.0)))

    def place(self, i: int | str) -> int:
        """The place of a passage, 1 for the best."""
        return self.order.index(self._position(i)) + 1

    def why(
        self,
        i: int | str,
        *,
        over: int | str | None = None,
        method: str | Method = "gmask",
        reference: Any = None,
        **options: Any,
    ) -> Explanation:
        """Why a passage has its score, or why it stands above (or below) another.

        Args:
            i: The passage, by its position or its id.
            over: Another, by its position or its id: then the difference of their scores is explained, by the words of
                the query and of both, and what would turn their order is looked for. Default: none.
            method: One of `gmask.methods()`; for a difference one that needs no gradients.
            reference: What stands in the place of a text that is gone. Default: the other passages, those with the
                lowest scores, and unrelated queries.
            **options: As of `gmask.explain`.

        Raises:
            ValueError: There is no such passage, or it and the other have the same score.
        """
        one = self._position(i)
        other = None if over is None else self._position(over)
        texts = [str(self.passages[position].text) for position in (one, other) if position is not None]
        held, notes = (reference, []) if reference is not None else self._held_against(texts)
        if other is None:
            found = self._alone(one, method, held, options)
        else:
            self._check_apart(one, other)
            found = self._above(one, other, method, held, options)
        found = replace(found, warnings=(*notes, *found.warnings))
        self.explanations[one, other] = found
        return found

    def _alone(self, i: int, method: str | Method, reference: Any, options: dict[str, Any]) -> Explanation:
        target = {} if self.label is None else {"target": self.label}
        explainer = Explainer(self.model, method, reference=reference, **{**target, **options})
        return explainer(self.query, str(self.passages[i].text))

    def _above(self, i: int, j: int, method: str | Method, reference: Any, options: dict[str, Any]) -> Explanation:
        for name in ("target", "against"):
            if options.get(name) is not None:
                raise GmaskError(f"a difference of two scores has no labels; leave `{name}` out")
        if options.get("units") == "sentences":
            raise GmaskError("a difference of two scores is explained by words; leave `units` out")
        margin = Margin(self.model, 0 if self.label is None else self.model.labels.index(self.label))
        explainer = Explainer(margin, method, **options)
        began = time.perf_counter()
        texts = [str(self.passages[position].text) for position in (i, j)]
        (held, *_) = References(reference).candidates(self.query, texts[0], raw=True)
        pairs = [self.model.bind(self.query, text, removal=explainer.removal) for text in texts]
        asked = margin.between(*(hold(pair, held) for pair in pairs))
        if explainer.removal is None and is_long(asked):  # in one way, as of any long text
            asked = margin.between(*(hold(pair.ways[0], held) for pair in pairs))
        (found,) = explainer.explain_bound([asked])
        cut = self._cut(margin, pairs)
        known = cut.rows_asked
        turn = find_turn(cut, found.order())
        rival = Rival(
            text=texts[1],
            names=(self.passages[i].name, self.passages[j].name),
            scores=self._both(cut, ()),
            turn=turn,
            turned=None if turn is None else self._both(cut, turn),
        )
        named = zip(rival.names, pairs, strict=True)
        return replace(
            found,
            over=rival,
            reference=held,
            rows=found.rows + cut.rows_asked - known,
            seconds=time.perf_counter() - began,
            warnings=tuple(f"{name}: {warning}" for name, pair in named for warning in pair.warnings),
        )

    def _cut(self, margin: Margin, pairs: Sequence[BoundPair]) -> RivalPair:
        """The two pairs, to be asked about with words deleted from their texts."""
        removal = DELETE if DELETE in self.model.removals else self.model.usual
        if pairs[0].removal != removal:
            pairs = [pair.removing(removal) for pair in pairs]
        return margin.between(*pairs)

    def _both(self, cut: RivalPair, gone: Sequence[int]) -> tuple[float, float]:
        """Both scores without some words."""
        row = np.ones(len(cut.words), bool)
        row[list(gone)] = False
        one, other = self.model.answer([(pair, row[columns][None]) for pair, columns in cut.sides])
        return float(one[0, cut.model.index]), float(other[0, cut.model.index])

    def _held_against(self, texts: Sequence[str]) -> tuple[Any, list[str]]:
        """The other passages, as a reference for some; where there is none, the usual one, and that it is so."""
        others = [
            str(self.passages[i].text)
            for i in reversed(self.order)
            if self.scores[i] is not None and self.passages[i].text not in texts
        ]
        others = list(dict.fromkeys(others))[:COUNT]
        if not others:
            return "auto", ["There is no other passage to hold it against; see what stands for it below."]
        try:
            queries = neutral(self.query, len(others), avoid=[*texts, *others])
        except GmaskError:  # none in its language: then the beginnings of other passages
            words = len(self.query.split())
            queries = tuple(" ".join(text.split()[:words]) for text in others)
        return Reference("passages", queries, tuple(others)), []

    def _position(self, i: int | str) -> int:
        """The position of a passage that was scored."""
        found = next((p for p, passage in enumerate(self.passages) if passage.id == i), i)
        whole = isinstance(found, (int, np.integer)) and not isinstance(found, bool)
        if not whole or not 0 <= int(found) < len(self.passages):
            ids = [passage.id for passage in self.passages]
            raise one_of("passage", i, ids if len(ids) <= 10 else [*ids[:5], "…", ids[-1]])
        if self.scores[int(found)] is None:
            raise GmaskError(f"{self.passages[int(found)].name} was not scored: {self.warnings[int(found)][0]}")
        return int(found)

    def _check_apart(self, i: int, j: int) -> None:
        names = self.passages[i].name, self.passages[j].name
        if i == j:
            raise GmaskError(f"{names[0]} does not stand above itself; `over` must name another passage")
        one, other = self.scores[i] or 0.0, self.scores[j] or 0.0
        if abs(one - other) <= SAME * max(1.0, abs(one)):
            why = "are the same text" if self.passages[i].text == self.passages[j].text else "have the same score"
            raise GmaskError(f"{names[0]} and {names[1]} {why} ({one:.4g}): neither stands above the other")

    def notes(self) -> list[str]:
        """What a reader must know of the whole, in words."""
        unread = [self.passages[i].name for i, score in enumerate(self.scores) if score is None]
        told = [(f"could not be read and {_are(unread)} last", unread)] if unread else []
        warned: dict[str, list[str]] = {}
        for i, warnings in self.warnings.items():
            for warning in warnings if self.scores[i] is not None else ():
                warned.setdefault(warning, []).append(self.passages[i].name)
        same = list(_tied([self.scores[i] for i in self.order if self.scores[i] is not None]))
        found = [f"{_listed(names)} {text}." for text, names in told]
        found += [f"{_listed(names)}: {warning}" for warning, names in warned.items()]
        if same:
            found.append("Places with the same score: " + ", ".join(f"{a} to {b}" for a, b in same) + ".")
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON."""
        places = {i: place for place, i in enumerate(self.order, start=1)}
        return {
            "schema": SCHEMA,
            "query": self.query,
            "model": self.model.name,
            "label": self.label,
            "order": self.order,
            "scores": list(self.scores),
            "passages": [
                {**vars(p), "place": places[i], "score": self.scores[i], "warnings": list(self.warnings.get(i, ()))}
                for i, p in enumerate(self.passages)
            ],
            "notes": self.notes(),
            "explanations": [
                {"passage": i, "over": j, "explanation": e.to_dict()} for (i, j), e in self.explanations.items()
            ],
            "versions": versions(),
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """JSON with every passage, its place and its score, and the explanations that were asked for."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    def to_html(self) -> str:
        """A self-contained page, with the explanations that were asked for."""
        from gmask.view.ranking import to_html

        return to_html(self)

    def to_text(self, *, colour: bool = False) -> str:
        """What the terminal shows."""
        from gmask.view.ranking import to_text

        return to_text(self, colour=colour)

    def save(self, path: Path | str) -> None:
        """Write a file in the format its name ends in: .html, .json or .txt."""
        path = Path(path)
        check_ending(path)
        writers: dict[str, Callable[[], str]] = {
            ".html": self.to_html,
            ".json": lambda: self.to_json(indent=1),
            ".txt": self.to_text,
        }
        write_text(path, writers[path.suffix.lower()]() + "\n")

    def _repr_html_(self) -> str:
        from gmask.view.ranking import fragment

        return fragment(self)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        best = ", ".join(f"{self.passages[i].id} ({_told(self.scores[i])})" for i in self.order[:3])
        return f"<Ranking of {len(self.passages)} passages by {self.model.name}: {best}>"


def rank(
    model: Any,
    query: str,
    passages: Any,
    *,
    target: str | int | None = None,
    skip_bad: bool = False,
    progress: bool = False,
) -> Ranking:
    """Put passages in the order of a model's scores for a query.

    Args:
        model: What `gmask.load` returns, or anything it takes. It reads (query, passage).
        query: The query.
        passages: Texts; records with a `text` (or `passage`, `document`, `contents`, `body`), perhaps an `id` and a
            `title`, which is shown and not read; or the name of a file, .txt with a passage a line or .jsonl.
        target: The label that means relevant. Default: what its labels suggest, of two the second.
        skip_bad: What cannot be read has no score and comes last. Default: it is an error.
        progress: Show how far it is.

    Raises:
        ValueError: Something in the input is wrong; the message says what would be right.

    Example:
        >>> import gmask
        >>> shared = lambda pairs: [5.0 * len(set(a.split()) & set(b.split())) - 3 for a, b in pairs]
        >>> r = gmask.rank(shared, "loud guitar", ["a man sleeps", "a loud electric guitar", "a guitar"])
        >>> r.order, r.scores
        ([1, 2, 0], (-3.0, 7.0, 2.0))
        >>> [w.text for w in r.why(1, over=2, method="leave-one-out").top(1)]
        ['loud']
    """
    model = model if isinstance(model, PairModel) else load(model)
    query = check_text(query, "the query")
    if not model.reads:
        raise GmaskError(f"{model.name} reads no other texts than its own; give a model of two texts")
    found = passages_of(passages)
    scores: list[float | None] = [None] * len(found)
    warnings: dict[int, tuple[str, ...]] = {}
    label: str | None = None
    with bar(len(found), shown=progress, doing="scoring") as advance:
        for start in range(0, len(found), TOGETHER):
            window = range(start, min(start + TOGETHER, len(found)))
            bounds = {position: _bound(model, query, found[position]) for position in window}
            for position, bound in bounds.items():
                if isinstance(bound, GmaskError) and not skip_bad:
                    raise bound
                told = [str(bound)] if isinstance(bound, GmaskError) else bound.warnings
                if told:
                    warnings[position] = tuple(told)
            read = {position: bound for position, bound in bounds.items() if isinstance(bound, BoundPair)}
            if read:
                own, label = _scored(model, list(read.values()), target)
                for position, score in zip(read, own, strict=True):
                    scores[position] = score
            for _ in window:
                advance()
    if all(score is None for score in scores):
        raise GmaskError(f"no passage could be read: {warnings[0][0]}")
    return Ranking(query, tuple(found), tuple(scores), model, label, warnings)


def _bound(model: PairModel, query: str, passage: Passage) -> BoundPair | GmaskError:
    """A passage bound to the model with the query, or what is wrong with it."""
    try:
        return model.bind(query, check_text(passage.text, passage.name))
    except GmaskError as error:
        return error


def _scored(model: PairModel, bounds: Sequence[BoundPair], target: str | int | None) -> tuple[list[float], str | None]:
    """The score of each pair, and the label it is of."""
    outputs = model.answer([(bound, np.ones((1, len(bound.words)), bool)) for bound in bounds])
    index, label = _relevant(model, target)
    return [float(output[0, index]) for output in outputs], label


def _relevant(model: PairModel, target: str | int | None) -> tuple[int, str | None]:
    """Which of a model's outputs is the score, and its label; a raw score has none."""
    if model.raw:
        if target is not None:
            raise GmaskError("a raw score has no labels, the highest is the best; leave `target` out")
        return 0, None
    index, _ = find_target(model.labels, raw=False, target=target, against=None)
    index = relevant(model.labels) if index is None else index
    if index is None:
        raise GmaskError(f"which label of {model.name} means relevant? give it as `target`: {', '.join(model.labels)}")
    return index, model.labels[index]


def check_ending(path: Path) -> None:
    """Refuse a file whose name does not end in one of the formats."""
    if path.suffix.lower() not in ENDINGS:
        raise one_of("file ending", path.suffix, ENDINGS)


def _told(score: float | None) -> str:
    return "not read" if score is None else f"{score:.4g}"


def _listed(names: Sequence[str]) -> str:
    """A few names, and how many more."""
    return ", ".join(names[:5]) + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _tied(scores: Sequence[float | None]) -> Iterator[tuple[int, int]]:
    """The first and the last place of each stretch with the same score."""
    first = 0
    for place in range(1, len(scores) + 1):
        if place == len(scores) or scores[place] != scores[first]:
            if place - first > 1:
                yield first + 1, place
            first = place
