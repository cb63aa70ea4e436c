"""`gmask evaluate`: measure how faithful methods are over a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from gmask.cli.options import (
    Address,
    Answers,
    Engine,
    HeldAgainst,
    Instruction,
    ModelName,
    Plugins,
    Removal,
    Seed,
    Settings,
    Split,
    Template,
    Threads,
    Units,
    Windows,
    Workers,
    resumable,
    worded,
    wrote,
)
from gmask.errors import GmaskError


def evaluate(
    data: Annotated[str, typer.Option(help="A file of pairs, a folder of splits, or NAME=PATH.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The run's folder, new or begun before.")],
    model: ModelName = "nli",
    methods: Annotated[
        str, typer.Option("--methods", "--method", "-m", help="Comma-separated; settings as in gmask:preset=paper.")
    ] = "gmask",
    option: Settings = None,
    metrics: Annotated[
        Optional[str],
        typer.Option(help="Comma-separated. Default: all but those of stability, which are slow."),
    ] = None,
    split: Split = None,
    limit: Annotated[Optional[int], typer.Option(help="At most so many pairs, drawn at random. Default: all.")] = None,
    skip: Annotated[int, typer.Option(help="Pass over so many of them first, as those of an earlier run.")] = 0,
    template: Template = None,
    answers: Answers = None,
    instruction: Instruction = None,
    windows: Windows = None,
    removal: Removal = None,
    measured: Annotated[
        Optional[str],
        typer.Option(
            help="What stands where a word is gone, for the metrics; comma-separated. Default: same, as for methods."
        ),
    ] = None,
    reference: HeldAgainst = "auto",
    units: Units = "auto",
    label: Annotated[
        Optional[str], typer.Option(help="Only pairs that the model gives this label. Default: whatever it says.")
    ] = None,
    seed: Seed = 0,
    alone: Annotated[
        bool, typer.Option("--alone", help="Methods do not share rows: slower, but the seconds are honest.")
    ] = False,
    accuracy: Annotated[
        Optional[str], typer.Option(help="Measure the model's accuracy too, on all labelled pairs of these data.")
    ] = None,
    engine: Engine = "local",
    address: Address = None,
    workers: Workers = None,
    threads: Threads = None,
    plugin: Plugins = None,  # noqa: ARG001  # imported as it is read
) -> None:
    """Measure methods on a data set. Killed and started again, it goes on where it stopped."""
    import json

    import gmask
    from gmask.files import write_text
    from gmask.study.accuracy import accuracy as measure_accuracy
    from gmask.study.run import ACCURACY
    from gmask.study.sample import draw
    from gmask.study.saying import called, label_of

    model = worded(model, template=template, answers=answers, instruction=instruction, windows=windows)
    with resumable():
        chosen = _with_settings(methods.split(","), option or [])
        if label is None:
            pairs, about = draw(data, split, limit, skip)
        else:
            loaded = gmask.load(model)
            label = label_of(loaded, label)
            pairs, about = draw(data, split, limit, skip, keep=called(loaded, label))
            about["label"] = label
            if not pairs:
                raise GmaskError(f"no pair of {data} is left that {model} calls {label!r}")
        missing = accuracy is not None and not (output / ACCURACY).exists()
        labelled = draw(str(accuracy), split, labelled=True)[0] if missing else []
        results = gmask.evaluate(
            model,
            pairs,
            methods=chosen,
            metrics=metrics.split(",") if metrics else None,
            removal=removal,
            measured=measured.split(",") if measured else None,
            reference=reference,
            units=units,
            seed=seed,
            alone=alone,
            output=output,
            about=about,
            engine=engine,
            address=address,
            workers=workers,
            threads=threads,
            progress=True,
        )
        if labelled:
            write_text(output / ACCURACY, json.dumps(measure_accuracy(gmask.load(model), labelled)) + "\n")
    print(results)
    wrote(output, f"gmask report {output} makes tables and figures of it")


def _with_settings(methods: list[str], settings: list[str]) -> list[str]:
    """Methods with the settings of `-p` behind them, as a study names them."""
    if settings and len(methods) > 1:
        raise GmaskError(
            f"-p is for one method, and there are {len(methods)}; write settings as in {methods[0]}:{settings[0]}"
        )
    return [":".join([method, *settings]) for method in methods]
