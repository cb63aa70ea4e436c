"""Methods as a study names them: `lime`, or with settings `gmask:preset=paper:k=8`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields

from gmask.errors import GmaskError
from gmask.method.base import Method, create, parse_options

__all__ = ["method_of", "named_methods"]


def method_of(text: str) -> Method:
    """The method that `name:setting=value:...` stands for."""
    name, *settings = text.split(":")
    return create(name, **parse_options(name, settings))


def named_methods(methods: str | Method | Iterable[str | Method]) -> dict[str, Method]:
    """Methods by the names a study's tables give them."""
    found: dict[str, Method] = {}
    for given in [methods] if isinstance(methods, (str, Method)) else methods:
        name = _name_of(given) if isinstance(given, Method) else given.strip()
        if name in found:
            raise GmaskError(f"method {name!r} is given twice")
        found[name] = given if isinstance(given, Method) else method_of(name)
    if not found:
        raise GmaskError("at least one method is needed")
    return found


def _name_of(method: Method) -> str:
    changed = [
        f"{f.name}={getattr(method, f.name)}"
        for f in fields(method)
        if f.init and f.default is not MISSING and getattr(method, f.name) != f.default
    ]
    return ":".join([method.name, *changed])
