"""The gate before the app: which hosts are served, how large a request may be, and what headers every answer has."""

from __future__ import annotations

import json
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard"]

# Scripts and styles come from this server alone; explanations set their bars and shades in style attributes.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # addresses hold the texts
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
DRAINED = 64_000_000  # a body up to this size is read to its end, so that the client sees why it is refused


class Guard:
    """ASGI middleware.

    Args:
        app: What stands behind the gate.
        body: The most bytes of a request.
        hosts: The names the server may be called by; a page of another name that resolves to this machine gets nothing.
            Default: any.
    """

    def __init__(self, app: ASGIApp, *, body: int, hosts: Collection[str] | None = None) -> None:
        self.app = app
        self.body = body
        self.hosts = None if hosts is None else {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        host = Headers(scope=scope).get("host", "")
        if self.hosts is not None and _name(host) not in self.hosts:
            await _refuse(sealed, 400, f"this server is not called {_name(host)[:100]!r}; use {min(self.hosts)}")
            return
        if scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self.app(scope, receive, sealed)
            return
        body = await self._read(receive)
        if body is None:
            await _refuse(sealed, 413, f"the request is too large; at most {self.body:,} bytes are read")
            return
        await self.app(scope, _replay(body, receive), sealed)

    async def _read(self, receive: Receive) -> bytes | None:
        """The body of a request, if it is not too large."""
        parts: list[bytes] = []
        size = 0
        while size <= DRAINED:
            message = await receive()
            part = message.get("body", b"")
            size += len(part)
            if size <= self.body:
                parts.append(part)
            if not message.get("more_body"):
                break
        return b"".join(parts) if size <= self.body else None


def _name(host: str) -> str:
    """A host without its port: `[::1]:8000` is `[::1]`."""
    return (host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]).lower()


def _replay(body: bytes, receive: Receive) -> Receive:
    """The body once, and then what comes after it: the news that the client has gone."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _refuse(send: Send, status: int, reason: str) -> None:
    body = json.dumps({"error": reason}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
