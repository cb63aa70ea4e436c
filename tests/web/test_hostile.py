from __future__ import annotations

import json
from urllib.parse import quote

import httpx
import pytest
from fastapi.testclient import TestClient

from gmask.web import Limits, create_app
from tests.web.models import BANJO, GUITAR, SCRIPT, models
from tests.web.test_api import events

PAIR = {"first": GUITAR, "second": BANJO}
PATHS = ["/api/explain", "/api/explain/stream", "/api/predict", "/view/explain", "/view/compare"]


def refused(response, status: int, said: str) -> None:
    """A 4xx with one clear line, and nothing of the server's insides."""
    assert response.status_code == status, response.text
    error = response.json()["error"]
    assert said in error
    assert "\n" not in error
    assert len(error) < 500
    assert "Traceback" not in error
    assert "/src/" not in error


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nothing",
        b'{"first": "a", "second": "b"',
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"first": ' + b"9" * 5_000 + b"}",
        b'{"first": "a\\ud800", "second": 1}',
    ],
    ids=["empty", "brace", "word", "cut", "bytes", "deep", "number", "surrogate"],
)
def test_bodies_that_are_no_json_are_refused(client, path, body):
    response = client.post(path, content=body, headers={"content-type": "application/json"})
    assert response.status_code in (400, 422)
    assert "\n" not in response.json()["error"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None])
def test_json_that_is_not_sent_as_such_is_refused(client, path, kind):
    headers = {} if kind is None else {"content-type": kind}
    refused(client.post(path, content=json.dumps(PAIR), headers=headers), 422, "sent as Content-Type: application/json")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "changes", [{"target": "\ud800"}, {"method": "\ud800", "methods": ["\ud800"]}, {"\ud800": 1}, {"model": "\ud800"}]
)
def test_half_a_character_anywhere_is_refused(client, path, changes):
    body = json.dumps({"methods": ["gmask"], **PAIR, **changes} if "compare" in path else {**PAIR, **changes})
    response = client.post(path, content=body, headers={"content-type": "application/json"})
    assert response.status_code in (200, 422)
    assert response.status_code == 422 or events(response.text)[-1][0] in ("failed", "done")
    assert "something went wrong" not in response.text


@pytest.mark.parametrize("path", PATHS)
def test_a_body_of_ten_megabytes_is_refused(server, path):
    body = json.dumps({"first": "a " * 5_000_000, "second": "b"}).encode()
    response = httpx.post(f"{server}{path}", content=body, headers={"content-type": "application/json"}, timeout=60)
    refused(response, 413, "too large")


def test_a_body_that_hides_its_length_is_refused(server):
    def parts():
        for _ in range(100):
            yield b"x" * 100_000

    refused(httpx.post(f"{server}/api/explain", content=parts(), timeout=60), 413, "too large")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("word " * 100_000, "100,000 words; at most 512"),
        ("longer " * 100_000, "too large"),
        ("word " * 3_000, "3,000 words; at most 512"),
        ("x" * 30_000, "30,000 characters; at most 20,000"),
        ("字" * 2_000, "2,000 words; at most 512"),
        ("", "empty"),
        (" \n\t", "empty"),
        ("...", "only punctuation"),
        ("a\0b", "NUL"),
        ("a\ud800b", "Unicode"),
    ],
)
@pytest.mark.parametrize("place", ["first", "second"])
def test_texts_that_cannot_be_explained_are_refused(client, text, said, place):
    for path in ("/api/explain", "/api/predict"):
        body = json.dumps({**PAIR, place: text}).encode()
        response = client.post(path, content=body, headers={"content-type": "application/json"})
        refused(response, 413 if said == "too large" else 422, said)


@pytest.mark.parametrize(
    "name",
    ["gpt", "", "../nli", "../../etc/passwd", "/etc/passwd", "rules/../rules", "python:os:system", "a/b", "rules\0"],
)
def test_no_model_can_be_had_that_was_not_offered(client, name):
    for path in ("/api/explain", "/api/predict", "/view/explain"):
        refused(client.post(path, json={**PAIR, "model": name}), 422, "valid: rules, slow, score, dattn, hostile")
    if name:
        assert client.get(f"/api/models/{quote(name, safe='')}").status_code == 404


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"method": "magic"}, "valid: anchors, archipelago"),
        ({"target": "maybe"}, "valid: entailment"),
        ({"against": "contradiction"}, "against itself"),
        ({"removal": "burn"}, "valid: delete"),
        ({"reference": "pairs.jsonl"}, "reference"),
        ({"seed": -1}, "seed"),
        ({"seed": "0"}, "seed"),
        ({"seed": 2**40}, "seed"),
        ({"first": 3}, "first"),
        ({"first": None}, "first"),
        ({"extra": 1}, "extra"),
        ({"options": []}, "options"),
        ({"options": {"k": [1]}}, "options"),
        ({"options": {"k": 10**9}}, "at most 12"),
        ({"options": {"k": 10**400}}, "at most 12"),
        ({"options": {"k": -(10**400)}}, "at least 1"),
        ({"options": {"k": "9" * 400}}, "at most 12"),
        ({"options": {"gamma1": 10**400}}, "at most 1000"),
        ({"method": "lime", "options": {"width": -(10**400)}}, "not -inf"),
        ({"seed": 10**400}, "seed"),
        ({"text": "a"}, "text"),
        ({"options": {"self": 1}}, "unknown option"),
        ({"options": {"k": "1e9"}}, "takes int"),
        ({"method": "integrated-gradients"}, "needs gradients"),
        ({"method": "l2x", "options": {"selector": "/etc/passwd"}}, "unknown option"),
    ],
)
def test_each_mistake_gets_one_clear_line(client, changes, said):
    refused(client.post("/api/explain", json={**PAIR, **changes}), 422, said)


def test_a_question_that_takes_too_much_work_is_refused():
    with TestClient(create_app(models(), limits=Limits(rows=100))) as client:
        refused(client.post("/api/explain", json={**PAIR, "method": "lime"}), 422, "more than 100 model rows")


@pytest.mark.parametrize(
    "without", [[[99]], [[-1]], [[10**400]], [[-(10**400)]], [], [["a"]], [[1.5]], 3, [[0]] * 257, [[True]]]
)
def test_words_that_are_not_there_cannot_be_switched_off(client, without):
    response = client.post("/api/predict", json={**PAIR, "without": without})
    assert response.status_code == 422
    assert "\n" not in response.json()["error"]


@pytest.mark.parametrize("path", ["/nothing", "/static/../app.py", "/static/%2e%2e/app.py", "/static/app.py", "/docs"])
def test_there_is_nothing_but_what_is_served(client, path):
    assert client.get(path).status_code == 404
    assert "error" in client.get(path).json()


def test_other_verbs_are_refused_in_one_line(client):
    for verb in ("PUT", "PATCH", "DELETE"):
        refused(client.request(verb, "/api/explain"), 405, "Method Not Allowed")


@pytest.mark.parametrize("method", ["gmask", "leave-one-out"])
def test_hostile_words_and_labels_reach_the_page_as_text(client, method):
    text = f"{SCRIPT} <img src=x onerror=alert(1)> & \"quoted\" 'single'"
    asked = {"first": text, "second": text, "model": "hostile", "method": method}
    told = events(client.post("/view/explain", json=asked).text)[-1][1]
    cards = events(client.post("/view/compare", json={**asked, "methods": [method]}).text)
    card = next(data for name, data in cards if name == "card")
    assert all("&lt;script&gt;" in html for html in (told["why"], card["card"]))
    for html in (told["why"], told["whatif"], card["card"], card["row"]):
        assert "<script" not in html
        assert "<img" not in html
        assert "<b>neutral" not in html
