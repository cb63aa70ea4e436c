"""A finished audit on the page."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

import gmask
from gmask.web import create_app
from tests.audit.toys import box, pairs


@pytest.fixture(scope="module")
def audited():
    model = box(lambda a, b: "shortly" in b)
    return model, gmask.audit(model, pairs(120, put=("shortly",)), method="leave-one-out", hosts=40)


def test_the_page_leads_to_the_audit_and_its_pairs_back(audited):
    model, found = audited
    with TestClient(create_app({model.name: model}, audit=found)) as client:
        assert 'href="audit"' in client.get("/").text
        page = client.get("/audit").text
        assert "<mark>shortly</mark>" in page
        assert f'data-asks="./?model={model.name}"' in page
        assert all(client.get(f"/static/audit.{kind}").status_code == 200 for kind in ("css", "js"))


def test_a_model_that_is_not_offered_cannot_be_asked(audited):
    with TestClient(create_app({"another": audited[0]}, audit=audited[1])) as client:
        assert 'data-asks=""' in client.get("/audit").text


def test_without_an_audit_there_is_no_such_page(audited):
    with TestClient(create_app({"model": audited[0]})) as client:
        assert 'href="audit"' not in client.get("/").text
        assert client.get("/audit").status_code == 404
