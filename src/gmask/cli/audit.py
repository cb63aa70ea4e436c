"""`gmask audit` and `gmask check`: what a model does systematically, and whether another version still does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from gmask.cli.options import (
    MODEL,
    Address,
    Engine,
    HeldAgainst,
    ModelName,
    Plugins,
    Removal,
    Seed,
    Split,
    Threads,
    Workers,
    resumable,
    wrote,
)


def audit(
    data: Annotated[
        str, typer.Option(help="A file of pairs, a folder of splits, NAME=PATH, or what `gmask batch` wrote.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The audit's folder, new or begun before.")],
    model: ModelName = "nli",
    against: Annotated[
        Optional[str], typer.Option(help="Another version of the model: which answers changed, and for which reasons.")
    ] = None,
    limit: Annotated[Optional[int], typer.Option(help="At most so many pairs, drawn at random; 0 for all.")] = 1000,
    split: Split = None,
    method: Annotated[
        str, typer.Option("--method", "-m", help="What explains the pairs, with settings as in gmask:preset=reasons.")
    ] = "gmask:preset=fast",
    removal: Removal = None,
    reference: HeldAgainst = "auto",
    hosts: Annotated[int, typer.Option(help="At most so many pairs that a pattern is brought about in.")] = 200,
    seed: Seed = 0,
    engine: Engine = "local",
    address: Address = None,
    workers: Workers = None,
    threads: Threads = None,
    plugin: Plugins = None,  # noqa: ARG001  # imported as it is read
) -> None:
    """Find out what a model does systematically. Killed and started again, it goes on where it stopped."""
    import gmask

    with resumable():
        found = gmask.audit(
            model,
            data,
            limit=limit or None,
            output=output,
            against=against,
            split=split,
            method=method,
            removal=removal,
            reference=reference,
            hosts=hosts,
            seed=seed,
            engine=engine,
            address=address,
            workers=workers,
            threads=threads,
            progress=True,
        )
    print(found)
    wrote(output, f"{output / 'audit.html'} shows it")


def check(
    audit: Annotated[Path, typer.Argument(help="The folder that `gmask audit` wrote.")],
    model: Annotated[
        Optional[str],
        typer.Option(help=f"The version to test. {MODEL} Without one, the audit's own numbers are computed again."),
    ] = None,
    junit: Annotated[
        Optional[Path], typer.Option(help="Where the JUnit file goes. Default: check.xml in the audit's folder.")
    ] = None,
    engine: Engine = "local",
    address: Address = None,
    workers: Workers = None,
    threads: Threads = None,
    plugin: Plugins = None,  # noqa: ARG001  # imported as it is read
) -> None:
    """Test a version of a model: exit code 1 if a shortcut of an audit is there, or a required reason was lost."""
    from gmask.audit.check import check as test

    if model is None:
        _recount(audit)
        return
    file = junit or (audit if audit.is_dir() else audit.parent) / "check.xml"
    checked = test(audit, model, junit=file, engine=engine, address=address, workers=workers, threads=threads)
    print(checked)
    wrote(file)
    if checked.failed:
        raise typer.Exit(1)


def _recount(audit: Path) -> None:
    """Compute every number of an audit again, from the pairs and the trials in its audit.json."""
    from gmask.audit import Audit
    from gmask.audit.figures import recount

    wrong = recount(Audit.read(audit).data)
    print("\n".join(wrong) or "every number is what the pairs and the trials say")
    if wrong:
        raise typer.Exit(1)
