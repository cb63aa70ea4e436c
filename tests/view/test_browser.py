from __future__ import annotations

import pytest

from gmask.view.html import fragment, to_html
from tests.browser import NONE, THERE
from tests.explanations import ALL, guitar, hostile, long

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.skipif(not THERE, reason=NONE)]


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 360, "height": 740})
    troubles: list[str] = []
    for event in ("pageerror", "dialog", "requestfailed"):
        page.on(event, lambda trouble, event=event: troubles.append(f"{event}: {trouble}"))
    page.on("console", lambda message: troubles.append(message.text))
    yield page
    page.close()
    assert troubles == []


def lit(page, root: int) -> list[str]:
    return page.eval_on_selector_all(
        ".gmask", f"r => [...r[{root}].querySelectorAll('.sentence .lit')].map(w => w.textContent)"
    )


def test_pointing_at_a_reason_lights_its_words_in_its_own_explanation(page):
    page.set_content(fragment(guitar()) + fragment(guitar()))
    page.locator(".gmask").nth(1).locator(".reasons > li").nth(1).hover()
    assert lit(page, 0) == []
    assert lit(page, 1) == ["electric", "stage", "floor"]
    page.mouse.move(0, 0)
    assert lit(page, 1) == []


def test_the_keyboard_reaches_words_and_reasons(page):
    page.set_content(to_html(guitar()))
    told = []
    for _ in range(7):
        page.keyboard.press("Tab")
        told.append(page.inner_text(".says"))
    assert told[0] == "electric: attribution 0.41, reason 1: 0.55, reason 2: 0.25"
    assert told[5] == "Reason 1: alone keeps 0.93; without it 0.35"
    assert lit(page, 0) == ["electric", "stage", "floor"]
    page.keyboard.press("Escape")
    assert lit(page, 0) == []


def test_an_explanation_that_comes_later_lights_up_too(page):
    page.set_content(fragment(guitar()))
    page.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", fragment(guitar()))
    page.locator(".gmask").nth(1).locator("mark").first.focus()
    assert lit(page, 1) == ["electric"]


@pytest.mark.parametrize("name", ALL)
def test_a_phone_never_scrolls_sideways(page, name):
    page.set_content(to_html(ALL[name]()))
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_long_names_of_classes_leave_room_for_their_bars(page):
    page.set_content(to_html(guitar(labels=("entailment", "x" * 200, "contradiction"))))
    assert min(page.eval_on_selector_all(".classes .bar", "bars => bars.map(b => b.clientWidth)")) >= 60


def test_dark_readers_get_a_dark_page(browser):
    page = browser.new_page(color_scheme="dark")
    page.set_content(to_html(long()))
    assert page.evaluate("getComputedStyle(document.querySelector('.gmask')).backgroundColor") == "rgb(20, 23, 28)"
    page.close()


def test_hostile_text_runs_nothing(page):
    page.set_content(to_html(hostile()))
    assert page.evaluate("document.querySelectorAll('.gmask script, .gmask img, .gmask b').length") == 0
