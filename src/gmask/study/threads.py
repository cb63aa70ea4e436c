"""How many processor threads a study computes with: the last digits of a probability depend on it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["fixed_threads", "usual_threads"]

MOST = 4  # small models gain nothing from more


def usual_threads() -> int:
    """What `OMP_NUM_THREADS` says, or a thread a processor, four at most."""
    said = os.environ.get("OMP_NUM_THREADS", "")
    return int(said) if said.isdigit() and int(said) else min(MOST, os.cpu_count() or 1)


@contextmanager
def fixed_threads(count: int) -> Iterator[None]:
    """Compute with so many threads, whatever the environment says."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    torch = sys.modules.get("torch")  # where no model needs it, it is not imported
    before = torch.get_num_threads() if torch else 0
    with threadpool_limits(count):
        if torch:
            torch.set_num_threads(count)
        try:
            yield
        finally:
            if torch:
                torch.set_num_threads(before)
