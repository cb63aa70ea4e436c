"""Whether methods find known causes: the words on top, and the groups they are in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np

from gmask.bench.cause import Cause, spread
from gmask.bench.edits import edits
from gmask.bench.minimal import minimal_pairs
from gmask.dataset.corpora import resolve
from gmask.dataset.revisions import revised
from gmask.dataset.samples import sample_pairs
from gmask.errors import GmaskError
from gmask.explainer import Explainer
from gmask.explanation import Explanation
from gmask.method.base import Method
from gmask.metric.bootstrap import Average, compare, interval
from gmask.model.base import PairModel
from gmask.study.sample import draw

__all__ = ["METHODS", "Found", "differences", "find", "found", "kinds", "known_causes", "records", "table"]

METHODS = ("gmask", "lime", "kernelshap", "leave-one-out", "shapley-interactions", "archipelago", "random")
REVISED = "cad_nli"  # the corpus that comes with revisions by people
TOGETHER = 16  # pairs explained at once
TOP = 4


@dataclass(frozen=True)
class Found:
    """How much of a known cause an explanation tells.

    Attributes:
        all_first: Whether the changed words are the top words, as many as there are.
        in_top: Whether they are among the top four.
        first: Whether the top word is one of them.
        one_group: Whether one group has them all.
        exactly: Whether the most important group has them and no others.
        groups: How many groups there are.
        rows: What the model was asked.
    """

    all_first: float
    in_top: float
    first: float
    one_group: float
    exactly: float
    groups: int
    rows: int


WORDS = {"all_first": "all first", "in_top": f"in the top {TOP}", "first": "the top word"}
GROUPS = {"one_group": "in one group", "exactly": "the top group, exactly"}
HEADS = {**WORDS, **GROUPS}


def known_causes(model: PairModel, data: str | None = None, limit: int | None = None) -> list[Cause]:
    """Pairs whose cause is known, at most one of a sentence (or of a pair and its revisions), all kinds alike.

    Args:
        model: Decides which count, by its answers.
        data: Of the corpus `cad_nli`, what people changed; of any other, sentences to exchange words in. Default: the
            sentences that come with the package.
        limit: At most so many; a larger limit adds to those of a smaller one. Default: all.
    """
    if data is not None and resolve(data)[0].name == REVISED:
        choices = edits(model, revised(data))
    else:
        pairs = sample_pairs() if data is None else [(e.first, e.second) for e in draw(data)[0]]
        choices = minimal_pairs(model, (sentence for pair in pairs for sentence in pair))
    causes = list(islice(spread(choices), limit))
    if not causes:
        raise GmaskError(f"no cause of what {model.name} says is known in {data or 'the pairs of the package'}")
    return causes


def find(
    model: PairModel,
    method: str | Method,
    causes: Sequence[Cause],
    *,
    seed: int = 0,
    on_found: Callable[[float], None] = lambda _: None,
    **options: Any,
) -> Iterator[Found]:
    """Let a method explain pairs whose cause is known.

    Args:
        model: What the causes are of.
        method: A method.
        causes: Of `known_causes`.
        seed: Of the method.
        on_found: Told the seconds of each explanation.
        **options: Of the explainer, as `removal`.
    """
    explainer = Explainer(model, method, seed=seed, **options)
    for start in range(0, len(causes), TOGETHER):
        part = causes[start : start + TOGETHER]
        for cause, explanation in zip(part, explainer([(c.first, c.second) for c in part]), strict=True):
            on_found(explanation.seconds or 0.0)
            yield found(cause, explanation)


def found(cause: Cause, e: Explanation) -> Found:
    """Hold an explanation against the cause."""
    changed, order = set(cause.changed), e.order()
    groups = [set(g.members) for g in e.groups if g.members]
    return Found(
        float(set(order[: len(changed)]) == changed),
        float(changed <= set(order[:TOP])),
        float(order[0] in changed),
        float(any(changed <= group for group in groups)),
        float(groups[:1] == [changed]),
        len(groups),
        e.rows + e.details.get("gradient_rows", 0),
    )


def table(scores: Mapping[str, Sequence[Found]], *, seed: int = 0) -> str:
    """Markdown: for each method the share of causes found, with its 95 % interval, and rows on average."""
    lines = [f"| method | {' | '.join(HEADS.values())} | rows |", "|---|" + "---|" * (len(HEADS) + 1)]
    for name, own in scores.items():
        cells = []
        for column in HEADS:
            numbers = _numbers(own, column)
            low, high = interval(Average(), numbers, seed=seed)
            cells.append(f"{numbers.mean():.2f} [{low[0]:.2f}, {high[0]:.2f}]" if _tells(own, column) else "")
        lines.append(f"| {name} | {' | '.join(cells)} | {np.mean([f.rows for f in own]):.0f} |")
    return "\n".join(lines)


def differences(scores: Mapping[str, Sequence[Found]], *, seed: int = 0) -> str:
    """Markdown: how much more often each method finds causes than the first, pair by pair, with interval and p."""
    (base, held), *others = scores.items()
    lines = [f"| against {base} | {' | '.join(HEADS.values())} |", "|---|" + "---|" * len(HEADS)]
    for name, own in others:
        cells = []
        for column in HEADS:
            c = compare(Average(), _numbers(own, column), _numbers(held, column), seed=seed)
            told = f"{c.difference:+.2f} [{c.low:+.2f}, {c.high:+.2f}], p {c.p:.3f}".replace("-", "−")
            cells.append(told if _tells(own, column) and _tells(held, column) else "")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def kinds(causes: Sequence[Cause]) -> str:
    """How many causes there are of each kind, for people."""
    return ", ".join(f"{kind} {count}" for kind, count in Counter(c.kind for c in causes).most_common())


def records(causes: Sequence[Cause], scores: Mapping[str, Sequence[Found]]) -> list[dict[str, Any]]:
    """Every cause, and what each method found of it, as plain data."""
    return [
        {**asdict(cause), "found": {name: asdict(own[i]) for name, own in scores.items()}}
        for i, cause in enumerate(causes)
    ]


def _numbers(own: Sequence[Found], column: str) -> np.ndarray:
    return np.array([[getattr(f, column)] for f in own])


def _tells(own: Sequence[Found], column: str) -> bool:
    """Whether a method has what a column is about: one that never forms a group is not judged by groups."""
    return column in WORDS or any(f.groups for f in own)
