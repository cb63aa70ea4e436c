"""The page in a browser: long work, mistakes, hostile input, and readers of every kind."""

from __future__ import annotations

import json
import time

import httpx
import pytest

from tests.browser import NONE, THERE
from tests.web.asking import field, link
from tests.web.models import BANJO, GUITAR, SCRIPT

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.skipif(not THERE, reason=NONE)]


# 6. Progress, cancelling; the API's page


def busy(server: str) -> int:
    return httpx.get(f"{server}/health", timeout=60).json()["explaining"]


def idle(server: str) -> bool:
    """Whether the server has nothing to do well before its work would have come to its end."""
    until = time.monotonic() + 40
    while busy(server) and time.monotonic() < until:
        time.sleep(0.1)
    return busy(server) == 0


def slow_link(seed: int) -> str:
    return link(model="slow", method="lime", option="samples=4000", seed=seed)  # some eighty seconds


def test_long_work_tells_how_far_it_is_and_can_be_called_off(open_page, server):
    page = open_page(slow_link(1), waits=False)
    page.wait_for_selector("#progress [role=status]:has-text('model rows in')")
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_selector("#trouble:has-text('called off')")
    assert page.locator("#progress").is_hidden()
    assert idle(server)


def test_closing_the_page_calls_its_work_off(open_page, server):
    page = open_page(slow_link(2), waits=False)
    page.wait_for_selector("#progress [role=status]:has-text('model rows in')")
    assert busy(server) == 1
    page.close()
    assert idle(server)


def test_a_new_question_calls_the_old_one_off(open_page, server):
    page = open_page(slow_link(3), waits=False)
    page.wait_for_selector("#progress [role=status]:has-text('model rows in')")
    field(page, "model").select_option("rules")
    field(page, "method").select_option("keep-one")
    page.get_by_role("button", name="Explain").click()
    page.wait_for_selector("#why footer:has-text('keep-one on rules')")
    assert idle(server)


def test_the_api_page_describes_and_tries_the_api(open_page):
    page = open_page("/api")
    operation = page.locator(".operation", has_text="/api/predict")
    operation.get_by_role("button", name="Send").click()
    operation.locator("pre").wait_for()
    assert operation.locator("output").inner_text() == "200 OK"
    assert json.loads(operation.locator("pre").inner_text())["model"] == "rules"


# For everyone


def test_a_mistake_is_told_in_one_line(open_page):
    page = open_page()
    field(page, "first").fill("...")
    field(page, "second").fill("b")
    page.get_by_role("button", name="Explain").click()
    page.wait_for_selector("#trouble:has-text('only punctuation')")


def test_hostile_text_and_labels_run_nothing(open_page):
    hostile = f"{SCRIPT} <img src=x onerror=alert(1)> javascript:alert(1)"
    page = open_page(link(first=hostile, second=hostile, model="hostile", view="compare", methods="gmask,keep-one"))
    page.wait_for_selector("#compare tbody tr:nth-of-type(2)")
    assert "broken" not in page.title().split(":")[-1]
    assert page.evaluate("document.querySelectorAll('#views script, #views img, #views b b').length") == 0
    assert field(page, "first").input_value() == hostile


def test_inline_scripts_are_refused_by_the_page_itself(browser, server):
    page = browser.new_page()
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(server)
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"document.title=1\">')")
    page.wait_for_timeout(300)
    assert page.title() != "1"
    assert any("Content Security Policy" in text for text in refused)
    page.close()


def test_everything_can_be_done_with_the_keyboard(open_page):
    page = open_page()
    field(page, "first").focus()
    page.keyboard.type(GUITAR)
    page.keyboard.press("Tab")
    page.keyboard.type(BANJO)
    page.keyboard.press("Enter")
    page.wait_for_selector("#views:not([hidden])")
    page.get_by_role("tab", name="Why").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-whatif"
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "guitar":
            break
    page.keyboard.press("Space")
    page.wait_for_selector("#whatif .now:has-text('Without “guitar”')")


def test_a_screen_reader_finds_names_and_roles(open_page):
    page = open_page(link())
    for name in ("First sentence", "Second sentence", "Model", "Method", "Why", "rather than"):
        assert page.locator("#ask label", has_text=name).first.locator("textarea, select").count() == 1
    nameless = page.evaluate(
        """[...document.querySelectorAll("button, input, select, textarea, progress, [role=img], [role=tabpanel]")]
        .filter((c) => !(c.textContent.trim() || c.labels?.length || c.ariaLabel || c.getAttribute("aria-labelledby")))
        .map((c) => c.outerHTML)"""
    )
    assert nameless == []
    assert page.get_by_role("tab", name="Why").get_attribute("aria-selected") == "true"
    assert page.get_by_role("img", name="Words of the two sentences").count() == 1
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("h1").count() == 1


@pytest.mark.parametrize("view", ["", "whatif", "compare"])
def test_a_phone_never_scrolls_sideways(open_page, view):
    page = open_page(
        link(view=view, methods="gmask,lime" if view == "compare" else ""), viewport={"width": 360, "height": 740}
    )
    if view == "compare":
        page.wait_for_selector("#compare tbody tr:nth-of-type(2)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


PASSAGE = " ".join(f"w{i}" for i in range(300)) + " guitar"


def test_what_a_passage_would_say_is_seen_while_its_words_are_switched_off(open_page):
    page = open_page(link(first=PASSAGE, method="leave-one-out", view="whatif"), viewport={"width": 375, "height": 740})
    page.get_by_role("switch", name="w0", exact=True).click()
    page.wait_for_selector("#whatif .now:has-text('Without “w0”')")
    box = page.locator("#whatif .odds").bounding_box()
    assert box["y"] + box["height"] <= 740


def test_methods_are_compared_by_the_gist_of_a_passage(open_page):
    page = open_page(link(first=PASSAGE, method="leave-one-out", view="compare", methods="leave-one-out"))
    told = page.locator(".cards .sentence.first").inner_text()
    assert told.startswith("… 296 words …")
    assert told.endswith("w299 guitar")


@pytest.mark.parametrize(("scheme", "paper"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 23, 28)")])
def test_the_page_is_light_or_dark_as_its_reader_likes(open_page, scheme, paper):
    page = open_page(link(), color_scheme=scheme)
    for place in ("#ask", "#why .gmask"):
        assert page.evaluate("p => getComputedStyle(document.querySelector(p)).backgroundColor", place) == paper
