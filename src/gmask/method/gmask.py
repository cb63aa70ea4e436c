"""GMASK: groups of words that act together, and how much each group matters (Chen et al., NAACL 2021).

One name for procedures that have little in common. The default looks for *reasons* on tables of the model's own answers
(`search.py`); `preset="paper"` is the paper's objective, solved exactly or, with `solver="sampling"`, as the paper does
(`paper.py`); `preset="released"` is what the authors' program does (`released.py`). Each is described, and has its
settings, in its own file; here they are given to one method.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, TypeVar

from gmask.errors import GmaskError
from gmask.method.base import Method, Questions, Task, option
from gmask.method.paper import PaperObjective
from gmask.method.released import Released
from gmask.method.search import ReasonSearch

__all__ = ["Gmask"]

Procedure = ReasonSearch | PaperObjective | Released
T = TypeVar("T", bound=type)

DEFAULT = "reasons"
PRESETS: dict[str, Procedure] = {
    DEFAULT: ReasonSearch(),
    "fast": ReasonSearch(k=3, screening=0, partners=0, budget=300),
    "thorough": ReasonSearch(k=10, screening=600, partners=8, budget=None),
    "paper": PaperObjective(),
    "released": Released(),
}


def _with_settings(cls: T) -> T:
    """Every setting of a procedure becomes one of the class; left out, the preset decides about it."""
    known: dict[str, dict[str, list[str]]] = {}  # what each setting does, and under which presets
    for preset, procedure in PRESETS.items():
        for f in fields(procedure):
            helps = known.setdefault(f.name, {})
            helps.setdefault(f.metadata["help"], []).append(preset)
            told = "; ".join(text if DEFAULT in on else f"{', '.join(on)}: {text}" for text, on in helps.items())
            cls.__annotations__[f.name] = f.type
            setattr(cls, f.name, option(None, told, choices=f.metadata["choices"], low=f.metadata["low"]))
    return cls


@dataclass(frozen=True)
@_with_settings
class Gmask(Method):
    """Word groups with importances. Settings left out are those of the preset."""

    name: ClassVar[str] = "gmask"
    summary: ClassVar[str] = "word groups across the two texts, each sufficient, together necessary (the default)"
    weighs: ClassVar[bool] = True

    preset: str = option(
        DEFAULT,
        "reasons, fast (at most 300 rows), thorough; paper, its objective; released, its program",
        choices=tuple(PRESETS),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in vars(self.procedure).items():
            object.__setattr__(self, name, value)

    @property
    def procedure(self) -> Procedure:
        """The preset's, with what else was given."""
        preset = PRESETS[self.preset]
        own = [f.name for f in fields(preset)]
        given = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "preset"}
        given = {name: value for name, value in given.items() if value is not None}
        for name in given:
            if name not in own:
                has = " or ".join(f'preset="{other}"' for other, p in PRESETS.items() if hasattr(p, name))
                raise GmaskError(
                    f"{name} is no setting of preset {self.preset!r} but of {has}; its settings: {', '.join(own)}"
                )
        return replace(preset, **given)

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting that has a say."""
        return {name: value for name, value in super().settings.items() if value is not None}

    def spending(self, rows: int) -> Method:
        """With few rows, partners are looked for among fewer words, so that more can be candidates."""
        fewer = {} if self.partners is None or rows >= (self.budget or 0) else {"partners": self.partners // 2}
        return replace(super().spending(rows), **fewer)

    @property
    def differentiates(self) -> bool:
        """Where the procedure does."""
        return self.procedure.differentiates

    def explain(self, task: Task) -> Questions:
        """As the preset has it."""
        return (yield from self.procedure.explain(task))
