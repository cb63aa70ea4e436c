from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time

import pytest
import uvicorn
from fastapi.testclient import TestClient

from gmask.web import Limits, create_app
from gmask.web.server import configure
from tests.web.models import models

PATIENCE = 120_000  # milliseconds; the machine may be busy


@contextlib.contextmanager
def serving(app, limits=None):
    """A real server on a free port of the loopback, as `gmask serve` runs it."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=2048)
    server = uvicorn.Server(configure(app, limits, log_level="critical", timeout_graceful_shutdown=2))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])), daemon=True)
    thread.start()
    until = time.monotonic() + 60
    while not server.started and time.monotonic() < until:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join(20)


@pytest.fixture(scope="session")
def app():
    return create_app(models(), limits=Limits(waiting=64))


@pytest.fixture(scope="session")
def server(app):
    with serving(app) as address:
        yield address


@pytest.fixture
def client():
    with TestClient(create_app(models()), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def open_page(browser, server):
    """Opens pages that must have no trouble and load nothing from elsewhere."""
    opened, troubles = [], []

    def go(path: str = "/", *, waits: bool = True, before=lambda _: None, **options):
        page = browser.new_page(**{"viewport": {"width": 1100, "height": 900}, **options})
        page.set_default_timeout(PATIENCE)
        for event in ("pageerror", "dialog"):
            page.on(event, lambda trouble, event=event: troubles.append(f"{event}: {trouble}"))
        page.on("console", lambda m: None if "status of 422" in m.text else troubles.append(m.text))
        page.on("request", lambda r: None if r.url.startswith((server, "blob:")) else troubles.append(r.url))
        before(page)
        page.goto(server + path)
        if waits and "first=" in path:
            page.wait_for_selector("#views:not([hidden])")
            page.wait_for_selector("#progress", state="hidden")
        opened.append(page)
        return page

    yield go
    for page in opened:
        page.close()
    assert troubles == []
