"""What an engine and its work are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Protocol, TypeVar

__all__ = ["Engine", "Job"]

T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)
Result = TypeVar("Result")


class Job(Protocol[T_contra, R_co]):
    """Work that can be sent elsewhere: `start` does what is done once a worker, as loading a model."""

    def start(self) -> Callable[[T_contra], Iterable[R_co]]:
        """The function that does one task."""


class Engine(ABC):
    """Does tasks and gives their results in the order of the tasks, a few tasks ahead at most.

    Args:
        threads: Processor threads of each worker. Results are the same, to the last digit, for the same number.
    """

    remote: ClassVar[bool] = False

    def __init__(self, threads: int) -> None:
        self.threads = threads

    @contextmanager
    def kept(self) -> Iterator[None]:
        """What it starts for a run stays until the end of this, for several runs."""
        yield

    @abstractmethod
    def run(self, job: Job[Any, Result], tasks: Iterable[Any]) -> Iterator[Result]:
        """Yield the results of every task."""
