"""Work told as it goes, as server-sent events; who stops listening calls it off."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import StreamingResponse

from gmask.errors import FunctionError, GmaskError
from gmask.view.parts import visible
from gmask.web.work import Cancelled, Lane, Work

__all__ = ["EventResponse", "event", "finish", "follow", "line"]

TICK = 0.1  # seconds between two reports
LONGEST = 400  # characters of a message
log = logging.getLogger("gmask.web")
T = TypeVar("T")


class EventResponse(StreamingResponse):
    """Server-sent events."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[str]) -> None:
        super().__init__(events, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})


def event(name: str, **data: Any) -> str:
    """One event."""
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


def line(error: BaseException) -> str:
    """What went wrong, in one line a person can use; what only the log should say goes there."""
    if isinstance(error, Cancelled):
        return "called off"
    if isinstance(error, FunctionError) or not isinstance(error, GmaskError):
        log.error("unexpected", exc_info=error)
        return "something went wrong in the server; its log says what"
    text = " ".join(visible(str(error)).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


async def follow(lane: Lane, work: Work[Any], **about: Any) -> AsyncIterator[str]:
    """Events of a piece of work until it is done: that it was accepted, how far it is, what it has told so far.

    Left early, it is called off.
    """
    known = None
    try:
        yield event("accepted", id=work.id, **about)
        while not await work.wait(TICK):
            if work.so_far is not known:
                known = work.so_far
                yield event("sofar", **about, **(known or {}))
            waiting = 0 if work.running else max(1, lane.before(work))
            yield event("progress", waiting=waiting, rows=work.rows, seconds=round(work.seconds, 2), **about)
    finally:
        work.cancel()


async def finish(request: Request, work: Work[T]) -> T:
    """Wait for the result; a client that goes away calls the work off."""
    try:
        while not await work.wait(TICK):
            if await request.is_disconnected():
                raise Cancelled
    finally:
        work.cancel()
    return work.result()
