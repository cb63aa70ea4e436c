from __future__ import annotations

import asyncio

import pytest
from fastapi.testclient import TestClient

from gmask.web import create_app
from gmask.web.guard import Guard
from tests.web.models import models


@pytest.mark.parametrize("path", ["/", "/api", "/health", "/static/page.js", "/nothing"])
def test_every_answer_lets_only_this_server_be_loaded_from(client, path):
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe-eval" not in policy
    assert policy.count("'unsafe-inline'") == 1  # in style attributes
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("host", "status"),
    [("127.0.0.1:8000", 200), ("localhost", 200), ("[::1]:9", 200), ("evil.example", 400), ("127.0.0.1.evil", 400)],
)
def test_a_name_that_merely_resolves_to_this_machine_is_not_served(host, status):
    app = create_app(models(), hosts={"127.0.0.1", "localhost", "[::1]"})
    with TestClient(app) as client:
        response = client.get("/health", headers={"host": host})
    assert response.status_code == status
    if status == 400:
        assert "is not called" in response.json()["error"]


HERE = {"host": "127.0.0.1:8000"}


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "http://127.0.0.1:9000"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site", "origin": "http://127.0.0.1:8000"},
    ],
)
@pytest.mark.parametrize("path", ["/api/predict", "/api/explain", "/view/explain", "/view/compare"])
def test_what_a_page_of_another_site_sends_is_refused(client, path, headers):
    response = client.post(path, json={"first": "a", "second": "b"}, headers={**HERE, **headers})
    assert response.status_code == 403
    assert "another site" in response.json()["error"]
    assert client.delete("/api/explain/x", headers={**HERE, **headers}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://127.0.0.1:8000"},
        {"sec-fetch-site": "same-origin", "origin": "https://a-proxy.example"},
        {"sec-fetch-site": "none"},
    ],
)
def test_programs_and_the_page_itself_are_answered(client, headers):
    assert client.post("/api/predict", json={"first": "a", "second": "b"}, headers={**HERE, **headers}).is_success


def test_a_link_on_another_site_opens_the_page(client):
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("/", headers=headers).status_code == 200


@pytest.mark.parametrize("path", ["/", "/api", "/health", "/static/page.js"])
def test_head_is_get_without_the_body(client, path):
    head, get = client.head(path), client.get(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == get.headers["content-length"]


def test_a_request_whose_sender_left_half_way_is_not_acted_upon():
    came = iter([{"type": "http.request", "body": b'{"first": "a"}', "more_body": True}, {"type": "http.disconnect"}])
    done = []

    async def app(scope, receive, send):
        done.append("acted")

    async def receive():
        return next(came)

    async def send(message):
        done.append("answered")

    asyncio.run(Guard(app, body=100)({"type": "http", "method": "POST", "headers": []}, receive, send))
    assert done == []
