"""Watching work as it goes: whoever watches is told of rows as the model answers them, and can call the work off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["tell", "watching"]

_watcher: ContextVar[Callable[[int], None] | None] = ContextVar("watcher", default=None)


@contextmanager
def watching(on_rows: Callable[[int], None]) -> Iterator[None]:
    """Within the block `on_rows` is told how many rows a model has just answered; an error it raises ends the work.

    Example:
        >>> import gmask
        >>> from gmask.watch import watching
        >>> model = gmask.load(lambda pairs: [float("guitar" in b) for _, b in pairs], labels=["no", "yes"])
        >>> answered = []
        >>> with watching(answered.append):
        ...     _ = gmask.explain(model, "a loud band", "an electric guitar", method="leave-one-out")
        >>> sum(answered)
        18
    """
    token = _watcher.set(on_rows)
    try:
        yield
    finally:
        _watcher.reset(token)


def tell(rows: int) -> None:
    """Tell whoever watches that rows have been answered."""
    if (watcher := _watcher.get()) is not None:
        watcher(rows)
