"""Methods as a study names them: `lime`, or with settings `gmask:preset=paper:k=8`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields

from gmask.errors import GmaskError
from gmask.method.base import Method, create

__all__ = ["named_methods"]


def named_methods(methods: str | Method | Iterable[str | Method]) -> dict[str, Method]:
    """Methods by the names a study's tables give them."""
    found: dict[str, Method] = {}
    for given in [methods] if isinstance(methods, (str, Method)) else methods:
        method = given if isinstance(given, Method) else create(given.strip())
        name = _name_of(method) if isinstance(given, Method) else _as_written(method, given.strip())
        if name in found:
            raise GmaskError(f"method {name!r} is given twice")
        found[name] = method
    if not found:
        raise GmaskError("at least one method is needed")
    return found


def _as_written(method: Method, text: str) -> str:
    """The name with the settings that were written, whatever the case of either."""
    _, *settings = text.split(":")
    told = []
    for setting in settings:
        key, _, value = setting.partition("=")
        known = getattr(method, key)
        told.append(f"{key}={known if isinstance(known, str) else value}")
    return ":".join([method.name, *told])


def _name_of(method: Method) -> str:
    changed = [
        f"{f.name}={getattr(method, f.name)}"
        for f in fields(method)
        if f.init and f.default is not MISSING and getattr(method, f.name) != f.default
    ]
    return ":".join([method.name, *changed])
