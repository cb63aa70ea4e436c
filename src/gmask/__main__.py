"""`python -m gmask` is the command line."""

from __future__ import annotations

from gmask.cli import main

main()
