"""The models that are offered at start. No other can be had."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from gmask.errors import GmaskError, one_of
from gmask.model.base import PairModel
from gmask.model.callable import CallableModel

__all__ = ["Offer"]


class Offer:
    """Models by name, each loaded when it is first needed.

    Args:
        models: For each name a model, or a function that loads it. The first is the default.
    """

    def __init__(self, models: Mapping[str, PairModel | Callable[[], PairModel]]) -> None:
        if not models:
            raise GmaskError("there is no model to offer; give at least one")
        self._models = dict(models)
        self._loaded: dict[str, PairModel] = {}
        self._lock = threading.Lock()

    @property
    def names(self) -> list[str]:
        """All of them, the default first."""
        return list(self._models)

    def check(self, name: str | None) -> str:
        """The name of a model that is offered; by default the first."""
        if name is None:
            return self.names[0]
        if name not in self._models:
            raise one_of("model", name, self.names)
        return name

    def loaded(self, name: str) -> PairModel | None:
        """The model, if it is there already."""
        return self._loaded.get(name)

    def get(self, name: str) -> PairModel:
        """The model, loaded if it must be."""
        with self._lock:
            if name not in self._loaded:
                source = self._models[name]
                model = source if isinstance(source, PairModel) else source()
                if isinstance(model, CallableModel):
                    model.function = _one_at_a_time(model.function)
                self._loaded[name] = model
            return self._loaded[name]


def _one_at_a_time(function: Callable[..., Any]) -> Callable[..., Any]:
    """A user's function need not stand two threads: explanations run in one, quick questions in another."""
    lock = threading.Lock()

    @wraps(function)
    def guarded(pairs: list[tuple[str, str]]) -> Any:
        with lock:
            return function(pairs)

    return guarded
