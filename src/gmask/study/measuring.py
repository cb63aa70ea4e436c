"""The work of a study: explain a pair with every method, and measure each explanation with every metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gmask.dataset.example import Example
from gmask.errors import FunctionError, GmaskError
from gmask.explainer import Explainer
from gmask.explanation import Explanation
from gmask.method.base import Method
from gmask.metric.base import Answers, Case, Metric, Variant, create
from gmask.model import load
from gmask.model.base import BoundPair, PairModel
from gmask.study.record import Record
from gmask.target import choose_target

__all__ = ["Measuring", "load_same"]


@dataclass(frozen=True)
class Measuring:
    """A job: its tasks are numbered pairs, its results the records of a pair, method after method.

    All methods ask through the same bound pair, which remembers rows, unless `alone`: then each binds the pair anew,
    and the times are those of the method by itself.
    """

    source: Any
    hash: str
    methods: Mapping[str, Method]
    metrics: Sequence[str]
    removal: str | None
    seed: int
    alone: bool

    def start(self) -> Callable[[tuple[int, Example]], Iterator[Record]]:
        """Load the model and make everything ready."""
        model = load_same(self.source, self.hash)
        explainers = {
            name: Explainer(model, method, removal=self.removal, seed=self.seed)
            for name, method in self.methods.items()
        }
        metrics = [create(name) for name in self.metrics]

        def work(task: tuple[int, Example]) -> Iterator[Record]:
            number, example = task
            told: dict[str, Any] = {"pair": number, "id": example.id, "gold": example.label}
            bound = None
            for name, explainer in explainers.items():
                try:
                    if bound is None or self.alone or model.budget is not None:
                        bound = model.bind(example.first, example.second, removal=self.removal)
                    explanation = explainer.explain_bound([bound])[0]
                    measured = _measure(explainer, bound, explanation, example, metrics)
                except GmaskError as error:
                    again = isinstance(error, FunctionError)
                    yield Record(**told, method=name, error=str(error), again=again)
                else:
                    yield Record(**told, method=name, explanation=explanation, measured=measured)

        return work


def load_same(source: Any, wanted: str) -> PairModel:
    """Load a model, and make sure that it is the one a run is of."""
    model = load(source)
    if isinstance(source, str) and model.hash != wanted:
        raise GmaskError(f"the model {source!r} is another one here than where the run was started")
    return model


def _measure(
    explainer: Explainer, bound: BoundPair, explanation: Explanation, example: Example, metrics: Sequence[Metric]
) -> dict[str, list[float]]:
    """Every metric's numbers; their rows are asked in one batch."""
    wanted = {variant for metric in metrics for variant in metric.variants(explanation)}
    variants = {v: _explain_variant(explainer, bound, v) for v in sorted(wanted, key=str)}
    case = Case(explanation, example.highlights, variants, example.alignment)
    model = explainer.model
    if model.budget is not None:  # which is the method's, not the metrics'
        bound = model.bind(*bound.texts, removal=bound.removal)
    ends = np.array([[True] * case.n, [False] * case.n])
    blocks = [ends, *(metric.rows(case) for metric in metrics)]
    outputs = np.split(bound(np.concatenate(blocks)), np.cumsum([len(block) for block in blocks])[:-1])
    target = choose_target(
        model.labels, *outputs[0], raw=model.raw, multilabel=model.multilabel, target=explanation.target
    )
    measured = {}
    for metric, own in zip(metrics, outputs[1:], strict=True):
        numbers = metric.measure(case, Answers(target.value(own), target.agrees(own)))
        if numbers is not None:
            measured[metric.name] = numbers
    return measured


def _explain_variant(explainer: Explainer, bound: BoundPair, variant: Variant) -> Explanation:
    if (variant.first, variant.second) != bound.texts or explainer.model.budget is not None:
        bound = explainer.model.bind(variant.first, variant.second, removal=bound.removal)
    other = Explainer(explainer.model, explainer.method, removal=bound.removal, seed=variant.seed)
    return other.explain_bound([bound])[0]
