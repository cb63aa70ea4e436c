"""The Rank tab in a browser."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest

from tests.browser import NONE, THERE
from tests.web.asking import ask, link

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.skipif(not THERE, reason=NONE)]

QUERY = "how tall is the tower"
PASSAGES = ["rice is cooked in water", "the tower is tall", "a tall man"]


def rank(page) -> None:
    page.locator("#rank [name=query]").fill(QUERY)
    page.locator("#rank [name=passages]").fill("\n".join(PASSAGES))
    page.locator("#rank").get_by_role("button", name="Rank", exact=True).click()
    page.wait_for_selector("#ranked:not([hidden])")
    page.wait_for_selector("#progress", state="hidden")


def test_passages_are_ranked_before_anything_is_explained(open_page):
    page = open_page()
    page.locator("#ask [name=model]").select_option("score")
    page.get_by_role("button", name="Rank").first.click()
    assert page.locator("#tab-why").is_disabled()
    rank(page)
    assert page.locator(".ranked li .number").all_inner_texts() == ["8.00", "−1.00", "−1.00"]


def test_a_click_tells_why_one_stands_above_the_next_and_its_link_does_so_again(open_page):
    page = open_page("/?" + urlencode({"model": "score", "method": "leave-one-out", "view": "rank"}))
    rank(page)
    page.locator(".ranked li").first.get_by_role("button", name="Why above the next").click()
    page.wait_for_selector("#ranked .reason h2")
    assert page.locator("#ranked .reason .sentence").count() == 3
    again = open_page(page.url.partition("127.0.0.1")[2].partition("/")[2].join(["/", ""]))
    again.wait_for_selector("#ranked .reason h2")
    told = "#ranked .reason .verdict"
    assert again.locator(told).inner_text() == page.locator(told).inner_text()


def test_the_tab_beside_an_answer_begins_with_its_first_text(open_page):
    page = open_page(link())
    ask(page)
    page.locator("#tab-rank").click()
    assert page.locator("#rank [name=query]").input_value() == page.locator("#ask [name=first]").input_value()
    assert not page.locator(".bar-of-tabs .take").is_visible()


def test_a_phone_never_scrolls_sideways(open_page):
    about = {"model": "score", "method": "leave-one-out", "view": "rank", "query": QUERY, "why": 1, "over": 2}
    asked = urlencode({**about, "passage": [*PASSAGES, "w" * 80]}, doseq=True)
    page = open_page(f"/?{asked}", viewport={"width": 360, "height": 740})
    page.wait_for_selector("#ranked .reason h2")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_mistake_is_told(open_page):
    page = open_page()
    page.get_by_role("button", name="Rank").first.click()
    page.locator("#rank [name=query]").fill("?!")
    page.locator("#rank [name=passages]").fill("a b")
    page.locator("#rank").get_by_role("button", name="Rank", exact=True).click()
    page.wait_for_selector("#trouble:not([hidden])")
    assert "the query '?!' has no words" in page.locator("#trouble").inner_text()


def test_a_ranking_can_be_taken_along(open_page):
    page = open_page("/?" + urlencode({"model": "score", "view": "rank"}))
    rank(page)
    with page.expect_download() as got:
        page.locator("#ranked").get_by_role("button", name="JSON").click()
    assert json.loads(got.value.path().read_text(encoding="utf-8"))["order"] == [1, 0, 2]
