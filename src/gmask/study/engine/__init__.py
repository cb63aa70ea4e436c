"""Where the work of a study is done: in this process, or on Ray."""

from __future__ import annotations

from gmask.errors import GmaskError, one_of
from gmask.study.engine.base import Engine, Job

__all__ = ["ENGINES", "Engine", "Job", "create"]

ENGINES = ("local", "ray")


def create(name: str, *, address: str | None = None, workers: int | None = None) -> Engine:
    """An engine by name.

    Args:
        name: `local` or `ray`.
        address: Of a Ray cluster. Default: a new one on this machine.
        workers: How many processes work at once, on Ray. Default: one a processor.
    """
    if name == "local":
        if address is not None or workers is not None:
            raise GmaskError("the local engine has no address and no workers; choose the engine ray")
        from gmask.study.engine.local import Local

        return Local()
    if name == "ray":
        from gmask.study.engine.ray import Ray

        return Ray(address, workers)
    raise one_of("engine", name, ENGINES)
