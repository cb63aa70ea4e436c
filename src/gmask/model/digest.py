"""A digest of what a function or an object is made of: its source, and the data it works with."""

from __future__ import annotations

import functools
import hashlib
import inspect
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

__all__ = ["digest"]

DEEPEST = 40
PLAIN = (type(None), bool, int, float, complex, str, bytes)


def digest(value: Any) -> tuple[str, bool]:
    """The digest of a value, the same in every process, and whether all of it could be digested.

    Functions count with their source, defaults and what they close over; objects with their class and attributes;
    modules of PyTorch with their weights. What is none of these, such as a lock or a connection, counts by its type.
    """
    found = hashlib.sha256()
    whole = True
    for part in _parts(value, ()):
        whole &= part is not None
        found.update(b"?" if part is None else len(part).to_bytes(8, "little") + part)
    return found.hexdigest(), whole


def _parts(value: Any, above: tuple[int, ...]) -> Iterator[bytes | None]:
    """The bytes of a value, part by part; None for what has none that say what it is."""
    yield type(value).__qualname__.encode()
    if isinstance(value, PLAIN):
        yield repr(value).encode()
    elif id(value) in above:
        yield str(above.index(id(value))).encode()  # it holds itself
    elif len(above) >= DEEPEST:
        yield None
    else:
        yield from _inside(value, (*above, id(value)))


def _inside(value: Any, above: tuple[int, ...]) -> Iterator[bytes | None]:
    if isinstance(value, (np.ndarray, np.generic)):
        yield from _array(np.asarray(value), above)
    elif hasattr(value, "detach") and hasattr(value, "untyped_storage"):  # a tensor
        import torch

        yield f"{value.dtype} {tuple(value.shape)}".encode()
        yield value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes()
    elif isinstance(value, Mapping):
        yield from _unordered(value.items(), above)
    elif isinstance(value, (set, frozenset)):
        yield from _unordered(value, above)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _parts(item, above)
    elif isinstance(value, types.FunctionType):
        cells = [_content(cell) for cell in value.__closure__ or ()]
        yield from _source(value)
        yield from _parts([value.__defaults__, value.__kwdefaults__, vars(value), cells], above)
    elif isinstance(value, types.MethodType):
        yield from _parts([value.__func__, value.__self__], above)
    elif isinstance(value, functools.partial):
        yield from _parts([value.func, value.args, value.keywords], above)
    elif isinstance(value, (type, types.ModuleType, types.BuiltinFunctionType)):
        yield f"{getattr(value, '__module__', '')}.{value.__name__}".encode()
    elif callable(getattr(value, "state_dict", None)) and callable(getattr(value, "named_modules", None)):
        yield repr(value).encode()  # the layers of a module of PyTorch and their settings, without addresses
        yield from _source(type(value))
        yield from _parts(dict(value.state_dict()), above)
    elif hasattr(value, "__dict__"):
        yield from _source(type(value))
        yield from _parts(vars(value), above)
    else:
        yield None


def _array(value: np.ndarray, above: tuple[int, ...]) -> Iterator[bytes | None]:
    yield f"{value.dtype} {value.shape}".encode()
    if value.dtype.hasobject:
        yield from _parts(value.ravel().tolist(), above)
    else:
        yield value.tobytes()


def _unordered(items: Any, above: tuple[int, ...]) -> Iterator[bytes | None]:
    """Each item by its own digest, in the order of these."""
    found = []
    for item in items:
        parts = list(_parts(item, above))
        inner = hashlib.sha256()
        for part in parts:
            inner.update(b"?" if part is None else len(part).to_bytes(8, "little") + part)
        found.append(inner.digest())
        if None in parts:
            yield None
    yield from sorted(found)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _source(value: Any) -> Iterator[bytes | None]:
    """The source of a function or a class where Python can show it; else of a function its code."""
    yield value.__qualname__.encode()
    try:
        yield inspect.getsource(value).encode()
    except (OSError, TypeError):
        code = getattr(value, "__code__", None)
        yield None if code is None else code.co_code + repr([c for c in code.co_consts if isinstance(c, PLAIN)]).encode()
