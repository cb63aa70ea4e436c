"""`gmask serve`: the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from gmask.errors import GmaskError

if TYPE_CHECKING:
    import socket

    from gmask.model.base import PairModel

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve(
    model: Annotated[
        Optional[list[str]],
        typer.Option(
            help="A model to offer besides those built in: a folder, a hub id, python:MODULE:NAME, or NAME=one of "
            "these. May be repeated; the first is the default."
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; with any but the default, other machines may reach it.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes one that is free.")] = 8000,
    audit: Annotated[
        Optional[Path], typer.Option(help="A finished audit to show: the folder that `gmask audit` wrote.")
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Serve a page to see why, and try what if."""
    try:
        import uvicorn

        from gmask.audit.result import Audit
        from gmask.web import create_app
        from gmask.web.server import configure
    except ImportError as error:
        raise GmaskError(f"gmask serve needs {error.name}: pip install 'gmask[serve]'") from None

    shown_audit = None if audit is None else Audit.read(audit)
    models = _offered(model or [])
    listening = _listen(host, port)
    # A name that merely resolves to this machine is not served, so that no other site's script can ask here.
    hosts = {*LOOPBACK, "[::1]", host} if host in LOOPBACK else None
    config = configure(
        create_app(models, hosts=hosts, audit=shown_audit), log_level="warning", timeout_graceful_shutdown=3
    )
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}/"
    print(f"gmask: {address} offers {', '.join(models)} (Ctrl-C ends it)", flush=True)
    if open_browser:
        import webbrowser

        webbrowser.open(address)
    uvicorn.Server(config).run(sockets=[listening])


def _offered(given: list[str]) -> dict[str, PairModel | Callable[[], PairModel]]:
    """The given models, loaded now so that mistakes show now, and those built in, loaded when they are first used."""
    from functools import partial

    from gmask.model import load
    from gmask.model.zoo import builtin_models

    models: dict[str, PairModel | Callable[[], PairModel]] = {}
    for text in given:
        name, source = _named(text)
        if name in models:
            raise GmaskError(f"two models are called {name!r}; name them: --model NAME=SOURCE")
        models[name] = load(source)
    for name in builtin_models():
        models.setdefault(name, partial(load, name))
    if not models:
        raise GmaskError("there is no model to offer; give one with --model")
    return models


def _named(text: str) -> tuple[str, str]:
    """The name and the source of a model; without a name it has that of its folder, which may have a `=` too."""
    name, equals, source = text.partition("=")
    if equals and not any(sign in name for sign in "/\\:#?") and not Path(text).exists():
        return name, source
    return text.rstrip("/").rsplit("/", 1)[-1], text


def _listen(host: str, port: int) -> socket.socket:
    import socket

    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=2048
        )
    except OSError as error:
        raise GmaskError(f"cannot listen on {host} port {port}: {error.strerror or error}; try --port 0") from None
