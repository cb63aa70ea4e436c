"""Where the work of a study is done: in this process, or on Ray."""

from __future__ import annotations

from gmask.errors import GmaskError, one_of
from gmask.study.engine.base import Engine, Job
from gmask.study.threads import usual_threads

__all__ = ["ENGINES", "Engine", "Job", "create"]

ENGINES = ("local", "ray")


def create(name: str, *, address: str | None = None, workers: int | None = None, threads: int | None = None) -> Engine:
    """An engine by name.

    Args:
        name: `local` or `ray`.
        address: Of a Ray cluster. Default: a new one on this machine.
        workers: How many processes work at once, on Ray. Default: as many as there are processors for.
        threads: Processor threads of a worker. Default: see `usual_threads`.
    """
    if threads is not None and threads < 1:
        raise GmaskError(f"at least one thread is needed, not {threads}")
    threads = threads or usual_threads()
    if name == "local":
        if address is not None or workers is not None:
            raise GmaskError("the local engine has no address and no workers; choose the engine ray")
        from gmask.study.engine.local import Local

        return Local(threads)
    if name == "ray":
        from gmask.study.engine.ray import Ray

        return Ray(threads, address, workers)
    raise one_of("engine", name, ENGINES)
