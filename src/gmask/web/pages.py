"""The page: its HTML, its files, and the streams its script reads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException
from pydantic import Field
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from gmask.method.base import methods
from gmask.view.audit import markup
from gmask.web.api import method_info
from gmask.web.assets import STATIC, asset, render
from gmask.web.examples import EXAMPLES, model_for
from gmask.web.formats import FORMATS
from gmask.web.handbook import operations
from gmask.web.panels import answer, card
from gmask.web.schema import Question
from gmask.web.service import Service
from gmask.web.serving import Serving
from gmask.web.stream import EventResponse, event, follow, line
from gmask.web.work import Busy

__all__ = ["pages"]

COMPARED = ("gmask", "kernelshap", "leave-one-out", "lime")  # ticked at first
DOWNLOADS = ("html", "json", "latex", "svg", "png", "pdf")
MOST_METHODS = 30

pages = APIRouter(include_in_schema=False)


class Comparison(Question):
    """A question put to several methods. The options are those of `method`; the others take their defaults."""

    methods: list[str] = Field(min_length=1, max_length=MOST_METHODS)


@pages.get("/")
async def page(service: Serving, request: Request) -> HTMLResponse:
    """The page itself; its script asks what its address says."""
    names = service.offer.names
    return HTMLResponse(
        render(
            "page.html",
            models=names,
            methods=[method_info(name) for name in methods()],
            compared=COMPARED,
            examples=[{"model": model_for(example, names), "example": example} for example in EXAMPLES],
            downloads={name: FORMATS[name] for name in DOWNLOADS},
            characters=service.limits.characters,
            audited=request.app.state.audit is not None,
        )
    )


@pages.get("/audit")
async def audit(service: Serving, request: Request) -> HTMLResponse:
    """The finished audit that the server was started with; its pairs can be asked about if its model is offered."""
    found = request.app.state.audit
    if found is None:
        raise HTTPException(404, "there is no audit; start the server with --audit")
    name = found.data["model"]["name"]
    asks = f"./?{urlencode({'model': name})}" if name in service.offer.names else ""
    return HTMLResponse(render("audit.html", body=markup(found.data, asks)))


@pages.get("/api")
async def handbook(request: Request) -> HTMLResponse:
    """The API's description for people."""
    return HTMLResponse(render("api.html", operations=operations(request.app.openapi())))


@pages.get("/static/{name}")
async def static(name: str) -> Response:
    """A file of the page."""
    if name not in STATIC:
        raise HTTPException(404, "there is no such file")
    return Response(asset(name), media_type=STATIC[name])


@pages.post("/view/explain")
async def explain(service: Serving, question: Question) -> EventResponse:
    """The panels of an explanation."""
    work = service.explain(question, answer)

    async def events() -> AsyncIterator[str]:
        async for told in follow(service.explaining, work):
            yield told
        try:
            yield event("result", **work.result())
        except Exception as error:  # noqa: BLE001
            yield event("failed", error=line(error))

    return EventResponse(events())


@pages.post("/view/compare")
async def compare(service: Serving, comparison: Comparison) -> EventResponse:
    """A card for each method, as they are ready."""
    asked = [_for_method(comparison, name) for name in dict.fromkeys(comparison.methods)]

    async def events() -> AsyncIterator[str]:
        for question in asked:
            async for told in _card(service, question):
                yield told
        yield event("done")

    return EventResponse(events())


def _for_method(comparison: Comparison, method: str) -> Question:
    options = comparison.options if method == comparison.method else {}
    return Question(**{**comparison.model_dump(exclude={"methods"}), "method": method, "options": options})


async def _card(service: Service, question: Question) -> AsyncIterator[str]:
    """The events of one method's explanation; a method that fails says why and does not end the others."""
    about = {"method": question.method}
    try:
        while True:
            try:
                work = service.explain(question, card)
                break
            except Busy as busy:
                yield event("progress", waiting=len(service.explaining), rows=0, seconds=0, **about)
                await asyncio.sleep(busy.retry)
        async for told in follow(service.explaining, work, **about):
            yield told
        yield event("card", **about, **work.result())
    except Exception as error:  # noqa: BLE001
        yield event("failed", **about, error=line(error))
