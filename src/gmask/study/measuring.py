"""The work of a study: explain a pair with every method, and measure each explanation with every metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gmask.dataset.example import Example
from gmask.errors import GmaskError, ModelError
from gmask.explainer import Explainer
from gmask.explanation import Explanation
from gmask.method.base import Method
from gmask.metric.base import Answers, Case, Metric, Variant, create
from gmask.model import load
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair
from gmask.model.held import hold
from gmask.reference import References
from gmask.study.record import Record
from gmask.target import choose_target
from gmask.units import in_units

__all__ = ["Measuring", "load_same", "measure"]


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
    references: References
    units: str
    seed: int
    alone: bool

    def start(self) -> Callable[[tuple[int, Example]], Iterator[Record]]:
        """Load the model and make everything ready."""
        model = load_same(self.source, self.hash)
        explainers = {
            name: Explainer(
                model,
                method,
                removal=self.removal,
                reference=self.references,
                units=self.units,
                seed=self.seed,
            )
            for name, method in self.methods.items()
        }
        ways: dict[str | None, list[Metric]] = {}  # of removing words, and the metrics that do it so
        for metric in map(create, self.metrics):
            ways.setdefault(metric.under, []).append(metric)

        def work(task: tuple[int, Example]) -> Iterator[Record]:
            number, example = task
            told: dict[str, Any] = {"pair": number, "id": example.id, "gold": example.label}
            bound, limits = None, {under: dict[Variant, Explanation]() for under in ways}
            for name, explainer in explainers.items():
                try:
                    if bound is None or self.alone or model.budget is not None:
                        bound = model.bind(example.first, example.second, removal=self.removal)
                    explanation = explainer.explain_bound([bound])[0]
                    measured: dict[str, list[float]] = {}
                    for under, metrics in ways.items():
                        asked = self._measuring(bound, under)
                        measured |= measure(explainer, asked, explanation, example, metrics, limits[under])
                except GmaskError as error:
                    again = isinstance(error, ModelError)
                    yield Record(**told, method=name, error=str(error), again=again)
                else:
                    yield Record(**told, method=name, explanation=explanation, measured=measured)

        return work

    def _measuring(self, bound: BoundPair, under: str | None) -> BoundPair:
        """The pair as metrics ask about it: with words removed in their own way, if they have one."""
        if under is None and bound.model.budget is None:  # which is the method's, not the metrics'
            return bound
        key = ("measured", under)
        if key not in bound.held:
            bound.held[key] = bound.model.bind(*bound.texts, removal=under or bound.removal)
        return bound.held[key]


def load_same(source: Any, wanted: str) -> PairModel:
    """Load a model, and make sure that it is the one a run is of."""
    model = load(source)
    if isinstance(source, str) and model.hash != wanted:
        raise GmaskError(f"the model {source!r} is another one here than where the run was started")
    return model


def measure(
    explainer: Explainer,
    bound: BoundPair,
    explanation: Explanation,
    example: Example,
    metrics: Sequence[Metric],
    limits: dict[Variant, Explanation],
) -> dict[str, list[float]]:
    """Every metric's numbers; their rows are asked in one batch. Variants by methods of their own are made once."""
    variants = dict[Variant, Explanation]()
    for variant in sorted({v for metric in metrics for v in metric.variants(explanation)}, key=str):
        if variant.method is None:
            variants[variant] = _explain_variant(explainer, bound, variant)
            continue
        if variant not in limits:
            limits[variant] = _by_another(explainer, bound, variant, variant.method)
        variants[variant] = limits[variant]
    case = Case(explanation, example.highlights, variants, example.alignment)
    model = explainer.model
    bound = hold(in_units(bound, explainer.units), explanation.reference)
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
            measured[metric.full_name] = numbers
    return measured


def _other(explainer: Explainer, bound: BoundPair) -> bool:
    """Whether words are removed in another way here than where they are explained."""
    return bound.removal != explainer.model.check_removal(explainer.removal)


def _by_another(explainer: Explainer, bound: BoundPair, variant: Variant, method: str) -> Explanation:
    """An explanation by a metric's own method, with words removed as the metric removes them."""
    other = Explainer(explainer.model, method, removal=bound.removal, reference=explainer.references, seed=variant.seed)
    return other.explain_bound([bound])[0]


def _explain_variant(explainer: Explainer, bound: BoundPair, variant: Variant) -> Explanation:
    if (variant.first, variant.second) != bound.texts or explainer.model.budget is not None or _other(explainer, bound):
        bound = explainer.model.bind(variant.first, variant.second, removal=explainer.removal)
    return explainer.seeded(variant.seed).explain_bound([bound])[0]
