"""Rankings over HTTP: what is answered, what is refused."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from gmask.explanation import Explanation
from gmask.web import Limits, create_app
from tests.web.models import SCRIPT, models
from tests.web.test_api import events

QUERY = "how tall is the tower"
PASSAGES = ["rice is cooked in water", "the tower is tall", {"text": "a tall man", "id": "d3", "title": "Men"}]
ASKED = {"query": QUERY, "passages": PASSAGES, "model": "score"}


def test_passages_come_back_in_their_order(client):
    r = client.post("/api/rank", json=ASKED).json()
    assert (r["order"], r["scores"], r["label"]) == ([1, 0, 2], [-1.0, 8.0, -1.0], None)
    assert [p["id"] for p in r["passages"]] == ["0", "1", "d3"]
    assert r["explanations"] == []


def test_what_is_asked_of_the_order_is_explained(client):
    asked = {**ASKED, "why": 1, "method": "leave-one-out"}
    (found,) = client.post("/api/rank", json=asked).json()["explanations"]
    assert Explanation.from_dict(found["explanation"]).reference.kind == "passages"
    (found,) = client.post("/api/rank", json={**asked, "over": 2}).json()["explanations"]
    e = Explanation.from_dict(found["explanation"])
    assert (found["passage"], found["over"], e.over.names) == (1, 2, ("passage 1", "passage d3"))


def test_what_one_asked_for_is_not_shown_to_another(client):
    client.post("/api/rank", json={**ASKED, "why": 1, "method": "leave-one-out"})
    assert client.post("/api/rank", json=ASKED).json()["explanations"] == []


@pytest.mark.parametrize(
    ("kind", "media", "begins"),
    [("html", "text/html", "<!DOCTYPE html>"), ("text", "text/plain", QUERY), ("json", "application/json", "{")],
)
def test_a_ranking_is_had_as_a_file(client, kind, media, begins):
    response = client.post(f"/api/rank?format={kind}", json=ASKED)
    assert response.headers["content-type"].startswith(media)
    assert response.text.startswith(begins)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"passages": []}, "passages"),
        ({"passages": ["a"] * 101}, "101 passages; at most 100"),
        ({"passages": ["a", "w " * 513]}, "passage 1 has 513 words; at most 512"),
        ({"passages": ["a", ""]}, "passage 1 is empty"),
        ({"passages": [{"id": "x"}]}, "text"),
        ({"passages": [{"text": "a", "id": "x"}, {"text": "b", "id": "x"}]}, "two passages have the id 'x'"),
        ({"query": " "}, "the query is empty"),
        ({"query": "w " * 513}, "the query has 513 words"),
        ({"why": 3}, "no passage 3"),
        ({"why": -1}, "why"),
        ({"over": 1}, "name the other as `why`"),
        ({"why": 1, "over": 1}, "does not stand above itself"),
        ({"why": 1, "over": 2, "method": "gradient-x-input"}, "needs gradients"),
        ({"why": 1, "options": {"k": 10**6}}, "k of gmask"),
        ({"model": "gpt"}, "unknown model"),
        ({"target": "high"}, "raw score has no labels"),
        ({"model": "rules", "target": "x"}, "unknown target"),
        ({"more": 1}, "more"),
    ],
)
def test_what_cannot_be_ranked_is_refused_in_a_line(client, changes, told):
    response = client.post("/api/rank", json={**ASKED, **changes})
    assert response.status_code == 422
    assert told in response.json()["error"]
    assert "\n" not in response.json()["error"]


def test_the_limit_of_rows_holds_for_rankings():
    with TestClient(create_app(models(), limits=Limits(rows=2))) as client:
        response = client.post("/api/rank", json=ASKED)
    assert response.status_code == 422
    assert "more than 2 model rows" in response.json()["error"]


def test_the_page_gets_the_ranking_and_the_reason_as_markup_without_the_users(client):
    asked = {**ASKED, "query": f"{SCRIPT} tall", "why": 1, "over": 0, "method": "leave-one-out"}
    name, data = events(client.post("/view/rank", json=asked).text)[-1]
    assert name == "result"
    assert data["ranking"].count("<li data-passage=") == 3
    assert "stand above" in data["why"]
    assert "<script>" not in data["ranking"] + data["why"]
    name, data = events(client.post("/view/rank", json={**asked, "over": 1}).text)[-1]
    assert (name, "above itself" in data["error"]) == ("failed", True)
