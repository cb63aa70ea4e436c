"""The settings of methods that a client may choose: numbers, switches and choices, within bounds. No file names."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from gmask.errors import GmaskError, one_of
from gmask.method.base import Method, create, describe, methods, parse_options
from gmask.web.limits import Limits

__all__ = ["method_of", "offered_settings"]

# Settings whose cost grows faster than they do.
CEILINGS = {"k": 12, "groups": 8, "words": 80, "exact": 12}
LEAST_CEILING = 10.0  # for defaults near 0
NO_DEFAULT = 1_000.0


def offered_settings(cls: type[Method]) -> list[dict[str, Any]]:
    """A method's settings that a client may choose."""
    kinds = {f.name: str(f.type) for f in fields(cls)}
    return [
        setting
        for setting in describe(cls)
        if setting["choices"] or any(kind in kinds[setting["name"]] for kind in ("int", "float", "bool"))
    ]


def method_of(name: str, options: Mapping[str, Any], limits: Limits) -> Method:
    """The method a client asks for, with its settings checked."""
    if name not in methods():
        raise one_of("method", name, methods())
    offered = [setting["name"] for setting in offered_settings(Method.registry[name])]
    for key in options:
        if key not in offered:
            raise one_of(f"option of {name}", key, offered or ["(none)"])
    values = parse_options(name, [f"{key}={value}" for key, value in options.items()])
    plain = create(name, **{key: value for key, value in values.items() if isinstance(value, str)}).settings
    for key, value in values.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            ceiling = _ceiling(key, plain.get(key), limits)
            if not -math.inf < value <= ceiling:  # a whole number may be too large for a float
                raise GmaskError(f"{key} of {name} can be at most {ceiling:g} here, not {reprlib.repr(value)}")
    return create(name, **values)


def _ceiling(key: str, default: Any, limits: Limits) -> float:
    if key == "budget":
        return limits.rows
    if key in CEILINGS:
        return CEILINGS[key]
    return NO_DEFAULT if default is None else max(LEAST_CEILING, limits.factor * abs(default))
