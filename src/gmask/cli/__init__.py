"""The command line: one file a command, imported when it is called."""

from __future__ import annotations

import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the command line; a mistake of the user's ends it with one line and exit code 2."""
    import typer

    from gmask.cli.app import app
    from gmask.errors import GmaskError

    try:
        sys.exit(app(standalone_mode=False) or 0)
    except (GmaskError, FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError) as error:
        _fail(str(error))
    except (KeyboardInterrupt, typer.Abort):
        print("gmask: stopped", file=sys.stderr)
        sys.exit(130)
    except Exception as error:
        # Errors of usage come from click, or from the copy of it that some versions of typer carry.
        if not hasattr(error, "format_message"):
            raise
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()  # type: ignore[attr-defined]
            sys.exit(2)
        context = getattr(error, "ctx", None)
        _fail(f"{error.format_message()} (see {context.command_path if context else 'gmask'} --help)")


def _fail(message: str) -> NoReturn:
    print(f"gmask: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(2)
