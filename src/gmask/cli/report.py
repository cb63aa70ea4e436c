"""`gmask report`: tables, figures and a page from runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gmask.cli.options import Plugins, wrote


def report(
    runs: Annotated[list[Path], typer.Argument(help="Folders that `gmask evaluate` wrote.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The report's folder.")] = Path("report"),
    examples: Annotated[int, typer.Option(help="Pairs shown with every method's explanation, for each run.")] = 3,
    plugin: Plugins = None,  # noqa: ARG001  # imported as it is read
) -> None:
    """Write tables (Markdown, LaTeX, CSV), figures (SVG, PNG) and one self-contained page (HTML)."""
    from gmask.study.report import write_report

    files = write_report(runs, output, examples=examples)
    for path in files:
        print(path)
    wrote(output, f"{len(files)} files; {output / 'report.html'} has it all")
