from __future__ import annotations

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import httpx
import pytest
from fastapi.testclient import TestClient

import gmask
from gmask.explanation import Explanation
from gmask.model.callable import CallableModel
from gmask.web import Limits, create_app
from gmask.web.offer import Offer
from tests.web.conftest import serving
from tests.web.models import BANJO, GUITAR, LABELS, models, rules

PAIR = {"first": GUITAR, "second": BANJO}


def events(text: str) -> list[tuple[str, dict]]:
    parts = [part.split("\n") for part in text.strip().split("\n\n")]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in parts]


def until(condition, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("model", ["rules", "dattn", "score"])
@pytest.mark.parametrize("method", ["gmask", "leave-one-out"])
def test_an_explanation_is_the_librarys_own(client, model, method):
    found = Explanation.from_json(client.post("/api/explain", json={**PAIR, "model": model, "method": method}).content)
    expected = gmask.explain(Offer(models()).get(model), GUITAR, BANJO, method=method)
    assert replace(found, seconds=0.0) == replace(Explanation.from_json(expected.to_json()), seconds=0.0)


def test_the_texts_may_be_named_as_hugging_face_names_them(client):
    theirs = {"text": GUITAR, "text_pair": BANJO}
    for path in ("/api/explain", "/api/predict"):
        ours = client.post(path, json=PAIR).json()
        assert client.post(path, json=theirs).json() == ours
        assert client.post(path, json={"text": GUITAR, "second": BANJO}).json() == ours
    assert events(client.post("/api/explain/stream", json=theirs).text)[-1][0] == "result"
    described = client.get("/api/openapi.json").json()["components"]["schemas"]["Question"]["properties"]
    assert "`text_pair`" in described["second"]["description"]


def test_target_against_removal_seed_and_options_reach_the_method(client):
    asked = {"target": "neutral", "against": "contradiction", "seed": 7, "method": "lime", "options": {"samples": 50}}
    e = client.post("/api/explain", json={**PAIR, "model": "dattn", "removal": "zero", **asked}).json()
    assert (e["target"], e["against"], e["seed"], e["removal"]) == ("neutral", "contradiction", 7, "zero")
    assert e["settings"]["samples"] == 50


@pytest.mark.parametrize("reference", ["auto", "empty", "unrelated"])
def test_what_an_answer_is_held_against_can_be_chosen(client, reference):
    for model in ("rules", "score"):
        client.post("/api/explain", json={**PAIR, "model": model})  # what is remembered of it is no answer to this
        asked = {**PAIR, "model": model, "reference": reference}
        found = Explanation.from_json(client.post("/api/explain", json=asked).content)
        expected = gmask.explain(Offer(models()).get(model), GUITAR, BANJO, reference=reference)
        assert found.reference == expected.reference
        assert found.evidence == expected.evidence
        assert reference in ("auto", found.reference.kind)


def test_sentences_can_be_asked_about_and_switched_off(client):
    texts = {"first": "A man plays guitar. It is late.", "second": "He plays a banjo! The stage is dark."}
    e = client.post("/api/explain", json={**texts, "model": "rules", "units": "sentences"}).json()
    names = [w["text"] for w in e["words"]]
    assert names == ["A man plays guitar.", "It is late.", "He plays a banjo!", "The stage is dark."]
    said = client.post(
        "/api/predict", json={**texts, "model": "rules", "units": "sentences", "without": [[], [2]]}
    ).json()
    assert [w["text"] for w in said["words"]] == names
    assert [row["label"] for row in said["rows"]] == ["contradiction", "neutral"]
    assert client.post("/api/explain", json={**texts, "units": "letters"}).status_code == 422


@pytest.mark.parametrize("model", ["rules", "dattn", "score"])
@pytest.mark.parametrize("reference", ["empty", "unrelated"])
def test_the_numbers_of_an_explanation_are_repeated_by_asking_without_its_words(client, model, reference):
    asked = {**PAIR, "model": model, "reference": reference}
    e = Explanation.from_json(client.post("/api/explain", json=asked).content)
    first = [i for i, w in enumerate(e.words) if w.sentence == 0]  # then other texts stand in its place
    gone = [sorted(set(range(len(e.words))) - {e.order()[0]}), list(range(len(e.words))), first]
    rows = client.post("/api/predict", json={**asked, "without": gone}).json()["rows"]
    target = e.labels.index(e.target)
    top, nothing, without_first = (r["probabilities"][target] if e.score is None else r["score"] for r in rows)
    assert top == pytest.approx(e.evidence.kept[0])
    assert nothing == pytest.approx(e.evidence.nothing)
    assert without_first == pytest.approx((e.evidence.emptied if reference == "empty" else e.evidence.exchanged)[0])


@pytest.mark.parametrize(
    ("kind", "media", "begins"),
    [
        ("json", "application/json", b"{"),
        ("html", "text/html; charset=utf-8", b"<!DOCTYPE html>"),
        ("latex", "application/x-latex", b"%"),
        ("svg", "image/svg+xml", b"<svg"),
        ("png", "image/png", b"\x89PNG"),
        ("pdf", "application/pdf", b"%PDF"),
        ("text", "text/plain; charset=utf-8", b"contradiction"),
    ],
)
def test_an_explanation_comes_in_every_format(client, kind, media, begins):
    response = client.post(f"/api/explain?format={kind}", json=PAIR)
    assert response.headers["content-type"] == media
    assert response.content.startswith(begins)


def test_the_same_question_again_is_answered_from_memory(client):
    first = client.post("/api/explain", json=PAIR).json()
    assert client.post("/api/explain", json={**PAIR, "model": "rules"}).json() == first


def test_progress_is_told_while_the_model_works(server):
    asked = {**PAIR, "model": "slow", "method": "leave-one-out"}
    told = events(httpx.post(f"{server}/api/explain/stream", json=asked, timeout=60).text)
    names = [name for name, _ in told]
    assert names[0] == "accepted"
    assert "progress" in names
    assert names[-1] == "result"
    rows = [data["rows"] for name, data in told if name == "progress"]
    assert rows == sorted(rows)
    assert told[-1][1]["explanation"]["label"] == "contradiction"


def test_a_mistake_that_shows_late_ends_the_stream_in_one_line(client):
    told = events(client.post("/api/explain/stream", json={**PAIR, "target": "nothing"}).text)
    assert told[-1] == ("failed", {"error": "unknown target 'nothing'; valid: entailment, neutral, contradiction"})


LONG = {**PAIR, "method": "lime", "options": {"samples": 4_000}}  # some eighty seconds on the slow model


def slow_server():
    return serving(create_app({"slow": models()["slow"]}, limits=Limits(waiting=2)))


def waiting(address: str) -> int:
    return httpx.get(f"{address}/health", timeout=30).json()["explaining"]


def test_a_request_can_be_called_off():
    with slow_server() as address:
        stream = httpx.stream("POST", f"{address}/api/explain/stream", json=LONG, timeout=60)
        with stream as response:
            lines = response.iter_lines()
            accepted = json.loads(next(line for line in lines if line.startswith("data:")).removeprefix("data: "))
            assert httpx.delete(f"{address}/api/explain/{accepted['id']}", timeout=30).status_code == 204
            last = [line for line in lines if line][-2:]
        assert last == ["event: failed", 'data: {"error": "called off"}']
        until(lambda: waiting(address) == 0)
        assert httpx.delete(f"{address}/api/explain/{accepted['id']}", timeout=30).status_code == 404


@pytest.mark.parametrize("path", ["/api/explain", "/api/explain/stream"])
def test_closing_the_connection_calls_the_work_off(path):
    with slow_server() as address:
        body = json.dumps(LONG).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        )
        with socket.create_connection(("127.0.0.1", int(address.rsplit(":", 1)[1])), timeout=30) as connection:
            connection.sendall(f"{head}\r\n".encode() + body)
            until(lambda: waiting(address) == 1)
        until(lambda: waiting(address) == 0, seconds=40)


def test_above_the_limit_a_client_is_told_when_to_come_back():
    go = threading.Event()

    def gated(pairs):
        go.wait(120)
        return rules(pairs)

    app = create_app({"gated": CallableModel(gated, labels=LABELS, name="gated")}, limits=Limits(waiting=2))
    with serving(app) as address, ThreadPoolExecutor(8) as clients:
        ask = partial(httpx.post, f"{address}/api/explain", timeout=120)
        asked = [clients.submit(ask, json={**PAIR, "method": "leave-one-out", "seed": i}) for i in range(8)]
        until(lambda: sum(a.done() for a in asked) == 5)  # one is at work, and two wait
        refused = [a.result() for a in asked if a.done()]
        go.set()
        assert [response.status_code for response in refused] == [429] * 5
        assert all(1 <= int(response.headers["retry-after"]) <= 60 for response in refused)
        assert refused[0].json()["error"].startswith("the server is busy")
        assert sorted(a.result().status_code for a in asked) == [200] * 3 + [429] * 5


def test_a_quick_question_does_not_wait_for_an_explanation():
    with (
        slow_server() as address,
        httpx.stream("POST", f"{address}/api/explain/stream", json=LONG, timeout=120) as response,
    ):
        lines = response.iter_lines()
        next(lines)
        assert httpx.post(f"{address}/api/predict", json=PAIR, timeout=60).status_code == 200
        assert waiting(address) == 1  # still at it


def test_predictions_are_the_models_own(client):
    found = client.post("/api/predict", json={**PAIR, "without": [[], [5], [5, 11]]}).json()
    bound = models()["rules"].bind(GUITAR, BANJO)
    assert [w["text"] for w in found["words"]] == [w.text for w in bound.words]
    kept = [[i not in row["without"] for i in range(len(bound.words))] for row in found["rows"]]
    assert [row["probabilities"] for row in found["rows"]] == bound(kept).tolist()
    assert [row["label"] for row in found["rows"]] == [LABELS[i] for i in bound(kept).argmax(axis=1)]


def test_a_raw_score_is_predicted_as_it_is(client):
    row = client.post("/api/predict", json={**PAIR, "model": "score"}).json()["rows"][0]
    assert (row["label"], row["probabilities"]) == (None, [])
    assert row["score"] > 0


def test_what_is_remembered_of_a_pair_is_bounded():
    app = create_app(models(), limits=Limits(rows=40))
    with TestClient(app) as client:
        for start in range(0, 160, 16):
            without = [[b for b in range(8) if i >> b & 1] for i in range(start, start + 16)]  # no row twice
            assert client.post("/api/predict", json={**PAIR, "without": without}).status_code == 200
        (bound,) = app.state.service._pairs._values.values()
        assert 0 < bound.rows_asked <= 40 + 16
        for start in range(0, 160, 16):
            without = [[b for b in range(8) if i >> b & 1] for i in range(start, start + 16)]
            asked = {**PAIR, "without": without, "reference": "unrelated"}
            assert client.post("/api/predict", json=asked).status_code == 200
        (bound,) = app.state.service._pairs._values.values()
        assert 0 < bound.rows_asked + sum(held.rows_asked for held in bound.held.values()) <= 40 + 2 * 16


def test_models_tell_what_goes_with_them(client):
    names = [m["name"] for m in client.get("/api/models").json()]
    assert names[0] == "rules"
    rules, dattn = (client.get(f"/api/models/{name}").json() for name in ("rules", "dattn"))
    assert rules["labels"] == list(LABELS)
    assert "integrated-gradients" in dattn["methods"]
    assert "integrated-gradients" not in rules["methods"]
    assert "gmask" in rules["methods"]


def test_methods_tell_their_settings(client):
    found = {m["name"]: m for m in client.get("/api/methods").json()}
    assert sorted(found) == gmask.methods()
    samples = next(o for o in found["lime"]["options"] if o["name"] == "samples")
    assert (samples["default"], samples["least"]) == (1000, 2)


def test_the_description_and_its_page_need_nothing_from_elsewhere(client):
    description = client.get("/api/openapi.json").json()
    assert set(description["paths"]) == {
        "/api/explain",
        "/api/explain/stream",
        "/api/explain/{id}",
        "/api/rank",
        "/api/predict",
        "/api/methods",
        "/api/models",
        "/api/models/{name}",
        "/health",
    }
    page = client.get("/api").text
    for path in description["paths"]:
        assert f"{path}</code>" in page
    assert "http://" not in page
    assert "https://" not in page


def test_a_failure_nobody_foresaw_is_one_line_too():
    def broken(pairs):
        raise RuntimeError("secret detail")

    with TestClient(create_app({"broken": gmask.load(broken)}), raise_server_exceptions=False) as client:
        response = client.post("/api/explain", json=PAIR)
        told = events(client.post("/api/explain/stream", json=PAIR).text)
    failure = {"error": "something went wrong in the server; its log says what"}
    assert response.status_code == 500
    assert response.json() == failure
    assert told[-1] == ("failed", failure)


def test_what_is_known_so_far_comes_before_the_result_and_says_that_it_is_not_final(server):
    asked = {**PAIR, "model": "slow", "method": "lime", "options": {"samples": 200}}
    told = events(httpx.post(f"{server}/api/explain/stream", json=asked, timeout=60).text)
    known = [data["explanation"] for name, data in told if name == "sofar"]
    rows = [e["details"]["unfinished"] for e in known]
    assert rows == sorted(rows)
    assert rows[0] < 100
    result = told[-1][1]["explanation"]
    assert "unfinished" not in result["details"]
    assert [w["text"] for w in known[0]["words"]] == [w["text"] for w in result["words"]]
