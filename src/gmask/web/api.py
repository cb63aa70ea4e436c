"""The HTTP API: explain, predict, methods, models."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Query
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

import gmask
from gmask.explanation import Explanation
from gmask.method.base import Method, methods
from gmask.ranking import Ranking
from gmask.web.failures import FAILURES
from gmask.web.formats import FORMATS
from gmask.web.schema import (
    Failure,
    Format,
    Health,
    MethodInfo,
    ModelInfo,
    OptionInfo,
    Prediction,
    Question,
    RankFormat,
    RankQuestion,
    Trial,
)
from gmask.web.serving import Serving
from gmask.web.settings import offered_settings
from gmask.web.stream import EventResponse, event, finish, follow, line

__all__ = ["api", "method_info"]

MISSING: dict[int | str, dict[str, Any]] = {404: {"model": Failure, "description": "There is no such thing."}}
FILES: dict[str, dict[str, Any]] = {kind.media: {} for kind in FORMATS.values() if kind.media != "application/json"}
EVENTS = (
    "Events: `accepted` with the `id` of the work; `progress` with how many are `waiting` before it, the model `rows` "
    "answered so far and the `seconds` it has taken; `sofar` with an `explanation` of what is known before the end, "
    "which has `unfinished` in its `details`; then one of `result` with the `explanation`, or `failed` with the "
    "`error`. Closing the connection calls the work off."
)

RANKINGS: dict[str, tuple[Callable[[Ranking], str], str, str]] = {
    "json": (Ranking.to_json, "application/json", "json"),
    "html": (Ranking.to_html, "text/html", "html"),
    "text": (Ranking.to_text, "text/plain", "txt"),
}

api = APIRouter()


@api.post(
    "/api/explain",
    summary="Explain a pair",
    responses={200: {"model": Explanation, "content": FILES}, **FAILURES},
    response_class=Response,
)
async def explain(
    request: Request,
    service: Serving,
    question: Question,
    kind: Annotated[Format, Query(alias="format", description="The kind of file.")] = "json",
) -> Response:
    """Why the model says what it says of a pair. Closing the connection calls the work off."""
    file = FORMATS[kind]
    body = await finish(request, service.explain(question, file.write))
    name = f'attachment; filename="explanation.{file.ending}"'
    return Response(body, media_type=file.media, headers={} if kind == "json" else {"Content-Disposition": name})


@api.post(
    "/api/explain/stream",
    summary="Explain a pair, and tell how far it is",
    description=EVENTS,
    responses={200: {"content": {"text/event-stream": {}}}, **FAILURES},
    response_class=StreamingResponse,
)
async def explain_stream(service: Serving, question: Question) -> EventResponse:
    """Explain a pair, and tell how far it is."""
    work = service.explain(question, Explanation.to_dict, lambda e: {"explanation": e.to_dict()})

    async def events() -> AsyncIterator[str]:
        async for told in follow(service.explaining, work):
            yield told
        try:
            yield event("result", explanation=work.result())
        except Exception as error:  # noqa: BLE001
            yield event("failed", error=line(error))

    return EventResponse(events())


@api.delete(
    "/api/explain/{id}",
    summary="Call off an explanation",
    status_code=204,
    responses={**MISSING, **{status: FAILURES[status] for status in (400, 403, 408, 413, 422)}},
)
async def cancel(
    service: Serving, name: Annotated[str, Path(alias="id", description="From the event `accepted`.")]
) -> None:
    """The one who waits for it is told `failed`, or gets 409."""
    if not (service.explaining.cancel(name) or service.asking.cancel(name)):
        raise HTTPException(404, "there is no such work; it may be done already")


@api.post(
    "/api/rank",
    summary="Rank passages",
    responses={200: {"content": {"text/html": {}, "text/plain": {}}}, **FAILURES},
    response_class=Response,
)
async def rank(
    request: Request,
    service: Serving,
    question: RankQuestion,
    kind: Annotated[RankFormat, Query(alias="format", description="The kind of file.")] = "json",
) -> Response:
    """Passages in the order of their scores; with `why` the explanation of one, with `over` that of a difference."""
    write, media, ending = RANKINGS[kind]
    body = await finish(request, service.rank(question, write))
    name = f'attachment; filename="ranking.{ending}"'
    return Response(body, media_type=media, headers={} if kind == "json" else {"Content-Disposition": name})


@api.post("/api/predict", summary="Ask about a pair with words removed", responses=FAILURES)
async def predict(request: Request, service: Serving, trial: Trial) -> Prediction:
    """What the model says when words go: from memory, or one pass through the model."""
    return await finish(request, service.predict(trial))


@api.get("/api/methods", summary="The ways to explain")
async def list_methods() -> list[MethodInfo]:
    """Every method with its settings."""
    return [method_info(name) for name in methods()]


@api.get("/api/models", summary="The models on offer")
async def list_models(service: Serving) -> list[ModelInfo]:
    """The default first. What is null is known once the model is loaded."""
    return [service.known(name) for name in service.offer.names]


@api.get("/api/models/{name:path}", summary="One model", responses={**MISSING, **FAILURES})
async def one_model(request: Request, service: Serving, name: str) -> ModelInfo:
    """Its labels, its kinds of removal and its methods; loads it if need be."""
    if name not in service.offer.names:
        raise HTTPException(404, f"unknown model {name[:100]!r}; valid: {', '.join(service.offer.names)}")
    return await finish(request, service.about(name))


@api.get("/health", summary="How the server is")
async def health(service: Serving) -> Health:
    """Answers at once, however much work there is."""
    return Health(
        status="ok", version=gmask.__version__, explaining=len(service.explaining), asking=len(service.asking)
    )


def method_info(name: str) -> MethodInfo:
    """A method and the settings a client may choose."""
    cls = Method.registry[name]
    options = [
        OptionInfo(
            name=setting["name"],
            default=setting["default"],
            help=setting["help"],
            choices=list(setting["choices"]) if setting["choices"] else None,
            least=setting["low"],
        )
        for setting in offered_settings(cls)
    ]
    return MethodInfo(name=name, summary=cls.summary, needs_gradient=cls.needs_gradient, options=options)
