"""Options that many commands have."""

from __future__ import annotations

from typing import Annotated

import typer

from gmask.seed import check_seed

__all__ = ["Seed"]

Seed = Annotated[int, typer.Option(callback=check_seed, help="The same seed gives the same answer.")]
