"""`gmask rank`: put passages in order, and say why."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from gmask.cli.explain import colour, rows_shown
from gmask.cli.options import MethodName, ModelName, Plugins, Removal, Seed, Settings, Windows, worded, wrote
from gmask.errors import GmaskError


class Format(str, Enum):
    """How the ranking is written."""

    text = "text"
    json = "json"
    html = "html"


def rank(
    query: Annotated[str, typer.Argument(help="The query.")],
    passages: Annotated[
        Path,
        typer.Argument(help="A passage a line (.txt), or an object a line with text and perhaps id, title (.jsonl)."),
    ],
    model: ModelName = "paraphrase",
    why: Annotated[
        Optional[str],
        typer.Option(help="Explain the score of this passage: its id, or its position in the file, from 0."),
    ] = None,
    over: Annotated[
        Optional[str], typer.Option(help="Instead, why it stands above (or below) this other passage.")
    ] = None,
    method: MethodName = "gmask",
    target: Annotated[
        Optional[str], typer.Option(help="The label that means relevant. Default: what the labels suggest.")
    ] = None,
    windows: Windows = None,
    removal: Removal = None,
    option: Settings = None,
    seed: Seed = 0,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Put passages that cannot be read last. Default: stop there.")
    ] = False,
    format: Annotated[Format, typer.Option(help="How to write it.")] = Format.text,  # noqa: A002
    output: Annotated[
        Optional[Path], typer.Option("-o", "--output", help="A file that ends in .html, .json or .txt.")
    ] = None,
    plugin: Plugins = None,  # noqa: ARG001  # imported as it is read
) -> None:
    """Put passages in the order of a model's scores for a query, and explain one of them."""
    if over is not None and why is None:
        raise GmaskError("--over holds a passage against another; name the other with --why")

    import gmask
    from gmask.method.base import create, parse_options
    from gmask.ranking import check_ending

    if output is not None:
        check_ending(output)  # before the work, not after it
    asked = create(method, **parse_options(method.partition(":")[0], option or []))

    model = worded(model, windows=windows)
    r = gmask.rank(model, query, passages, target=target, skip_bad=skip_bad, progress=sys.stderr.isatty())
    explanation = None
    if why is not None:
        with rows_shown():
            explanation = r.why(
                _named(r, why),
                over=None if over is None else _named(r, over),
                method=asked,
                removal=removal,
                seed=seed,
            )
    if output is not None:
        r.save(output)
        wrote(output)
    elif format is Format.json:
        print(r.to_json(indent=1))
    elif format is Format.html:
        print(r.to_html())
    else:
        print(r.to_text(colour=colour()))
        if explanation is not None:
            print(f"\n{explanation.to_text(colour=colour())}")


def _named(r: Any, name: str) -> int | str:
    """A passage by its id, or by its position where no id is that."""
    return name if not name.isdecimal() or any(passage.id == name for passage in r.passages) else int(name)
