"""`gmask data`: look at data before trusting it."""

from __future__ import annotations

import typer

app = typer.Typer(no_args_is_help=True, help="List, count and check data.")


@app.command("list")
def list_() -> None:
    """The corpora that are known by name."""
    from gmask.dataset.corpora import CORPORA

    for corpus in CORPORA.values():
        print(f"{corpus.name:8} {corpus.title} ({corpus.terms})")
