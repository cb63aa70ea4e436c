"""Modules of the user's own, imported for the methods and metrics in them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib import import_module

from gmask.errors import GmaskError

__all__ = ["load_plugins", "loaded_plugins"]

_loaded: list[str] = []


def load_plugins(modules: Iterable[str]) -> None:
    """Import modules, installed or of the current folder; the methods and metrics in them are known from then on.

    Raises:
        ValueError: There is no such module, or it cannot be imported.
    """
    for name in modules:
        if os.getcwd() not in sys.path:  # noqa: PTH109
            sys.path.append(os.getcwd())  # noqa: PTH109
        try:
            import_module(name)
        except GmaskError:
            raise
        except Exception as error:  # whatever a module raises as it is imported
            told = f"{type(error).__name__}: {error}"
            raise GmaskError(f"cannot import the plugin {name!r}: {' '.join(told.split())[:200]}") from error
        if name not in _loaded:
            _loaded.append(name)


def loaded_plugins() -> list[str]:
    """The modules imported so far, for workers that must import them too."""
    return list(_loaded)
