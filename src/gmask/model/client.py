"""Asking a service over HTTP: again while it is busy, broken or away, and one clear line when that does not help."""

from __future__ import annotations

import json
import os
import random
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Event
from typing import Any
from urllib.parse import urlsplit

from gmask.errors import FunctionError, GmaskError

__all__ = ["Client", "RefusedError", "Session"]

PASSING = {408, 409, 425, 429}  # besides those from 500 on: what may go better a moment later
FIRST_WAIT = 0.25  # seconds; doubled with every try
LONGEST_WAIT = 30.0
PATIENCE = 120.0  # a service that wants to be left alone for longer than this is told of at once


class RefusedError(FunctionError):
    """A question that the service does not take."""


class PassingError(Exception):
    """Something that may go better a moment later."""

    def __init__(self, told: str, way_out: str, wait: float | None = None) -> None:
        super().__init__(told)
        self.told, self.way_out, self.wait = told, way_out, wait


class AwayError(PassingError):
    """Nobody is at the address."""

    def __init__(self, why: str) -> None:
        super().__init__(f"cannot be reached ({why})", "start it, or give its address")


class Client:
    """Puts questions to one address.

    Args:
        url: The address, `http` or `https`.
        key_env: The environment variable that holds the key. It is read at every question and kept nowhere.
        timeout: Seconds for one answer.
        retries: How many times more a question is put, after longer and longer waits.
    """

    def __init__(self, url: str, *, key_env: str | None, timeout: float, retries: int) -> None:
        self.url = url
        parts = urlsplit(url)
        self.secure, self.host, self.port = parts.scheme == "https", str(parts.hostname), parts.port
        self.target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self.named = f"the service at {parts.netloc}"
        self.key_env, self.timeout, self.retries = key_env, timeout, retries
        self._met = False  # whether it was ever there: an address where nobody is needs no patience
        self._down = False  # then it is asked once only, until it answers: others wait for the same service
        self._key()  # a missing one shows before the work

    @contextmanager
    def connected(self) -> Iterator[Session]:
        """Connections that threads share, closed in the end."""
        session = Session(self)
        try:
            yield session
        finally:
            session.close()

    def ask(self, question: Any, session: Session, stop: Event) -> Any:
        """The answer to a question, both as plain data.

        Raises:
            FunctionError: There is none. It is one line, with the service's own words where it said any.
        """
        body, tries = json.dumps(question).encode(), 0
        while True:
            tries += 1
            try:
                answer = self._ask_once(body, session)
            except PassingError as problem:
                wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (tries - 1)) * random.uniform(0.5, 1)  # noqa: S311
                wait = max(wait, problem.wait or 0)
                nobody = isinstance(problem, AwayError) and not self._met
                self._down |= nobody or tries > self.retries or wait > PATIENCE
                if self._down or stop.wait(wait):
                    times = "" if tries == 1 else f", {tries} times in a row"
                    raise FunctionError(f"{self.named} {problem.told}{times}; {problem.way_out}") from None
            else:
                self._down = False
                return answer

    def without_key(self, said: str) -> str:
        """What a service said, should it have repeated the key."""
        key = self._key()
        return said.replace(key, "…") if key else said

    def _ask_once(self, body: bytes, session: Session) -> Any:
        status, reason, wait, content = self._post(body, session)
        self._met = True
        if status == 200:
            try:
                return json.loads(content)
            except ValueError:
                raise PassingError("answered with something else than JSON", "give the address of its API") from None
        said = f"{status} {reason}".strip() + _words(self.without_key(content.decode(errors="replace")))
        if status in PASSING:
            raise PassingError(f"is too busy ({said})", "lower `concurrency`, or ask again later", wait)
        if status >= 500:
            raise PassingError(f"failed ({said})", "ask again later", wait)
        raise RefusedError(f"{self.named} refused a question ({said})")

    def _post(self, body: bytes, session: Session) -> tuple[int, str, float | None, bytes]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "gmask"}
        if key := self._key():
            headers["Authorization"] = f"Bearer {key}"
        try:
            return session.post(self.target, body, headers)
        except TimeoutError:
            told = f"did not answer within {self.timeout:g} s"
            raise PassingError(told, "raise `timeout`, or lower `concurrency` or `batch_size`") from None
        except ssl.SSLError as error:
            raise FunctionError(f"{self.named} is not trusted ({error.reason or error})") from None
        except ConnectionRefusedError:
            raise AwayError("connection refused") from None
        except (ConnectionError, HTTPException):
            raise PassingError("broke off its answer", "ask again later") from None
        except OSError as error:
            raise AwayError(str(error.strerror or error).lower()) from None

    def _key(self) -> str | None:
        if self.key_env is None:
            return None
        key = os.environ.get(self.key_env, "").strip()
        if not key:
            raise GmaskError(f"the environment variable {self.key_env} that should hold the key is not set")
        if not (key.isascii() and key.isprintable()):
            raise GmaskError(f"the environment variable {self.key_env} holds signs that no key has")
        return key


class Session:
    """The connections of one round of questions; each is used by one thread at a time."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._idle: list[HTTPConnection] = []

    def post(self, target: str, body: bytes, headers: dict[str, str]) -> tuple[int, str, float | None, bytes]:
        """Status, reason, the seconds the service asks to wait for, and what it said."""
        connection = self._idle.pop() if self._idle else self._connect()
        try:
            deadline = time.monotonic() + self._client.timeout
            connection.request("POST", target, body, headers)
            response = connection.getresponse()
            content = _content(response, deadline)
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            self._idle.append(connection)
        return response.status, response.reason, _seconds(response.headers.get("Retry-After")), content

    def _connect(self) -> HTTPConnection:
        client = self._client
        if client.secure:
            return HTTPSConnection(client.host, client.port, timeout=client.timeout)
        return HTTPConnection(client.host, client.port, timeout=client.timeout)

    def close(self) -> None:
        """Close them all."""
        for connection in self._idle:
            connection.close()


def _content(response: HTTPResponse, deadline: float) -> bytes:
    """All that is said by then: the time limit of a connection starts anew with every byte of a slow one."""
    expected, content = response.length, bytearray()  # no length: it ends where the service says so
    while expected is None or len(content) < expected:
        part = response.read1(2**16)
        if time.monotonic() > deadline:
            raise TimeoutError
        if not part:
            break
        content += part
    response.close()  # before Python 3.13 it does not see by itself that all was read
    if expected is not None and len(content) < expected:
        raise HTTPException
    return bytes(content)


def _seconds(given: str | None) -> float | None:
    """How long to wait, from a number of seconds or a date."""
    if given is None:
        return None
    try:
        return max(0.0, float(given))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except ValueError:
        return None


def _words(content: str) -> str:
    """What a service says of an error, in one line, wherever it says it."""
    said: Any = content
    try:
        said = json.loads(content)
        while isinstance(said, dict):
            said = next((said[name] for name in ("error", "message", "detail") if said.get(name)), str(said))
    except ValueError:
        pass
    line = " ".join(str(said).split())[:200]
    return f": {line}" if line else ""
