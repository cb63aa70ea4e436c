"""The command line: one file a command, imported when it is called."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; a mistake of the user's ends it with one line and exit code 2."""
    from gmask.cli.app import app
    from gmask.errors import GmaskError

    try:
        app()
    except GmaskError as error:
        print(f"gmask: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("gmask: stopped", file=sys.stderr)
        sys.exit(130)
