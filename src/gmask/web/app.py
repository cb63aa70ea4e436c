"""The server: the page, the API, and the gate before both."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager

from fastapi import FastAPI

import gmask
from gmask.audit.result import Audit
from gmask.method.base import methods
from gmask.model.base import PairModel
from gmask.web.api import api
from gmask.web.failures import add_handlers
from gmask.web.guard import Guard
from gmask.web.limits import Limits
from gmask.web.pages import pages
from gmask.web.service import Service

__all__ = ["create_app"]


def create_app(
    models: Mapping[str, PairModel | Callable[[], PairModel]],
    *,
    limits: Limits | None = None,
    hosts: Collection[str] | None = None,
    audit: Audit | None = None,
) -> FastAPI:
    """The server for the given models.

    Args:
        models: For each name a model, or a function that loads it when it is first needed. The first is the default.
            No other model can be had from this server.
        limits: What it does at most.
        hosts: The names it may be called by. Default: any.
        audit: A finished audit to show. Default: none.
    """
    limits = limits or Limits()
    service = Service(models, limits)
    methods()  # finds them; the first request need not wait for that

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        service.about(service.offer.names[0])  # most questions are for the first model
        yield
        service.close()

    app = FastAPI(
        title="gmask",
        version=gmask.__version__,
        summary="Why did a sentence-pair model answer as it did?",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service = service
    app.state.audit = audit
    app.include_router(api)
    app.include_router(pages)
    add_handlers(app)
    app.add_middleware(Guard, body=limits.body, hosts=hosts)
    return app
