"""The gate before the app: who is served, how large a request may be, and what headers every answer has."""

from __future__ import annotations

import json
from collections.abc import Collection
from contextlib import suppress
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
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
SAFE = ("GET", "HEAD", "OPTIONS")  # change nothing and are answered whoever asks
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

        headers, method = Headers(scope=scope), scope["method"]
        answer = _sealed(send, bodiless=method == "HEAD")
        if (refusal := self._refusal(method, headers)) is not None:
            await _refuse(answer, *refusal)
        elif method in SAFE:
            await self.app({**scope, "method": "GET"} if method == "HEAD" else scope, receive, answer)
        else:
            await self._with_body(scope, receive, answer)

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str] | None:
        """The status and the reason, where a request is refused for where it comes from."""
        name = _name(headers.get("host", ""))
        if self.hosts is not None and name not in self.hosts:
            return 400, f"this server is not called {name[:100]!r}; use {min(self.hosts)}"
        if method not in SAFE and _from_elsewhere(headers):
            return 403, "a page of another site sends this; ask from this server's own page, or from a program"
        return None

    async def _with_body(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through with its whole body, unless that is too large or never comes."""
        with suppress(ClientDisconnect):
            body = await self._read(receive)
            if body is None:
                await _refuse(send, 413, f"the request is too large; at most {self.body:,} bytes are read")
            else:
                await self.app(scope, _replay(body, receive), send)

    async def _read(self, receive: Receive) -> bytes | None:
        """The body of a request, if it is not too large."""
        parts: list[bytes] = []
        size = 0
        while size <= DRAINED:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            part = message.get("body", b"")
            size += len(part)
            if size <= self.body:
                parts.append(part)
            if not message.get("more_body"):
                break
        return b"".join(parts) if size <= self.body else None


def _sealed(send: Send, *, bodiless: bool) -> Send:
    """Answers with the headers that all of them have, and for HEAD without their bodies."""

    async def sealed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-cache")
        elif bodiless:
            message = {**message, "body": b""}
        await send(message)

    return sealed


def _name(host: str) -> str:
    """A host without its port: `[::1]:8000` is `[::1]`."""
    return (host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]).lower()


def _from_elsewhere(headers: Headers) -> bool:
    """Whether a browser sends this for a page of another site; programs send neither header."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()


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
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),  # what else it sends is not read
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
