"""The commands and their order in the help."""

from __future__ import annotations

from typing import Annotated

import typer

from gmask.cli import audit, batch, bench, data, evaluate, explain, fit, methods, report, serve, share, train

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Why did a sentence-pair model answer as it did? Groups of words that act together, across the two texts.",
)


def _version(asked: bool) -> None:
    if asked:
        from gmask import __version__

        print(f"gmask {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None: ...


app.command("explain")(explain.explain)
app.command("batch")(batch.batch)
app.command("evaluate")(evaluate.evaluate)
app.command("report")(report.report)
app.command("audit")(audit.audit)
app.command("check")(audit.check)
app.command("share")(share.share)
app.command("serve")(serve.serve)
app.command("methods")(methods.methods)
app.add_typer(train.app, name="train")
app.add_typer(fit.app, name="fit")
app.add_typer(data.app, name="data")
app.add_typer(bench.app, name="bench")
