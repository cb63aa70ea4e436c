"""Services that misbehave: slow, busy, broken, cut off, away."""

from __future__ import annotations

import socket
import time
from email.utils import formatdate
from threading import Event

import pytest

import gmask
from gmask.errors import FunctionError
from gmask.model import client
from tests.model.services import Fault, serving

PAIRS = [("a b", "b c"), ("c", "c")]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(client, "FIRST_WAIT", 0.01)


@pytest.mark.parametrize(
    "fault",
    [
        Fault(429, body={"error": "Model is overloaded"}),
        Fault(500, body=b"<html>oops</html>"),
        Fault(503),
        Fault(408),
        Fault(409),
        Fault(425),
        Fault(cut=True),
        Fault(200, body=b'{"results": [{"ind'),
        Fault(slow=0.5),
        Fault(drip=0.05),
    ],
    ids=["429", "500", "503", "408", "409", "425", "cut off", "cut off unnoticed", "slow", "drip"],
)
def test_what_may_go_better_a_moment_later_is_asked_again(fault):
    with serving(faults=[fault, fault]) as service:
        model = gmask.load(service.url, timeout=0.2, concurrency=1)
        assert model.function(PAIRS)[:, 0] == pytest.approx([0.1, 0.1])
        assert [body["query"] for body in service.bodies] == ["a b"] * 3 + ["c"]


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (
            Fault(429, body={"error": "Model is overloaded"}),
            r"is too busy \(429 Too Many Requests: Model is overloaded\)",
        ),
        (Fault(500, body=b"oops"), r"failed \(500 Internal Server Error: oops\), 3 times in a row; ask again later"),
        (Fault(cut=True), "broke off its answer, 3 times in a row"),
        (Fault(slow=0.4), "did not answer within 0.1 s, 3 times in a row; raise `timeout`"),
        (Fault(200, body=b"<html>hello</html>"), "answered with something else than JSON"),
    ],
)
def test_a_service_that_does_not_mend_is_told_of_in_one_line(fault, told):
    with serving(faults=[fault] * 3) as service:
        model = gmask.load(service.url, retries=2, timeout=0.1)
        with pytest.raises(FunctionError, match=f"the service at {service.place} {told}") as error:
            model.function(PAIRS[:1])
        assert "\n" not in str(error.value)
        assert len(service.bodies) == 3


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (400, {"detail": "bad"}, "400 Bad Request: bad"),
        (401, {"error": {"message": "no key", "type": "auth"}}, "401 Unauthorized: no key"),
        (404, {"message": "no such\nmodel"}, "404 Not Found: no such model"),
        (413, {"error": "Batch size error", "error_type": "validation"}, "413 .*: Batch size error"),
        (422, b"", "422 Unprocessable"),
        (307, b"", "307 Temporary Redirect"),
    ],
)
def test_a_refusal_is_final_and_in_the_words_of_the_service(status, body, told):
    with serving(faults=[Fault(status, body=body, headers={"Location": "http://127.0.0.1:9/"})]) as service:
        with pytest.raises(FunctionError, match=rf"refused a question \({told}.*\)$"):
            gmask.load(service.url).function(PAIRS[:1])
        assert len(service.bodies) == 1


def test_nobody_at_the_address_is_told_of_at_once():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{unused.getsockname()[1]}"
        began = time.monotonic()
        with pytest.raises(FunctionError) as error:
            gmask.load(f"http://{place}/rerank").bind("a", "b")([[1, 1]])
    assert str(error.value) == (
        f"the service at {place} cannot be reached (connection refused); start it, or give its address"
    )
    assert time.monotonic() - began < 1


def test_a_name_that_is_nobodys_is_told_of(monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(FunctionError, match=r"nowhere.invalid cannot be reached \(name or service not known\)"):
        gmask.load("http://nowhere.invalid/rerank").function(PAIRS)


def test_a_service_that_goes_away_is_waited_for_once_and_then_asked_once_a_question(monkeypatch):
    with serving() as service:
        model = gmask.load(service.url, retries=3, concurrency=1)
        model.function(PAIRS)
    tries, told = [], []
    post = client.Session.post
    monkeypatch.setattr(client.Session, "post", lambda *given: (tries.append(1), post(*given))[1])
    for first in ("x", "y", "z"):
        with pytest.raises(FunctionError, match="cannot be reached") as error:
            model.function([(first, "b")])
        told.append((len(tries), "4 times in a row" in str(error.value)))
    assert told == [(4, True), (5, False), (6, False)]


@pytest.mark.parametrize("given", ["0.3", "date"])
def test_a_service_that_says_when_to_come_back_is_left_alone_until_then(given):
    with serving() as service:
        model = gmask.load(service.url)
        wait = formatdate(time.time() + 1.2, usegmt=True) if given == "date" else given
        service.faults = [Fault(429, headers={"Retry-After": wait})]
        began = time.monotonic()
        model.function(PAIRS[:1])
        assert time.monotonic() - began >= (0.15 if given == "date" else 0.3)


def test_a_service_that_wants_to_be_left_alone_for_long_is_told_of_at_once():
    with serving(faults=[Fault(429, body=b"quota", headers={"Retry-After": "3600"})]) as service:
        with pytest.raises(FunctionError, match="429 Too Many Requests: quota"):
            gmask.load(service.url).function(PAIRS[:1])
        assert len(service.bodies) == 1


def test_waits_grow_and_are_bounded(monkeypatch):
    waits = []
    monkeypatch.setattr(client, "LONGEST_WAIT", 0.08)
    with serving(faults=[Fault(500)] * 9) as service:
        asking = client.Client(service.url, key_env=None, timeout=1, retries=9)
        stop = Event()
        monkeypatch.setattr(stop, "wait", waits.append)
        with asking.connected() as session:
            asking.ask({"query": "a", "documents": []}, session, stop)
    assert all(0.5 * most <= wait <= most for wait, most in zip(waits, [0.01, 0.02, 0.04] + [0.08] * 6, strict=True))
