"""How far a training has come: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

__all__ = ["display"]

SECONDS = 30.0  # between two lines, where there is no terminal
Update = Callable[[int, int, float, float], None]  # epoch, steps done, and the epoch's loss and accuracy so far


@contextmanager
def display(total: int, done: int, log: Callable[[str], None], *, terminal: bool | None = None) -> Iterator[Update]:
    """What to call after every step.

    Args:
        total: How many steps there are.
        done: How many were done before.
        log: Told the lines.
        terminal: Whether to draw a bar. Default: where standard output is a terminal.
    """
    if sys.stdout.isatty() if terminal is None else terminal:
        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("loss {task.fields[loss]:.3f}  accuracy {task.fields[accuracy]:.3f}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        ) as bar:
            task = bar.add_task("training", total=total, completed=done, loss=0.0, accuracy=0.0)
            yield lambda epoch, step, loss, accuracy: bar.update(
                task, completed=step, description=f"epoch {epoch}", loss=loss, accuracy=accuracy
            )
        return
    began = told = time.monotonic()

    def line(epoch: int, step: int, loss: float, accuracy: float) -> None:
        nonlocal told
        if (now := time.monotonic()) - told >= SECONDS:
            told = now
            left = timedelta(seconds=round((now - began) / (step - done) * (total - step)))
            log(f"epoch {epoch}, step {step}/{total}: loss {loss:.4f}, accuracy {accuracy:.4f}, {left} left")

    yield line
