"""`gmask train`: train the paper's two kinds of model."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from gmask.cli.options import Seed

if TYPE_CHECKING:
    from gmask.model.training.corpus import TrainingData

app = typer.Typer(no_args_is_help=True, help="Train a model on sentence pairs.")

Data = Annotated[
    list[str],
    typer.Option(
        "--data",
        help="A folder of train, dev and test files, NAME=FOLDER, or hub:NAME; FOLDER*3 repeats its training pairs. "
        "May be given several times.",
    ),
]
Output = Annotated[Path, typer.Option("-o", "--output", help="The model's folder.")]
Rate = Annotated[float, typer.Option(help="Learning rate.")]
Dropout = Annotated[float, typer.Option(help="Share of the activations left out in training.")]
Patience = Annotated[int, typer.Option(help="Stop after so many epochs that are no better on dev.")]
Clean = Annotated[
    bool, typer.Option("--clean", help="Clean the texts as the paper does: lowercase, no special characters.")
]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Pass over bad lines, and say how many.")]
Limit = Annotated[Optional[int], typer.Option(help="Read at most so many pairs a split.")]


@app.command("bert")
def bert(
    data: Data,
    output: Output,
    encoder: Annotated[
        str, typer.Option("--encoder", "--from", help="Hugging Face folder, hub id, or built-in model to start from.")
    ] = "bert-base-uncased",
    epochs: int = 3,
    batch_size: int = 32,
    lr: Rate = 1e-4,
    dropout: Dropout = 0.1,
    patience: Patience = 2,
    vocabulary: Annotated[
        Optional[int], typer.Option(help="Keep this many of the most frequent word pieces, and those the data needs.")
    ] = None,
    clean: Clean = False,
    skip_bad: SkipBad = False,
    limit: Limit = None,
    seed: Seed = 0,
) -> None:
    """Fine-tune a Hugging Face encoder. Killed and started again, it goes on where it stopped."""
    from gmask.model.training.bert import train_bert
    from gmask.model.training.loop import Settings

    settings = Settings(epochs=epochs, batch_size=batch_size, lr=lr, patience=patience, seed=seed)
    train_bert(
        _gather(data, limit, clean=clean, skip_bad=skip_bad),
        output,
        encoder=encoder,
        settings=settings,
        dropout=dropout,
        vocabulary=vocabulary,
        command=_command(),
        log=_say,
    )


@app.command("dattn")
def dattn(
    data: Data,
    output: Output,
    vectors: Annotated[
        Optional[Path], typer.Option(help="Word vectors: GloVe, word2vec or fastText, text or binary.")
    ] = None,
    start: Annotated[
        Optional[str], typer.Option("--from", help="Go on from this model of the kind, built in or a folder, instead.")
    ] = None,
    epochs: int = 15,
    batch_size: int = 64,
    lr: Rate = 5e-4,
    dropout: Dropout = 0.2,
    patience: Patience = 3,
    vocabulary: Annotated[int, typer.Option(help="How many words the model knows.")] = 25_000,
    clean: Clean = False,
    skip_bad: SkipBad = False,
    limit: Limit = None,
    seed: Seed = 0,
) -> None:
    """Train the decomposable attention model. Killed and started again, it goes on where it stopped."""
    from gmask.model.training.dattn import train_dattn
    from gmask.model.training.loop import Settings

    settings = Settings(epochs=epochs, batch_size=batch_size, lr=lr, patience=patience, seed=seed)
    train_dattn(
        _gather(data, limit, clean=clean, skip_bad=skip_bad),
        output,
        settings=settings,
        vectors=vectors,
        start=start,
        dropout=dropout,
        vocabulary=vocabulary,
        command=_command(),
        log=_say,
    )


def _gather(data: list[str], limit: int | None, *, clean: bool, skip_bad: bool) -> TrainingData:
    from gmask.dataset.table import DataError
    from gmask.errors import GmaskError
    from gmask.model.training.corpus import gather

    skipped: list[str] = []

    def skip(error: DataError) -> None:
        skipped.append(error.path)
        print(f"gmask: skipped {error}", file=sys.stderr)

    try:
        gathered = gather(data, limit=limit, clean=clean, on_bad=skip if skip_bad else None)
    except DataError as error:
        raise GmaskError(
            f"{error} (gmask data check shows all that is wrong; --skip-bad passes over bad lines)"
        ) from None
    if skip_bad:
        print(f"gmask: skipped {len(skipped)} bad lines in {len(set(skipped))} files", file=sys.stderr)
    return gathered


def _say(line: str) -> None:
    print(line, flush=True)


def _command() -> str:
    return f"gmask {shlex.join(sys.argv[1:])}"
