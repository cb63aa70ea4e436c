"""How the app is served: with bounds on how long and how many clients may keep it waiting."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from gmask.web.limits import Limits

__all__ = ["configure"]


def configure(app: ASGIApp, limits: Limits | None = None, **options: Any) -> uvicorn.Config:
    """What uvicorn needs to serve the app.

    Args:
        app: The app.
        limits: What it does at most.
        options: Others of uvicorn's.
    """
    most = limits or Limits()

    class Bounded(_Impatient):
        limits = most

    # A link holds both texts, so the head of a request may be as long as a body.
    return uvicorn.Config(app, http=Bounded, ws="none", h11_max_incomplete_event_size=most.body, **options)


class _Impatient(H11Protocol):
    """HTTP/1.1 with clients who send their requests whole, and take their answers, in good time."""

    limits: Limits
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            self._part(503, "the server has as many connections as it takes; try again in a while")
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._watch()

    def _watch(self) -> None:
        """The client has so long from when it first keeps the server waiting; what comes in driblets gives no more."""
        sending = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        waiting = (sending or self.flow.write_paused) and not self.transport.is_closing()
        if waiting and self._late is None:
            self._late = self.loop.call_later(self.limits.patience, self._give_up)
        elif not waiting and self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        if self.flow.write_paused:
            self.transport.abort()  # nobody reads; what is left would never be sent
        elif self.conn.their_state is h11.SEND_BODY or self.conn.trailing_data[0]:
            self._part(408, f"the request did not arrive whole within {self.limits.patience:g} s")
        else:
            self.transport.close()

    def _part(self, status: int, reason: str) -> None:
        """Say why, if nothing was said yet, and close the connection."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = json.dumps({"error": reason}).encode()
            headers = {"content-type": "application/json", "content-length": str(len(body)), "connection": "close"}
            for part in (h11.Response(status_code=status, headers=list(headers.items())), h11.Data(data=body)):
                self.transport.write(self.conn.send(part) or b"")
        self.transport.close()
