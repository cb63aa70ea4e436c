"""What many commands have in common: options, and what they say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Optional
from urllib.parse import urlencode

import typer

from gmask.seed import check_seed

__all__ = [
    "MODEL",
    "Address",
    "Against",
    "Answers",
    "Engine",
    "HeldAgainst",
    "Instruction",
    "MethodName",
    "ModelName",
    "Plugins",
    "Removal",
    "Seed",
    "Settings",
    "Split",
    "Target",
    "Template",
    "Threads",
    "Units",
    "Windows",
    "Workers",
    "resumable",
    "worded",
    "wrote",
]


def _load(modules: Optional[list[str]]) -> list[str]:
    from gmask.plugins import load_plugins

    load_plugins(modules or [])
    return modules or []


MODEL = "A built-in model, a folder, a hub id, an address, or python:MODULE:NAME."

ModelName = Annotated[str, typer.Option("--model", help=MODEL)]
MethodName = Annotated[
    str,
    typer.Option("--method", "-m", help="One of `gmask methods`, perhaps with settings as in gmask:preset=fast."),
]
Target = Annotated[Optional[str], typer.Option(help="The label to explain. Default: what the model says.")]
Against = Annotated[Optional[str], typer.Option(help="A label to hold it against.")]
Split = Annotated[Optional[str], typer.Option(help="train, dev or test, of a folder. Default: test.")]
Engine = Annotated[str, typer.Option(help="local, or ray.")]
Address = Annotated[Optional[str], typer.Option(help="Of a Ray cluster. Default: one on this machine.")]
Workers = Annotated[Optional[int], typer.Option(help="Ray workers. Default: as many as fit.")]
Threads = Annotated[Optional[int], typer.Option(help="Processor threads a worker. Default: all, at most 4.")]
Seed = Annotated[int, typer.Option(callback=check_seed, help="The same seed gives the same answer.")]
Settings = Annotated[
    Optional[list[str]],
    typer.Option("--option", "-p", help="A setting of the method, as in -p preset=fast; may be repeated."),
]
Removal = Annotated[
    Optional[str],
    typer.Option(
        help="What stands where a word is gone: drop, zero, mask, delete, blank, swap, or several joined by +, whose "
        "answers are averaged. Default: the model's usual way."
    ),
]
HeldAgainst = Annotated[
    str,
    typer.Option(
        help="What the answer is held against: empty, unrelated, a file of pairs, or auto, under which it is lowest."
    ),
]
Units = Annotated[
    str,
    typer.Option(
        help="What stays or goes as one: words, sentences, or auto: words, but of a long text its sentences first, and "
        "then the words of those that decide."
    ),
]
Template = Annotated[
    Optional[str],
    typer.Option(
        help="What stands around the texts of a model that is asked so: a known name such as qwen3-reranker, a file "
        "with {first} and {second} in it (.json: a list of messages), or such a text."
    ),
]
Answers = Annotated[
    Optional[str],
    typer.Option(help="The token a language model answers with for each label: no=no,yes=yes."),
]
Instruction = Annotated[Optional[str], typer.Option(help="What stands in the place of {instruction} in a template.")]
Windows = Annotated[
    Optional[str],
    typer.Option(
        help="Read a text beyond the model's limit in windows, and say what is said of the best one, of the best by a "
        "label (best:LABEL), or the mean. Default: what is beyond is cut off, as the model's owner cuts it."
    ),
]
Plugins = Annotated[
    Optional[list[str]],
    typer.Option(
        "--plugin",
        metavar="MODULE",
        callback=_load,
        help="A module with methods or metrics of your own, installed or in the current folder; may be repeated.",
    ),
]


def worded(model: str, **said: Optional[str]) -> str:
    """A model's name with what was said of its template and windows behind it, as `gmask.load` reads it."""
    given = {name: text for name, text in said.items() if text is not None}
    return f"{model}{'&' if '#' in model else '#'}{urlencode(given)}" if given else model


@contextmanager
def resumable() -> Iterator[None]:
    """Work that goes on where it stopped, and says so when Ctrl-C stops it."""
    from gmask.study.progress import say

    try:
        yield
    except KeyboardInterrupt:
        say("stopped; the same command goes on here")
        raise typer.Exit(130) from None


def wrote(path: Path, what: str = "") -> None:
    """Say where the result is, on standard error, so that pipes stay clean."""
    from gmask.study.progress import say

    say(f"wrote {path}" + (f" ({what})" if what else ""))
