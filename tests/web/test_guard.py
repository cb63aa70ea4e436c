from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from gmask.web import create_app
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
