"""What a metric is: rows to ask, numbers of each pair, and a figure made of their averages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from gmask.dataset.example import Alignment, Highlights
from gmask.errors import GmaskError, any_case, one_of
from gmask.explanation import Explanation
from gmask.model.bound import Rows
from gmask.registry import register

__all__ = [
    "MEAN",
    "SAME",
    "UNDER",
    "Answers",
    "Case",
    "Metric",
    "Scale",
    "Variant",
    "asks",
    "create",
    "everyway",
    "metrics",
    "plain",
    "usual",
]

UNDER = "@"  # between a metric and how it removes words
SAME = "same"  # as the method does
MEAN = "mean"  # the mean of the figures of all ways that were measured


class Scale(Enum):
    """What a measure makes sums of."""

    VALUE = "the target's value"
    SAME_LABEL = "1 where the label stays, else 0"


@dataclass(frozen=True)
class Variant:
    """The same pair asked about a little differently: other texts, another seed, or by another method."""

    first: str
    second: str
    seed: int
    method: str | None = None


@dataclass(frozen=True)
class Case:
    """One explained pair, as a metric sees it."""

    explanation: Explanation
    highlights: Highlights = ()
    variants: Mapping[Variant, Explanation] = field(default_factory=dict)
    alignment: Alignment | None = None

    @property
    def n(self) -> int:
        """How many words there are."""
        return len(self.explanation.words)

    @cached_property
    def rank(self) -> np.ndarray:
        """Each word's place in the order of importance; 0 is the most important."""
        return np.argsort(self.explanation.order())

    def without_top(self, counts: Iterable[int]) -> Rows:
        """A row a count: the so many most important words removed. Past the last word, nothing is left."""
        return np.array([self.rank >= count for count in counts], dtype=bool).reshape(-1, self.n)

    def only_top(self, counts: Iterable[int]) -> Rows:
        """A row a count: only the so many most important words kept. Past the last word, everything is."""
        return np.array([self.rank < count for count in counts], dtype=bool).reshape(-1, self.n)


@dataclass(frozen=True)
class Answers:
    """What the model made of the rows: the target's value, and whether it still says the label."""

    values: np.ndarray
    agrees: np.ndarray


@dataclass(frozen=True)
class Metric(ABC):
    """A measure of explanations. Subclasses register under their `name`.

    `measure` gives the numbers of one pair. A figure is always a function of their averages over pairs, so that the
    bootstrap needs to draw pairs only, whether the figure is that average itself or, as the degradation score, an
    integral over averaged curves.

    Args:
        under: What stands where it removes words. Default: the same as for the method.
    """

    under: str | None = None

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    needs: ClassVar[str] = ""  # what pairs or explanations may lack, in words, so that it cannot be measured
    needs_alignment: ClassVar[bool] = False
    scale: ClassVar[Scale] = Scale.VALUE
    costly: ClassVar[bool] = False  # needs further explanations, so it is measured only where it is asked for
    registry: ClassVar[dict[str, type[Metric]]] = {}

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        register(Metric.registry, cls, "metric")

    @property
    def full_name(self) -> str:
        """By which its numbers are known: `aopc`, or `aopc@zero` where it removes words in a way of its own."""
        return f"{self.name}{UNDER}{self.under}" if self.under else self.name

    @property
    def full_title(self) -> str:
        """The title with the way in which words are removed, if it is its own."""
        return f"{self.title} ({self.under})" if self.under else self.title

    def rows(self, case: Case) -> Rows:
        """The rows of kept words to ask about. Default: none."""
        return np.zeros((0, case.n), dtype=bool)

    def variants(self, explanation: Explanation) -> Sequence[Variant]:  # noqa: ARG002
        """What else must be explained before this can be measured. Default: nothing."""
        return ()

    @abstractmethod
    def measure(self, case: Case, answers: Answers) -> list[float] | None:
        """The numbers of one pair; `answers` belongs to `rows`. None where the pair cannot be measured."""

    def weights(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Where a pair's measure is a sum over the prefixes of the order of its n words, the weights of each size.

        Returns:
            The weights of what the model says with only the top 0..n words, and without them, each `[n + 1]`. The sum
            may differ from the measure by what is the same for all orders, and by a factor above 0.
        """
        raise GmaskError(f"{self.name} is no sum over the prefixes of an order of {n} words")

    def common(self, measured: Sequence[float]) -> np.ndarray:
        """A pair's numbers on a footing common to all pairs, so that they can be averaged. Default: as they are."""
        return np.asarray(measured, dtype=float)

    def figure(self, mean: np.ndarray) -> np.ndarray:
        """The figure, `[..., k]`, of averages over pairs, `[..., d]`. Default: the averages."""
        return mean


def metrics() -> list[str]:
    """The names of all metrics."""
    _load()
    return sorted(Metric.registry)


def usual(*, aligned: bool = False) -> list[str]:
    """What is measured unless others are asked for: what needs no further explanations.

    Args:
        aligned: Whether people aligned words of the pairs. Default: they did not, and what needs that is left out.
    """
    chosen = ((name, Metric.registry[name]) for name in metrics())
    return [name for name, metric in chosen if not metric.costly and (aligned or not metric.needs_alignment)]


def create(name: str) -> Metric:
    """A metric by name, in whatever case it is written; `aopc@zero` is the AOPC with words removed by `zero`."""
    _load()
    own, _, under = name.partition(UNDER)
    known = any_case(own, Metric.registry)
    if known is None:
        raise one_of("metric", name, sorted(Metric.registry))
    if under and not asks(known):
        raise GmaskError(f"{known} asks about no rows, so it is the same however words are removed; not {name!r}")
    return Metric.registry[known](under or None)


def asks(name: str) -> bool:
    """Whether a metric asks the model about rows, so that it matters what stands where a word is gone."""
    return type(create(name)).rows is not Metric.rows


def plain(name: str) -> str:
    """A metric's name without the way in which it removes words."""
    return name.partition(UNDER)[0]


def everyway(names: Iterable[str], ways: Sequence[str]) -> list[str]:
    """The names of metrics measured in each of several ways of removing words; `same` is the way of the method."""
    found = []
    for name in (create(name).full_name for name in names):
        own = ways if asks(name) and UNDER not in name else [SAME]
        found += [name if way == SAME else f"{name}{UNDER}{way}" for way in own]
    return list(dict.fromkeys(found))


def _load() -> None:
    """Importing the package's modules registers the metrics in them."""
    from importlib import import_module
    from pkgutil import iter_modules

    import gmask.metric as package

    for module in iter_modules(package.__path__):
        import_module(f"gmask.metric.{module.name}")
