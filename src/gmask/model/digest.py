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
Parts = Iterator[bytes | None]  # None for what says nothing of its content
Above = tuple[int, ...]  # the objects that hold what is digested
PLAIN = (type(None), bool, int, float, complex, str, bytes)


def digest(value: Any) -> tuple[str, bool]:
    """The digest of a value, the same in every process, and whether all of it could be digested.

    Functions count with their source, defaults and what they close over; objects with their class and attributes;
    modules of PyTorch with their weights. What is none of these, such as a lock or a connection, counts by its type.
    """
    found, whole = _digest(_parts(value, ()))
    return found.hex(), whole


def _digest(parts: Parts) -> tuple[bytes, bool]:
    found, whole = hashlib.sha256(), True
    for part in parts:
        whole &= part is not None
        found.update(b"?" if part is None else len(part).to_bytes(8, "little") + part)
    return found.digest(), whole


def _parts(value: Any, above: Above) -> Parts:
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


@functools.singledispatch
def _inside(value: Any, above: Above) -> Parts:
    if hasattr(value, "untyped_storage"):
        yield from _of_tensor(value)
    elif hasattr(value, "state_dict") and hasattr(value, "named_modules"):
        yield repr(value).encode()  # the layers of a module of PyTorch and their settings, without addresses
        yield from _source(type(value))
        yield from _parts(dict(value.state_dict()), above)
    elif hasattr(value, "__dict__"):
        yield from _source(type(value))
        yield from _parts(vars(value), above)
    else:
        yield None


def _of_tensor(value: Any) -> Parts:
    import torch

    yield f"{value.dtype} {tuple(value.shape)}".encode()
    yield value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes()


@_inside.register(np.ndarray)
@_inside.register(np.generic)
def _of_array(value: Any, above: Above) -> Parts:
    array = np.asarray(value)
    yield f"{array.dtype} {array.shape}".encode()
    if array.dtype.hasobject:
        yield from _parts(array.ravel().tolist(), above)
    else:
        yield array.tobytes()


@_inside.register(list)
@_inside.register(tuple)
def _of_sequence(value: Any, above: Above) -> Parts:
    for item in value:
        yield from _parts(item, above)


@_inside.register(Mapping)
def _of_mapping(value: Any, above: Above) -> Parts:
    yield from _of_set(value.items(), above)


@_inside.register(set)
@_inside.register(frozenset)
def _of_set(value: Any, above: Above) -> Parts:
    """Each item by its own digest, in the order of these."""
    found = [_digest(_parts(item, above)) for item in value]
    yield from sorted(inner for inner, _ in found)
    if not all(whole for _, whole in found):
        yield None


@_inside.register(types.FunctionType)
def _of_function(value: Any, above: Above) -> Parts:
    cells = [_content(cell) for cell in value.__closure__ or ()]
    yield from _source(value)
    yield from _parts([value.__defaults__, value.__kwdefaults__, vars(value), cells], above)


@_inside.register(types.MethodType)
def _of_method(value: Any, above: Above) -> Parts:
    yield from _parts([value.__func__, value.__self__], above)


@_inside.register(functools.partial)
def _of_partial(value: Any, above: Above) -> Parts:
    yield from _parts([value.func, value.args, value.keywords], above)


@_inside.register(type)
@_inside.register(types.ModuleType)
@_inside.register(types.BuiltinFunctionType)
def _of_name(value: Any, _above: Above) -> Parts:
    yield f"{getattr(value, '__module__', '')}.{value.__name__}".encode()


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _source(value: Any) -> Parts:
    """The source of a function or a class where Python can show it; else of a function its code."""
    yield value.__qualname__.encode()
    try:
        yield inspect.getsource(value).encode()
    except (OSError, TypeError):
        code = getattr(value, "__code__", None)
        yield (
            None if code is None else code.co_code + repr([c for c in code.co_consts if isinstance(c, PLAIN)]).encode()
        )
