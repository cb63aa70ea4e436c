"""Classes known by the names they give themselves: methods and metrics."""

from __future__ import annotations

from typing import Any, TypeVar

from gmask.errors import GmaskError

__all__ = ["register"]

T = TypeVar("T")


def register(registry: dict[str, type[T]], cls: type[T], kind: str) -> None:
    """Enter a class under the name that it sets itself; one that inherits its name is no thing of its own.

    A class may be defined anew, as in a notebook, but no other takes its name.

    Raises:
        ValueError: Another class has the name.
    """
    name: Any = vars(cls).get("name")
    if not name:
        return
    there = registry.get(name)
    if there is not None and _place(there) != _place(cls):
        raise GmaskError(f"there is a {kind} {name!r} already ({_place(there)}); give {_place(cls)} another name")
    registry[name] = cls


def _place(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
