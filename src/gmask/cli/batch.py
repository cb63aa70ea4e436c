"""`gmask batch`: explain a file of pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gmask.cli.options import (
    Address,
    Against,
    Answers,
    Engine,
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
    Threads,
    Units,
    Windows,
    Workers,
    resumable,
    worded,
    wrote,
)


def batch(
    pairs: Annotated[
        Path, typer.Argument(help="TSV, CSV or JSONL with columns such as sentence1 and sentence2, perhaps with .gz.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The JSONL file, new or begun before.")],
    model: ModelName = "nli",
    method: MethodName = "gmask",
    option: Settings = None,
    target: Target = None,
    against: Against = None,
    template: Template = None,
    answers: Answers = None,
    instruction: Instruction = None,
    windows: Windows = None,
    removal: Removal = None,
    reference: HeldAgainst = "auto",
    units: Units = "auto",
    seed: Seed = 0,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Pass over rows that are no pairs, and say which. Default: stop there.")
    ] = False,
    engine: Engine = "local",
    address: Address = None,
    workers: Workers = None,
    threads: Threads = None,
    plugin: Plugins = None,  # noqa: ARG001  # imported as it is read
) -> None:
    """Explain every pair of a file of any size. Killed and started again, it goes on where it stopped."""
    with resumable():
        from gmask.method.base import create, parse_options
        from gmask.study import batch as explain_all

        tally = explain_all(
            worded(model, template=template, answers=answers, instruction=instruction, windows=windows),
            pairs,
            output,
            method=create(method, **parse_options(method.partition(":")[0], option or [])),
            target=target,
            against=against,
            removal=removal,
            reference=reference,
            units=units,
            seed=seed,
            skip_bad=skip_bad,
            engine=engine,
            address=address,
            workers=workers,
            threads=threads,
            progress=True,
        )
    told = f"{tally.explained:,} pairs explained"
    if tally.failed or tally.bad:
        told += f", {tally.failed:,} could not be (their lines say why), {tally.bad:,} rows were no pairs"
    wrote(output, told)
