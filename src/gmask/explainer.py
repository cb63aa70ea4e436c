"""Explaining one pair or many: runs methods, puts their questions to the model together, gathers the evidence."""

from __future__ import annotations

import time
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from gmask.bar import bar
from gmask.coarse import is_long
from gmask.course import Course, versions
from gmask.dataset.example import Example
from gmask.dataset.given import example_of, examples_of, is_record
from gmask.errors import GmaskError
from gmask.explanation import Explanation
from gmask.flight import fly
from gmask.method.base import Method, create
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair, Request
from gmask.reference import References
from gmask.seed import check_seed
from gmask.target import find_target
from gmask.units import check_units, in_units

if TYPE_CHECKING:
    from gmask.metric.base import Variant

__all__ = ["Explainer", "explain", "versions"]

NAMED = 5  # bad pairs that a warning tells all about

PairLike = tuple[str, str] | Sequence[str] | Mapping[str, str] | np.ndarray


class Explainer:
    """A model, a method and its options, kept for many pairs.

    Example:
        >>> import gmask
        >>> overlap = lambda pairs: [float(bool(set(a.split()) & set(b.split()))) for a, b in pairs]
        >>> explainer = gmask.Explainer(gmask.load(overlap, labels=["unrelated", "related"]), method="leave-one-out")
        >>> explainer("my guitar is loud", "an electric guitar").top(1)[0].text
        'guitar'
    """

    def __init__(
        self,
        model: Any,
        method: str | Method = "gmask",
        *,
        target: str | int | None = None,
        against: str | int | None = None,
        removal: str | None = None,
        reference: Any = "auto",
        units: str = "auto",
        seed: int = 0,
        progress: bool = False,
        **options: Any,
    ) -> None:
        from gmask.model import load

        self.model: PairModel = model if isinstance(model, PairModel) else load(model)
        self.method = create(method, **options)
        self.method.check(self.model, self.model.check_removal(removal))
        self.target, self.against, self.removal = target, against, removal
        self.references = reference if isinstance(reference, References) else References(reference)
        self.units = check_units(units)
        self.seed, self.progress = check_seed(seed), progress
        self.check_target()

    @overload
    def __call__(self, first: str, second: str) -> Explanation: ...
    @overload
    def __call__(self, first: Mapping[str, str], second: None = None) -> Explanation: ...
    @overload
    def __call__(self, first: list[PairLike] | Path, second: None = None) -> list[Explanation]: ...
    @overload
    def __call__(self, first: Any, second: None = None, *, skip_bad: bool) -> list[Explanation | None]: ...

    def __call__(self, first: Any, second: str | None = None, *, skip_bad: bool = False) -> Any:
        """Explain a pair, `(first, second)` or `{"text": ..., "text_pair": ...}`, or all pairs of a list or a table."""
        if second is None and not isinstance(first, str) and not is_record(first):
            return self._explain_all(first, skip_bad=skip_bad)
        example = example_of(first) if second is None and is_record(first) else Example(first, second)  # type: ignore[arg-type]
        return _with_gold(next(self.iterate([(example.first, example.second)])), example)

    def _explain_all(self, pairs: Any, *, skip_bad: bool) -> list[Explanation | None]:
        """Every pair in its place; with `skip_bad`, None for those that cannot be explained, and a warning."""
        given = list(examples_of(pairs))
        found: list[Explanation | None] = [None] * len(given)
        bad: dict[int, str] = {}

        def on_bad(place: int, error: GmaskError) -> None:
            error.args = (f"pair {place + 1} (pairs[{place}]): {error}",)
            if not skip_bad:
                raise error
            bad[place] = str(error)

        with bar(len(given), shown=self.progress) as advance:
            for place, outcome in enumerate(self.outcomes(given)):
                if isinstance(outcome, GmaskError):
                    on_bad(place, outcome)
                else:
                    found[place] = _with_gold(outcome, given[place])  # type: ignore[arg-type]
                advance()
        if bad:
            told = [*list(bad.values())[:NAMED], ", ".join(f"pairs[{place}]" for place in list(bad)[NAMED:])]
            warnings.warn(f"{len(bad)} of {len(given)} pairs are None: {'; '.join(filter(None, told))}", stacklevel=3)
        return found

    def outcomes(self, examples: Iterable[Example | GmaskError]) -> Iterator[Explanation | GmaskError]:
        """What comes of each pair, in their order and in constant memory: an explanation, or why there is none."""
        for outcome in fly(self.model, self._bound(examples), self._run):
            if isinstance(outcome, GmaskError):
                self.check_target()  # which is no pair's fault
            yield outcome

    def _bound(self, examples: Iterable[Example | GmaskError]) -> Iterator[BoundPair | GmaskError]:
        for example in examples:
            try:
                if isinstance(example, GmaskError):
                    raise example
                yield self.model.bind(example.first, example.second, removal=self.removal)
            except GmaskError as error:
                yield error

    def _run(self, bound: BoundPair) -> Generator[list[Request], list[np.ndarray], Explanation]:
        return self._course(bound).run()

    def _course(self, bound: BoundPair) -> Course:
        asked, coarse = in_units(bound, self.units), self.units == "auto" and is_long(bound)
        if coarse and self.removal is None:  # rows of masked words are as long as the text
            asked = bound.ways[0]
        return Course(asked, self.method, self.references, self.target, self.against, self.seed, coarse)

    def check_target(self) -> None:
        """Refuse labels that the model does not have, as soon as its labels are known."""
        if self.model.settled:
            find_target(self.model.labels, raw=self.model.raw, target=self.target, against=self.against)

    def iterate(self, pairs: Iterable[tuple[Any, Any]]) -> Iterator[Explanation]:
        """Explain pairs as they come, a few at a time and in their order, in constant memory."""
        return _or_error(self.outcomes(Example(first, second) for first, second in pairs))

    def explain_bound(self, bounds: Iterable[BoundPair]) -> list[Explanation]:
        """Explain pairs that are bound already, asking their questions together."""
        return list(_or_error(fly(self.model, bounds, self._run)))

    def stream(self, first: Any, second: str | None = None) -> Iterator[Explanation]:
        """Explain a pair, and tell on the way what is known so far: better and better explanations.

        Each is complete and honest by itself; `details["unfinished"]` says how many rows it rests on. The last is what
        calling the explainer gives. What is told on the way costs rows of its own, so that nothing is told of a model
        with a budget.

        Example:
            >>> import gmask
            >>> overlap = lambda pairs: [float(bool(set(a.split()) & set(b.split()))) for a, b in pairs]
            >>> explainer = gmask.Explainer(gmask.load(overlap, labels=["unrelated", "related"]))
            >>> *before, last = explainer.stream("my guitar is loud", "an electric guitar")
            >>> [e.top(1)[0].text for e in before], "unfinished" in last.details
            (['guitar'], False)
        """
        example = example_of(first) if second is None and is_record(first) else Example(first, second)  # type: ignore[arg-type]
        bound = self.model.bind(example.first, example.second, removal=self.removal)
        for e in self.stream_bound(bound):
            yield _with_gold(e, example)

    def stream_bound(self, bound: BoundPair) -> Iterator[Explanation]:
        """The same of a pair that is bound already."""
        course: Generator[Any, Any, Explanation] = self._course(bound).tell()
        if self.model.budget is not None:
            course = self._run(bound)
        began = time.perf_counter()
        answers: list[np.ndarray] | None = None
        while True:
            try:
                wanted = course.send(answers)
            except StopIteration as stop:
                self.model.ask_again([bound])
                yield self._stamped(stop.value, bound, began)
                return
            if isinstance(wanted, Explanation):
                yield self._stamped(wanted, bound, began)
                answers = []
            else:
                answers = self.model.answer(wanted)

    @staticmethod
    def _stamped(e: Explanation, bound: BoundPair, began: float) -> Explanation:
        return replace(e, seconds=time.perf_counter() - began, warnings=tuple(bound.warnings))

    def seeded(self, seed: int) -> Explainer:
        """The same explainer with another seed."""
        other = copy(self)
        other.seed = check_seed(seed)
        return other

    def with_stability(self, explanation: Explanation) -> Explanation:
        """The explanation with its stabilities in `details["stability"]`, by name, 1 being the best.

        The pair is explained again with other seeds, and after small changes that should not matter (a full stop, a
        comma, a capital, a contraction, a name): how many of the top words stay, and how alike the groups are.
        """
        from gmask.metric.stability import measure_stability

        def again(v: Variant) -> Explanation:
            return self.seeded(v.seed)(v.first, v.second)

        found = measure_stability(explanation, again)
        return replace(explanation, details={**explanation.details, "stability": found})


def _or_error(outcomes: Iterable[Explanation | GmaskError]) -> Iterator[Explanation]:
    """Explanations, up to what is none."""
    for outcome in outcomes:
        if isinstance(outcome, GmaskError):
            raise outcome
        yield outcome


def _with_gold(e: Explanation, example: Example) -> Explanation:
    """The explanation with the id and the gold label that its pair came with."""
    own = {"id": example.id, "gold": example.label}
    told = {name: value for name, value in own.items() if value is not None}
    return replace(e, details={**e.details, **told}) if told else e


@overload
def explain(model: Any, first: str, second: str, *, method: str | Method = ..., **options: Any) -> Explanation: ...
@overload
def explain(
    model: Any, *, pairs: Iterable[PairLike] | str | Path, method: str | Method = ..., **options: Any
) -> list[Explanation]: ...
@overload
def explain(
    model: Any, *, pairs: Any, skip_bad: bool, method: str | Method = ..., **options: Any
) -> list[Explanation | None]: ...


def explain(
    model: Any,
    first: Any = None,
    second: str | None = None,
    *,
    pairs: Any = None,
    skip_bad: bool = False,
    method: str | Method = "gmask",
    **options: Any,
) -> Any:
    """Explain what a model says of a pair of texts, or of each of a list of pairs.

    Args:
        model: What `gmask.load` returns, or anything it takes.
        first: The first text, or a record that has both.
        second: The second text.
        pairs: Instead of the two texts: a list of pairs, a DataFrame, a `datasets.Dataset`, or the name of a data file
            (.tsv, .csv, .jsonl, also with .gz); they are explained together and a list is returned. Ids and gold labels
            that are there go into `details["id"]` and `details["gold"]`.
        skip_bad: What is no pair, or cannot be explained, is None in the list, and a warning tells which and why.
            Default: it is an error.
        method: One of `gmask.methods()`. Default: `gmask`.
        **options: For every method: `target` (the label to explain; default: what the model says), `against` (a label
            to prefer it to), `removal` (what removing a word means), `reference` (what the answer is held against:
            `auto`, `empty`, `unrelated`, a pair of texts, a list of pairs, a data file), `units` (`words`; `sentences`,
            which then stand in `words`; or `auto`: words, but of a long text its sentences first, and then the words of
            those that decide), `seed`, `progress`. The rest is the method's.

    Raises:
        ValueError: Something in the input is wrong; the message says what would be right.
    """
    explainer = Explainer(model, method, **options)
    if pairs is not None:
        if first is not None or second is not None:
            raise GmaskError("give two texts or a list of pairs, not both")
        return explainer._explain_all(pairs, skip_bad=skip_bad)
    if second is None and not is_record(first):
        raise GmaskError("two texts are needed: explain(model, first, second), or explain(model, pairs=[(a, b), ...])")
    return explainer(first, second)  # type: ignore[call-overload]
