"""`gmask explain`: explain one pair."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated, Optional

import typer

from gmask.cli.options import (
    Against,
    Answers,
    HeldAgainst,
    Instruction,
    MethodName,
    ModelName,
    Plugins,
    Removal,
    Seed,
    Settings,
    Target,
    Template,
    Units,
    Windows,
    worded,
    wrote,
)
from gmask.errors import GmaskError

PATIENCE = 1.0  # seconds without a sign of life


class Format(str, Enum):
    """How the explanation is written."""

    text = "text"
    json = "json"
    html = "html"
    latex = "latex"
    svg = "svg"


def explain(
    first: Annotated[str, typer.Argument(help="The first sentence, or - to read two lines from standard input.")],
    second: Annotated[Optional[str], typer.Argument(help="The second sentence.")] = None,
    model: ModelName = "nli",
    method: MethodName = "gmask",
    target: Target = None,
    against: Against = None,
    template: Template = None,
    answers: Answers = None,
    instruction: Instruction = None,
    windows: Windows = None,
    removal: Removal = None,
    reference: HeldAgainst = "auto",
    units: Units = "auto",
    option: Settings = None,
    seed: Seed = 0,
    stability: Annotated[
        bool, typer.Option("--stability", help="Explain it again with other seeds and small changes: what stays?")
    ] = False,
    format: Annotated[Format, typer.Option(help="How to write the explanation.")] = Format.text,  # noqa: A002
    output: Annotated[
        Optional[Path], typer.Option("-o", "--output", help="A file; its ending gives the format.")
    ] = None,
    plugin: Plugins = None,  # noqa: ARG001  # imported as it is read
) -> None:
    """Explain what a model says of a pair of sentences."""
    if first == "-" and second is None:
        first, second = _two_lines()
    if second is None:
        raise GmaskError("two sentences are needed: gmask explain FIRST SECOND, or gmask explain - with two lines")

    import gmask
    from gmask.explanation import check_ending
    from gmask.method.base import parse_options

    if output is not None:
        check_ending(output)  # before the work, not after it

    explainer = gmask.Explainer(
        gmask.load(worded(model, template=template, answers=answers, instruction=instruction, windows=windows)),
        method,
        target=target,
        against=against,
        removal=removal,
        reference=reference,
        units=units,
        seed=seed,
        **parse_options(method.partition(":")[0], option or []),
    )
    with rows_shown():
        e = explainer(first, second)
        if stability:
            e = explainer.with_stability(e)
    if output is not None:
        e.save(output)
        wrote(output)
        return
    writers = {
        Format.text: lambda: e.to_text(colour=colour()),
        Format.json: lambda: e.to_json(indent=1),
        Format.html: e.to_html,
        Format.latex: e.to_latex,
        Format.svg: e.to_svg,
    }
    print(writers[format]())


@contextmanager
def rows_shown() -> Iterator[None]:
    """On a terminal, and where it takes long: how many rows the model has answered."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    from gmask.watch import watching

    status = Console(stderr=True).status("")
    began, answered = time.monotonic(), 0

    def on_rows(rows: int) -> None:
        nonlocal answered
        answered += rows
        if time.monotonic() - began > PATIENCE:
            status.update(f"explaining: {answered:,} rows asked")
            status.start()  # once only, whatever it is called

    try:
        with watching(on_rows):
            yield
    finally:
        status.stop()


def _two_lines() -> tuple[str, str]:
    try:
        lines = sys.stdin.buffer.read().decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise GmaskError(f"standard input is not UTF-8 text (byte {error.start})") from None
    if len(lines) != 2:
        raise GmaskError(f"standard input must have two lines, one sentence each; it has {len(lines)}")
    return lines[0], lines[1]


def colour() -> bool:
    from rich.console import Console

    console = Console()
    return console.color_system is not None and not console.no_color
