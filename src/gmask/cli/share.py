"""`gmask share`: a run's numbers without its texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def share(
    run: Annotated[Path, typer.Argument(help="A folder that `gmask evaluate` wrote.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The copy's folder.")],
) -> None:
    """Copy a run without explanations and texts: it makes the same tables, and `gmask evaluate` goes on with it."""
    from gmask.study.progress import say
    from gmask.study.run import share

    print(f"{output}: {share(run, output, say)} records")
