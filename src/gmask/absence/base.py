"""What an absence is: how a row of kept words is put to a model, whether it has a slope, and its name for people."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from gmask.errors import GmaskError, any_case, one_of
from gmask.registry import register

if TYPE_CHECKING:
    import torch

    from gmask.model.base import PairModel
    from gmask.model.bound import BoundPair, Rows

__all__ = ["Absence", "Rewriting", "absences", "find"]

JOINT = "+"


class Absence(ABC):
    """A way for words to be gone. Subclasses register under their `name`.

    A model offers what it can do: leave tokens out (`dropped`), multiply their embeddings by 0 (`zeroed`), put its mask
    token in their place (`masked`), read other texts (`rewritten`). An absence asks for one of these.
    """

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""  # after "words that go", for people
    sloping: ClassVar[bool] = False  # whether there is something between a word that stays and one that goes
    registry: ClassVar[dict[str, type[Absence]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        register(Absence.registry, cls, "removal")

    @property
    def parts(self) -> Sequence[Absence]:
        """What it is a mixture of; itself, if it is none."""
        return (self,)

    def check(self, model: PairModel) -> None:  # noqa: B027
        """Refuse a model that lacks what it takes."""

    @abstractmethod
    def rows(self, model: Any, bound: BoundPair, kept: Rows) -> Any:
        """Rows of kept words as the model's own inputs."""

    def soft(self, model: Any, bound: BoundPair, weights: torch.Tensor) -> torch.Tensor:
        """Differentiable outputs for weights of the words, `[m, words]`."""
        raise NotImplementedError  # never asked where it is not sloping

    def slope(self, model: PairModel) -> str | None:
        """The name of the removal that shows where weights of words should go, if the model has one."""
        return self.name if self.sloping and self.name in model.removals else None


class Rewriting(Absence):
    """Words that go are gone from the text, which is then read anew; any model can do that."""

    @abstractmethod
    def texts(self, bound: BoundPair, kept: Any) -> tuple[str, str]:
        """The two texts of one row."""

    def rows(self, model: Any, bound: BoundPair, kept: Rows) -> Any:
        """The texts, as the model reads texts; the whole pair as it was given."""
        return model.rewritten(bound, [bound.texts if row.all() else self.texts(bound, row) for row in kept])


def absences() -> list[str]:
    """The names of all ways for words to be gone."""
    _load()
    return sorted(Absence.registry)


def find(name: str) -> Absence:
    """An absence by name; several joined by + are asked each, and their answers averaged."""
    _load()
    names = []
    for part in name.split(JOINT):
        if (known := any_case(part, Absence.registry)) is None:
            raise one_of("removal", part, sorted(Absence.registry))
        names.append(known)
    if len(set(names)) < len(names):
        raise GmaskError(f"the removal {name!r} names the same way twice")
    if len(names) == 1:
        return Absence.registry[names[0]]()
    from gmask.absence.mixture import Mixture

    return Mixture([find(part) for part in names])


def _load() -> None:
    """Importing the package's modules registers the absences in them."""
    from importlib import import_module
    from pkgutil import iter_modules

    import gmask.absence as package

    for module in iter_modules(package.__path__):
        import_module(f"gmask.absence.{module.name}")
