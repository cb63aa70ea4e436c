"""The engine that works on Ray, on one machine or many."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from gmask.errors import GmaskError
from gmask.plugins import load_plugins, loaded_plugins
from gmask.study.engine.base import Engine, Job
from gmask.study.threads import fixed_threads

__all__ = ["Ray"]

AHEAD = 4  # tasks a worker is given or finishes before their turn; bounds the memory
RETRIES = 10  # a task that kills its worker more often than this is at fault itself

R = TypeVar("R")


class _Worker:
    """Lives in a process of its own; starts the job once. Methods in it may be of plugins, which are imported first."""

    def __init__(self, job: bytes, plugins: list[str], threads: int) -> None:
        self._job, self._plugins, self._threads = job, plugins, threads
        self._work: Callable[[Any], Iterable[Any]] | None = None

    def do(self, task: Any) -> tuple[list[Any], str | None]:
        """The results of a task, or a mistake of the user's, which must not come wrapped in a traceback."""
        try:
            self._work = self._work or self._start()
            with fixed_threads(self._threads):
                return list(self._work(task)), None
        except GmaskError as error:
            return [], str(error)

    def _start(self) -> Callable[[Any], Iterable[Any]]:
        load_plugins(self._plugins)
        job: Job[Any, Any] = pickle.loads(self._job)  # noqa: S301  # written by this package, a moment ago
        return job.start()


class Ray(Engine):
    """Tasks on Ray actors. A worker that dies is started again, and its tasks are done again.

    Args:
        threads: Processor threads of each worker.
        address: Of a cluster, as `ray.init` takes it. Default: one is started on this machine, unless this process is
            connected already.
        workers: How many. Default: as many as the cluster has processors for.
    """

    remote = True

    def __init__(self, threads: int, address: str | None = None, workers: int | None = None) -> None:
        super().__init__(threads)
        try:
            import ray
        except ImportError:
            raise GmaskError("the engine ray needs Ray: pip install 'gmask[ray]'") from None
        if workers is not None and workers < 1:
            raise GmaskError(f"at least one worker is needed, not {workers}")
        self._ray = ray
        self._address, self._workers = address, workers

    def run(self, job: Job[Any, R], tasks: Iterable[Any]) -> Iterator[R]:
        """Do the tasks on workers that live as long as this goes on."""
        ray, tasks = self._ray, iter(tasks)
        if (first := next(tasks, None)) is None:
            return
        workers: list[Any] = []
        with self.kept():
            try:
                room = self._room()
                actor = ray.remote(num_cpus=self.threads, max_restarts=-1, max_task_retries=RETRIES)(_Worker)
                packed, count = ray.cloudpickle.dumps(job), min(self._workers or room, room)
                workers = [actor.remote(packed, loaded_plugins(), self.threads) for _ in range(count)]
                yield from self._ordered(workers, itertools.chain([first], tasks))
            finally:
                for worker in workers:
                    ray.kill(worker)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """The connection stays, and with it a cluster that was started for it."""
        connected = self._ray.is_initialized()
        if not connected:
            self._connect()
        try:
            yield
        finally:
            if not connected:
                self._ray.shutdown()

    def _room(self) -> int:
        """How many workers the cluster has processors for."""
        nodes = (node for node in self._ray.nodes() if node["Alive"])
        room = sum(int(node["Resources"].get("CPU", 0)) // self.threads for node in nodes)
        if not room:
            raise GmaskError(f"no machine of the cluster has {self.threads} processors; choose fewer threads")
        return room

    def _connect(self) -> None:
        options: dict[str, Any] = {
            "address": self._address or "local",
            "log_to_driver": False,
            "logging_level": "error",
        }
        if self._address is None:
            options["include_dashboard"] = False
            options["num_cpus"] = self._workers and self._workers * self.threads
        try:
            self._ray.init(**options)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise GmaskError(f"no Ray cluster at {self._address!r}: {error}") from None

    def _ordered(self, workers: list[Any], tasks: Iterable[Any]) -> Iterator[Any]:
        ray, numbered = self._ray, enumerate(tasks)
        running: dict[Any, tuple[int, Any]] = {}  # by the result to come: the task's number and its worker
        done: dict[int, list[Any]] = {}
        free = workers * 2  # each has one task at work and one waiting
        turn = 0
        while True:
            room = AHEAD * len(workers) - len(running) - len(done)
            for number, task in itertools.islice(numbered, max(0, min(room, len(free)))):
                worker = free.pop()
                running[worker.do.remote(task)] = number, worker
            if not running:
                return
            ready, _ = ray.wait(list(running), num_returns=1)
            number, worker = running.pop(ready[0])
            free.insert(0, worker)
            done[number] = self._result(ready[0], number)
            while turn in done:
                yield from done.pop(turn)
                turn += 1

    def _result(self, reference: Any, number: int) -> list[Any]:
        try:
            results, mistake = self._ray.get(reference)
        except self._ray.exceptions.RayActorError as error:
            raise GmaskError(f"task {number}: the worker died {RETRIES + 1} times ({error})") from None
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None
        if mistake is not None:
            raise GmaskError(mistake)
        return list(results)
