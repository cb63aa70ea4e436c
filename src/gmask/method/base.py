"""What a method is: settings, and a way of asking the door."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np

from gmask.errors import GmaskError, any_case, one_of
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair, Request, Rows
from gmask.registry import register
from gmask.target import Target

__all__ = ["Answer", "Method", "Questions", "Task", "create", "describe", "find", "methods", "option", "parse_options"]


@dataclass(frozen=True)
class Answer:
    """What a method found: a number a word, and word groups as (importance, membership of each word)."""

    attributions: np.ndarray
    groups: Sequence[tuple[float, np.ndarray]] = ()
    details: dict[str, Any] = field(default_factory=dict)


# A method yields rows of kept words, or other pairs with their rows, and is sent the target's value for each row: float
# [m], in [0, 1].
Questions = Generator[Rows | list[Request], np.ndarray, Answer]
T = TypeVar("T")


@dataclass(frozen=True)
class Task:
    """One thing to explain: a pair bound to its model, and the target."""

    bound: BoundPair
    target: Target
    seed: int = 0

    @property
    def n(self) -> int:
        """How many words there are."""
        return len(self.bound.words)

    def random(self) -> np.random.Generator:
        """A fresh random generator, the same for the same seed."""
        return np.random.default_rng(self.seed)

    def soft(self, weights: Any) -> Any:
        """The target's value for weights of the words, a tensor `[m, n]`, with a slope also where a weight is 0."""
        return self.through(self._sloping.soft, weights)

    def through(self, run: Callable[[Any], Any], inputs: Any) -> Any:
        """The target's value for each row of inputs, `[m]`, differentiable by them, in pieces that fit in memory.

        Args:
            run: Makes the model's outputs of rows of inputs, such as `bound.from_embeddings`.
            inputs: A tensor, a row for each value.
        """
        from gmask.model.pieces import in_pieces

        return in_pieces(lambda rows: self.target.value(run(rows)), inputs, self.bound)

    @cached_property
    def _sloping(self) -> BoundPair:
        bound = self.bound
        slope = bound.model.check_slope(bound.removal)
        return bound if slope == bound.removal else bound.removing(slope)

    def in_turn(self, rows: Rows) -> list[Request]:
        """Rows as requests with words gone in just one way each, in turn: enough for questions that only steer."""
        ways = self.bound.ways
        return [(way, rows[i :: len(ways)]) for i, way in enumerate(ways)]

    def keep(self, words: Sequence[int] | np.ndarray) -> np.ndarray:
        """A row that keeps only these words."""
        row = np.zeros(self.n, dtype=bool)
        row[np.asarray(words, dtype=int)] = True
        return row


def option(default: Any, help: str, *, choices: Sequence[str] | None = None, low: float | None = None) -> Any:  # noqa: A002
    """A setting of a method: its default and what the command line and the web form say of it."""
    return field(default=default, metadata={"help": help, "choices": choices, "low": low})


@dataclass(frozen=True)
class Method(ABC):
    """A way to explain. Subclasses are dataclasses: their fields are their settings, their `name` registers them."""

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    needs_gradient: ClassVar[bool] = False
    weighs: ClassVar[bool] = False  # whether, where it needs gradients, they are by weights of words: `Task.soft`
    registry: ClassVar[dict[str, type[Method]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        register(Method.registry, cls, "method")

    def __post_init__(self) -> None:
        for f in fields(self):
            value, choices = getattr(self, f.name), f.metadata.get("choices")
            if isinstance(value, np.generic):
                value = value.item()  # a plain number can be written
                object.__setattr__(self, f.name, value)
            if value is None and (f.default is None or "None" in str(f.type)):
                continue
            if choices is not None:
                if (known := any_case(value, choices)) is None:
                    raise one_of(f"{f.name} of {self.name}", value, choices)
                object.__setattr__(self, f.name, known)
            _check_number(f"{f.name} of {self.name}", value, str(f.type), f.metadata.get("low"))

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting, as recorded in an explanation."""
        return asdict(self)

    @property
    def differentiates(self) -> bool:
        """Whether it needs gradients with the settings it has; `needs_gradient` is of any."""
        return self.needs_gradient

    def spending(self, rows: int) -> Method:
        """The method with no more than so many rows, if it can do with fewer than it would ask."""
        budget = getattr(self, "budget", rows)
        return self if budget is not None and rows >= budget else replace(self, budget=rows)  # type: ignore[call-arg]

    def check(self, model: PairModel, removal: str | None = None) -> None:
        """Refuse a model, or a removal, with which it can explain no pair: at once, not pair by pair."""
        if self.differentiates and not model.differentiable:
            told = self.name if self.needs_gradient else f"{self.name} with these settings"
            raise GmaskError(
                f"{told} needs gradients and {model.name} gives none; methods that do without: "
                + ", ".join(sorted(n for n, m in Method.registry.items() if not m.needs_gradient))
            )
        if self.differentiates and self.weighs:
            model.check_slope(model.check_removal(removal))

    @abstractmethod
    def explain(self, task: Task) -> Questions:
        """Ask the door, and answer."""

    def so_far(self, task: Task, rows: Rows, values: np.ndarray, whole: float) -> Answer:  # noqa: ARG002
        """What is known before it is done, of rows of the pair and their values, and the value of all words.

        A method that knows better what its rows mean has its own; this one does for any.
        """
        from gmask.method.sofar import estimate

        return Answer(estimate(rows, values, whole))


def methods() -> list[str]:
    """The names of all methods."""
    _load()
    return sorted(Method.registry)


def create(name: str | Method, **options: Any) -> Method:
    """A method by name, perhaps with settings as in `gmask:preset=paper:k=8`, with its options checked."""
    if isinstance(name, Method):
        if options:
            raise GmaskError("give the options to the method itself, or its name and the options")
        return name
    name, *settings = str(name).split(":")
    cls = find(name)
    written = parse_options(name, settings)
    valid = [f.name for f in fields(cls) if f.init]
    for key in options:
        if key not in valid:
            raise one_of(f"option of {cls.name}", key, valid or ["(none)"])
        if key in written:
            raise GmaskError(f"{key} of {cls.name} is given twice")
    return cls(**written, **options)


def find(name: str) -> type[Method]:
    """The method of a name, in whatever case it is written."""
    _load()
    if (known := any_case(name, Method.registry)) is None:
        raise one_of("method", name, sorted(Method.registry))
    return Method.registry[known]


def parse_options(name: str, given: Sequence[str]) -> dict[str, Any]:
    """Settings written as `name=value`, read by the type of their defaults (the command line, the web form)."""
    cls = find(name)
    known = {f.name: f for f in fields(cls) if f.init}
    options: dict[str, Any] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals:
            raise GmaskError(f"a setting is written name=value, not {text!r}")
        if key not in known:
            raise one_of(f"option of {cls.name}", key, known or ["(none)"])
        if key in options:
            raise GmaskError(f"{key} of {cls.name} is given twice")
        options[key] = _parse(cls.name, key, value, str(known[key].type))
    return options


def _parse(name: str, key: str, value: str, kind: str) -> Any:
    if "None" in kind and value.lower() == "none":
        return None
    try:
        if "bool" in kind:
            return {"true": True, "false": False}[value.lower()]
        if "int" in kind:
            return int(value)
        if "float" in kind:
            return float(value)
    except (KeyError, ValueError):
        raise GmaskError(f"{key} of {name} takes {kind}, not {value!r}") from None
    return value


def _check_number(name: str, value: Any, kind: str, low: float | None) -> None:
    """Where a setting is a number by its annotation, it is finite, whole if it must be, and not too low."""
    if "int" not in kind and "float" not in kind:
        return
    whole = "int" in kind
    right = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
    if not right or not abs(value) <= sys.float_info.max or (low is not None and value < low):
        wanted = ("a whole number" if whole else "a finite number") + ("" if low is None else f" of at least {low:g}")
        raise GmaskError(f"{name} must be {wanted}, not {value!r}")


def _load() -> None:
    """Importing the package's modules registers the methods in them."""
    from importlib import import_module
    from pkgutil import iter_modules

    import gmask.method as package

    for module in iter_modules(package.__path__):
        import_module(f"gmask.method.{module.name}")


def describe(cls: type[Method]) -> list[dict[str, Any]]:
    """A method's settings for people: name, default, help, choices."""
    return [
        {"name": f.name, "default": None if f.default is MISSING else f.default, **f.metadata}
        for f in fields(cls)
        if f.init
    ]
