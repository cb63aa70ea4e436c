"""The page of an audit."""

from __future__ import annotations

import re

import pytest

import gmask
from gmask.view.audit import to_page
from tests.audit.toys import box, pairs


@pytest.fixture(scope="module")
def data():
    rows = pairs(120, put=("shortly", "<b>"))
    return gmask.audit(box(lambda a, b: "shortly" in b), rows, method="leave-one-out", hosts=40).data


def test_the_page_needs_nothing_from_anywhere(data):
    page = to_page(data)
    assert not re.search(r"(src|href)=|https?://|@import|url\(", page)
    assert "default-src 'none'" in page


def test_texts_are_escaped_and_words_of_a_finding_marked(data):
    page = to_page(data)
    assert "<mark>shortly</mark>" in page
    assert "<b> " not in page
    assert "&lt;b&gt;" in page


def test_each_finding_has_a_card_that_the_filters_know(data):
    page = to_page(data)
    assert page.count("<li class=card") == len(data["findings"])
    assert 'data-label="same"' in page
    assert page.count("<details>") >= 2 * len(data["findings"])


def test_an_audit_without_findings_or_labels_has_a_page_too():
    rows = [(p["text"], p["text_pair"]) for p in pairs(6)]
    page = to_page(gmask.audit(box(), rows, method="leave-one-out").data)
    assert "No suspected pattern" in page
    assert "too few" in page
