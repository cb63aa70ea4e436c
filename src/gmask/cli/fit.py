"""`gmask fit`: learn once what a method needs to know of a model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from gmask.cli.options import Seed

app = typer.Typer(no_args_is_help=True, help="Fit a method to a model: what l2x and iba must know of it.")

Model = Annotated[str, typer.Option(help="A built-in model, a folder, a hub id, an address, or python:MODULE:NAME.")]
Data = Annotated[
    list[str],
    typer.Option(
        "--data",
        help="A file of pairs, a folder of splits (its training pairs), NAME=PATH, or hub:NAME. May be given several "
        "times. Labels are not needed.",
    ),
]
Output = Annotated[
    Path,
    typer.Option(
        "-o",
        "--output",
        help="The file. As l2x.safetensors (iba.safetensors) beside the model it is found by itself.",
    ),
]
Limit = Annotated[int, typer.Option(help="At most so many pairs, drawn at random.", min=1)]


@app.command("l2x")
def l2x(
    model: Model,
    data: Data,
    output: Output,
    limit: Limit = 30_000,
    k: Annotated[int, typer.Option(help="How many words the selector selects.", min=1)] = 5,
    epochs: Annotated[int, typer.Option(help="At most so many; fewer when nothing is gained.", min=1)] = 10,
    joint: Annotated[
        bool, typer.Option("--joint", help="Train selector and reader together, as published, not on random subsets.")
    ] = False,
    seed: Seed = 0,
) -> None:
    """Train a selector on what the model says of many pairs. Killed and started again, it goes on where it stopped."""
    from dataclasses import replace

    import gmask
    from gmask.files import check_writable
    from gmask.method.selector.network import Shape
    from gmask.method.selector.training import SETTINGS, fit_l2x

    check_writable(output)
    settings = replace(SETTINGS, epochs=epochs, seed=seed)
    pairs = _pairs(data, limit, seed)
    agreement = fit_l2x(gmask.load(model), pairs, output, shape=Shape(k=k), settings=settings, joint=joint, log=_say)
    _say(f"{output}: from {k} selected words, {100 * agreement:.1f} % of held-out pairs read as the model does")


@app.command("iba")
def iba(model: Model, data: Data, output: Output, limit: Limit = 2_000, seed: Seed = 0) -> None:
    """Estimate the mean and deviation of the model's word features over many pairs."""
    import gmask
    from gmask.files import check_writable
    from gmask.method.iba import fit_iba

    check_writable(output)
    pairs = _pairs(data, limit, seed)
    fit_iba(gmask.load(model), pairs, output)
    _say(f"{output}: estimated from {len(pairs):,} pairs")


def _pairs(data: list[str], limit: int, seed: int) -> list[tuple[str, str]]:
    import numpy as np

    from gmask.dataset.corpora import stream
    from gmask.errors import GmaskError

    pairs = [(e.first, e.second) for source in data for e in stream(source, labelled=False)]
    if not pairs:
        raise GmaskError(f"there are no pairs in {', '.join(data)}")
    chosen = np.random.default_rng(seed).permutation(len(pairs))[:limit]
    return [pairs[i] for i in chosen]


def _say(line: str) -> None:
    print(line, file=sys.stderr)
