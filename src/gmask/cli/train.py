"""`gmask train`: train the paper's two kinds of model."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

app = typer.Typer(no_args_is_help=True, help="Train a model on sentence pairs.")

Data = Annotated[
    list[str],
    typer.Option(
        "--data", help="A folder of train, dev and test files, or NAME=FOLDER; FOLDER*3 repeats its training pairs."
    ),
]
Output = Annotated[Path, typer.Option("-o", "--output", help="The model's folder.")]


@app.command("bert")
def bert(
    data: Data,
    output: Output,
    encoder: Annotated[str, typer.Option(help="Hugging Face folder or hub id to start from.")] = "bert-base-uncased",
    epochs: int = 3,
    batch_size: int = 32,
    lr: Annotated[float, typer.Option(help="Learning rate.")] = 1e-4,
    dropout: float = 0.1,
    vocabulary: Annotated[
        Optional[int], typer.Option(help="Keep this many of the most frequent word pieces, and those the data needs.")
    ] = None,
    limit: Annotated[Optional[int], typer.Option(help="Read at most so many pairs a split.")] = None,
    seed: int = 0,
) -> None:
    """Fine-tune a Hugging Face encoder. Killed and started again, it goes on where it stopped."""
    from gmask.model.training.bert import train_bert
    from gmask.model.training.corpus import gather
    from gmask.model.training.loop import Settings

    settings = Settings(epochs=epochs, batch_size=batch_size, lr=lr, seed=seed)
    train_bert(
        gather(data, limit=limit),
        output,
        encoder=encoder,
        settings=settings,
        dropout=dropout,
        vocabulary=vocabulary,
        command=f"gmask {shlex.join(sys.argv[1:])}",
    )


@app.command("dattn")
def dattn(
    data: Data,
    output: Output,
    vectors: Annotated[Path, typer.Option(help="Word vectors: GloVe, word2vec or fastText, text or binary.")],
    epochs: int = 15,
    batch_size: int = 64,
    lr: Annotated[float, typer.Option(help="Learning rate.")] = 5e-4,
    dropout: float = 0.2,
    vocabulary: Annotated[int, typer.Option(help="How many words the model knows.")] = 25_000,
    limit: Annotated[Optional[int], typer.Option(help="Read at most so many pairs a split.")] = None,
    seed: int = 0,
) -> None:
    """Train the decomposable attention model. Killed and started again, it goes on where it stopped."""
    from gmask.model.training.corpus import gather
    from gmask.model.training.dattn import train_dattn
    from gmask.model.training.loop import Settings

    settings = Settings(epochs=epochs, batch_size=batch_size, lr=lr, seed=seed)
    train_dattn(
        gather(data, limit=limit),
        output,
        vectors=vectors,
        settings=settings,
        dropout=dropout,
        vocabulary=vocabulary,
        command=f"gmask {shlex.join(sys.argv[1:])}",
    )
