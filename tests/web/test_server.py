from __future__ import annotations

import contextlib
import json
import socket
import time

import pytest

from gmask.web import Limits, create_app
from tests.web.conftest import serving
from tests.web.models import BANJO, GUITAR, models

PATIENCE, MOST = 0.5, 8
LIMITS = Limits(patience=PATIENCE, connections=MOST)
BODY = json.dumps({"first": GUITAR, "second": BANJO}).encode()
HEAD = b"POST /api/predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def port():
    with serving(create_app(models(), limits=LIMITS), LIMITS) as address:
        yield int(address.rsplit(":", 1)[1])


@pytest.fixture
def dial(port):
    """Opens connections, and closes them in the end."""
    with contextlib.ExitStack() as opened:
        yield lambda: opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
    time.sleep(0.1)  # the server sees that they are gone


def rest(connection) -> bytes:
    """All that still comes until the server closes."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(65536):
            found += part
    return found


def cut_off(connection, part: bytes, pause: float = 0.05) -> None:
    """Send a part again and again until the server has closed; fails where it never does."""
    until = time.monotonic() + 10
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        while time.monotonic() < until:
            connection.sendall(part)
            time.sleep(pause)
        pytest.fail("the server still listens")


def one_line(answer: bytes, status: int, said: str) -> None:
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    error = json.loads(answer.partition(b"\r\n\r\n")[2])["error"]
    assert said in error
    assert "\n" not in error


@pytest.mark.parametrize(
    "half",
    [
        b"POST /api/pre",
        HEAD,
        HEAD + b"Content-Length: 900\r\n\r\n" + BODY,
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: ",
    ],
    ids=["line", "head", "body", "chunk", "get"],
)
def test_a_request_that_stops_half_way_is_cut_off(dial, half):
    began, connection = time.monotonic(), dial()
    connection.sendall(half)
    one_line(rest(connection), 408, "did not arrive whole within 0.5 s")
    assert PATIENCE * 0.9 < time.monotonic() - began < 10


def test_a_connection_that_says_nothing_is_closed(dial):
    assert rest(dial()) == b""


@pytest.mark.parametrize(
    ("begin", "more"),
    [(b"GET / HTTP/1.1\r\nHost: x\r\nX: ", b"y"), (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n")],
    ids=["head", "body"],
)
def test_driblets_do_not_buy_time(dial, begin, more):
    connection = dial()
    connection.sendall(begin)
    cut_off(connection, more)


def test_a_body_without_end_is_cut_off_also_where_none_is_read(dial):
    connection = dial()
    connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    cut_off(connection, b"1\r\nx\r\n")


def test_a_client_that_does_not_take_its_answers_is_let_go(dial):
    cut_off(dial(), b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 0.005)  # pages of some 30 kB, none of them read


def test_no_more_connections_are_held_than_may_be(dial):
    held = [dial() for _ in range(MOST)]
    time.sleep(0.1)
    one_line(rest(dial()), 503, "as many connections as it takes")
    held[0].sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert b'"status":"ok"' in rest(held[0])  # who was there before is served
    time.sleep(0.1)
    late = dial()  # and whoever comes then
    late.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert b'"status":"ok"' in rest(late)


def test_a_whole_request_may_take_as_long_as_it_needs(dial):
    rows = [[i, j] for i in range(6) for j in range(6, 12)]
    body = json.dumps({"first": GUITAR, "second": BANJO, "model": "slow", "without": rows}).encode()
    began, connection = time.monotonic(), dial()
    connection.sendall(HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    assert rest(connection).startswith(b"HTTP/1.1 200")
    assert time.monotonic() - began > PATIENCE


def test_a_connection_serves_one_request_after_another(dial):
    connection = dial()
    for _ in range(3):
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = b""
        while not answer.endswith(b"}"):
            answer += connection.recv(65536)
        assert answer.startswith(b"HTTP/1.1 200")
        time.sleep(PATIENCE * 0.6)
