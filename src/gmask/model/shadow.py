"""Working on a user's modules without touching them: a copy of their structure that shares their weights."""

from __future__ import annotations

import copy
import threading
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from torch import nn

__all__ = ["Turn", "shadow", "weights_of"]

T = TypeVar("T")

_locks: WeakKeyDictionary[nn.Module, threading.Lock] = WeakKeyDictionary()  # of modules that could not be copied
_finding = threading.Lock()


class Turn:
    """One thread at a time runs a module, in evaluation mode, and leaves its mode as it was."""

    def __init__(self, module: nn.Module, lock: threading.Lock) -> None:
        self._module = module
        self._lock = lock
        self._training: list[nn.Module] = []

    def __enter__(self) -> None:
        self._lock.acquire()
        self._training = [module for module in _modules(self._module) if module.training]
        for module in self._training:
            module.training = False

    def __exit__(self, *_: object) -> None:
        for module in self._training:
            module.training = True
        self._lock.release()


def shadow(owner: T) -> tuple[T, threading.Lock, bool]:
    """A copy of an object whose weights are in its `module`, a lock for whoever runs it, and whether it is a copy.

    Everything is copied but the weights: the copy's parameters are the same memory and take no gradient. So hooks,
    other functions and modes are the copy's alone, and nobody's `.grad` is filled. What cannot be copied is worked on
    itself, with one lock a module.
    """
    module: nn.Module = owner.module  # type: ignore[attr-defined]
    memo: dict[int, Any] = {id(p): nn.Parameter(p.detach(), requires_grad=False) for p in module.parameters()}
    memo |= {id(b): b.detach() for b in module.buffers()}
    try:
        made = copy.deepcopy(owner, memo)
    except Exception:  # noqa: BLE001  (whatever a module holds says in its own way that it cannot be copied)
        with _finding:
            return owner, _locks.setdefault(module, threading.Lock()), False
    made.module.eval()  # type: ignore[attr-defined]
    return made, threading.Lock(), True


def weights_of(module: nn.Module) -> tuple[object, ...]:
    """Where the weights of a module are and how often they were written: a shadow of other weights is out of date."""
    tensors = (t for m in _modules(module) for t in (*m._parameters.values(), *m._buffers.values()) if t is not None)
    return tuple((t.data_ptr(), t.dtype, None if t.is_inference() else t._version) for t in tensors)


def _modules(module: nn.Module) -> list[nn.Module]:
    """A module and all within, as `modules()` has them but many times faster: it is gone through with every pair."""
    found: dict[int, nn.Module] = {}
    waiting = [module]
    while waiting:
        if id(one := waiting.pop()) not in found:
            found[id(one)] = one
            waiting += [inner for inner in one._modules.values() if inner is not None]
    return list(found.values())
