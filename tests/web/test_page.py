"""The page in a browser: why, what if, compare, contrast, downloads and links."""

from __future__ import annotations

from urllib.parse import urlsplit

import httpx
import pytest

from gmask.explanation import Explanation
from gmask.web.examples import EXAMPLES
from tests.browser import NONE, THERE
from tests.web.asking import ask, field, link, query
from tests.web.models import BANJO, GUITAR

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.skipif(not THERE, reason=NONE)]


def lit(page) -> list[str]:
    return page.locator("#why .sentence .lit").all_inner_texts()


# 1. Two texts, a model, a method, examples; the answer


def test_two_sentences_are_explained(open_page):
    page = open_page()
    ask(page)
    assert page.locator("#why h2").first.inner_text() == "contradiction 0.99"
    bars = page.locator("#why .classes dt").all_inner_texts()
    assert bars == ["contradiction", "entailment", "neutral"]
    marked = page.locator("#why .sentence mark").all_inner_texts()
    assert {"guitar", "banjo", "stage", "floor"} <= set(marked)
    assert page.locator("#why .reasons li").count() >= 1
    assert page.locator("#why svg.gm-figure").is_visible()


def test_what_is_typed_while_the_model_is_loaded_stays(open_page):
    held = []

    def hold(route) -> None:
        held.append(route)

    page = open_page(before=lambda page: page.route("**/api/models/*", hold))
    field(page, "first").fill(GUITAR)
    field(page, "seed").evaluate("input => (input.value = 4)")
    while not held:
        page.wait_for_timeout(50)
    held[0].continue_()
    page.wait_for_selector("[name=target] option:nth-child(4)", state="attached")
    assert field(page, "first").input_value() == GUITAR
    assert field(page, "seed").input_value() == "4"


def test_every_offered_model_and_method_can_be_chosen(open_page):
    page = open_page()
    assert field(page, "model").locator("option").all_inner_texts() == [
        "rules",
        "slow",
        "score",
        "dattn",
        "hostile",
    ]
    field(page, "method").select_option("leave-one-out")
    ask(page)
    assert "leave-one-out on rules" in page.locator("#why footer").inner_text()


def test_a_model_without_gradients_offers_no_gradient_methods(open_page):
    page = open_page()
    option = page.locator("[name=method] option[value=integrated-gradients]")
    page.wait_for_selector("[name=method] option[value=integrated-gradients][disabled]", state="attached")
    field(page, "model").select_option("dattn")
    page.wait_for_selector("[name=method] option[value=integrated-gradients]:not([disabled])", state="attached")
    assert option.is_enabled()


def test_an_example_is_one_click(open_page):
    page = open_page()
    buttons = page.locator(".examples button")
    assert buttons.count() == len(EXAMPLES)
    assert [e.origin for e in EXAMPLES].count("The paper") == 2
    buttons.first.click()
    page.wait_for_selector("#views:not([hidden])")
    assert field(page, "first").input_value() == GUITAR
    assert page.locator("#why h2").first.inner_text() == "contradiction 0.99"


def test_pointing_at_a_reason_lights_its_words_in_both_sentences(open_page):
    page = open_page(link())
    page.locator("#why .reasons li").first.hover()
    words = lit(page)
    assert {"guitar", "banjo"} <= set(words) or {"stage", "floor"} <= set(words)
    page.mouse.move(0, 0)
    assert lit(page) == []


def test_pointing_at_a_word_tells_its_memberships(open_page):
    page = open_page(link())
    page.locator("#why .sentence mark", has_text="guitar").hover()
    assert lit(page) == ["guitar"]
    told = page.locator("#why .says").inner_text()
    assert told.startswith("guitar: attribution")
    assert "reason 1" in told
    assert page.locator("#why svg.gm-figure .lit").count() >= 2  # the word, its line, its group


def test_the_evidence_is_drawn_as_a_curve(open_page, server):
    page = open_page(link())
    answer = httpx.post(f"{server}/api/explain", json={"first": GUITAR, "second": BANJO}, timeout=60)
    e = Explanation.from_json(answer.content)
    chart = page.locator("#why svg.curve")
    assert chart.locator("circle.kept").count() == len(e.evidence.kept) + 1
    assert chart.locator("circle.removed").count() == len(e.evidence.removed) + 1
    assert f"Only the top words: {e.evidence.kept[0]:.2f}" in chart.get_attribute("aria-label")


def test_settings_of_the_method_are_used(open_page):
    page = open_page()
    field(page, "method").select_option("lime")
    page.get_by_text("Settings", exact=True).click()
    page.locator("fieldset[data-method=lime] [data-option=samples]").fill("40")
    field(page, "reference").select_option("empty")  # then a sample is a row
    ask(page)
    rows = page.locator("#why footer").inner_text()
    assert "lime on rules" in rows
    assert int(rows.split(" rows")[0].rsplit(" ", 1)[1]) <= 40
    assert query(page)["option"] == "samples=40"


# 2. What if


def test_switching_a_word_off_changes_the_probabilities_at_once(open_page, server):
    page = open_page(link())
    page.get_by_role("tab", name="What if").click()
    page.wait_for_selector("#whatif .odds .number:text('0.99')")
    asked: list[str] = []
    page.on("request", lambda r: asked.append(urlsplit(r.url).path) if r.method == "POST" else None)
    for word in ("guitar", "stage"):
        page.get_by_role("switch", name=word).click()
        page.wait_for_selector(f"#whatif .now:has-text('“{word}”')")
    page.wait_for_selector("#whatif .now:has-text('Without “guitar”, “stage” the model says entailment')")
    assert asked == ["/api/predict"] * 2  # one row of the model each, nothing explained anew
    shown = float(page.locator("#whatif .odds > div[data-label=contradiction] .number").inner_text())
    body = {"first": GUITAR, "second": BANJO, "without": [[5, 7]]}
    expected = httpx.post(f"{server}/api/predict", json=body, timeout=60).json()["rows"][0]["probabilities"][2]
    assert shown == round(expected, 2)
    assert page.locator("#whatif .odds > div[data-label=contradiction] .change").inner_text().startswith("−")
    assert page.get_by_role("switch", name="guitar").get_attribute("aria-checked") == "false"
    assert query(page)["off"] == "5.7"
    page.get_by_role("button", name="All words").click()
    page.wait_for_selector("#whatif .now:has-text('With all words: contradiction 0.99')")


def test_a_reason_is_switched_off_with_one_click(open_page):
    page = open_page(link(view="whatif"))
    page.get_by_role("button", name="Only reason 1").click()
    page.wait_for_selector("#whatif .now:has-text('still contradiction')")
    off = page.locator("#whatif [role=switch][aria-checked=false]").all_inner_texts()
    assert "man" in off
    assert "banjo" not in off


def test_a_raw_score_can_be_tried_too(open_page):
    page = open_page(link(model="score", view="whatif"))
    page.wait_for_selector("#whatif .now:has-text('With all words: score')")
    page.get_by_role("switch", name="playing").first.click()
    page.wait_for_selector("#whatif .now:has-text('Without “playing”: score')")


def test_a_sentence_that_is_switched_off_has_what_the_answer_is_held_against_in_its_place(open_page, server):
    page = open_page(link(model="score", view="whatif"))  # a raw score is held against unrelated texts
    page.wait_for_selector("#whatif .now:has-text('With all words: score')")
    for word in page.locator("#whatif .sentence.first [role=switch]").all():
        word.click()
    page.wait_for_selector("#whatif .now:has-text('Without 9 words: score')")
    shown = page.locator("#whatif .odds .number").inner_text()
    body = {"first": GUITAR, "second": BANJO, "model": "score", "without": [list(range(9))]}
    scores = [
        httpx.post(f"{server}/api/predict", json={**body, "reference": kind}, timeout=60).json()["rows"][0]["score"]
        for kind in ("unrelated", "empty")
    ]
    assert shown == f"{scores[0]:.2f}".replace("-", "−")


def test_what_an_answer_is_held_against_is_a_setting_and_part_of_a_link(open_page):
    page = open_page()
    page.get_by_text("Settings", exact=True).click()
    field(page, "reference").select_option("unrelated texts")
    ask(page)
    assert query(page)["reference"] == "unrelated"
    page.wait_for_selector("#why :text('Held against unrelated texts in the place of a sentence that is gone')")
    again = open_page(link(reference="empty"))
    again.wait_for_selector("#why :text('Held against an empty pair')")
    assert field(again, "reference").input_value() == "empty"


# 3. Compare


def test_methods_are_compared_side_by_side(open_page):
    page = open_page(link(reference="empty"))
    page.get_by_role("tab", name="Compare").click()
    chosen = ["gmask", "keep-one", "leave-one-out"]
    for tick in page.locator("#compare [name=methods]:enabled").all():
        tick.set_checked(tick.input_value() in chosen)
    page.get_by_role("button", name="Compare").click()
    page.wait_for_selector("#compare .cards article:nth-of-type(3)")
    cards = page.locator("#compare .cards article")
    assert cards.locator("h3").all_inner_texts() == chosen
    assert cards.locator("svg.curve").count() == 3
    assert all("rows ·" in cost for cost in cards.locator(".cost").all_inner_texts())
    rows = page.locator("#compare tbody tr").all_inner_texts()
    assert [row.split("\t")[0] for row in rows] == chosen
    assert rows[1].split("\t")[5] == "18"  # a row for each word and one for none: the cost is the method's own
    boxes = [card.bounding_box() for card in cards.all()]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] < boxes[1]["x"]
    assert query(page)["methods"] == "gmask,keep-one,leave-one-out"


def test_a_method_that_cannot_says_why_and_the_others_go_on(open_page):
    page = open_page(link(view="compare", methods="l2x,keep-one"))
    page.wait_for_selector("#compare tbody tr")
    assert "gmask fit l2x" in page.locator("#compare .cards .trouble").inner_text()
    assert page.locator("#compare .cards article").count() == 2


# 4. Contrast


def test_one_class_is_held_against_another(open_page):
    page = open_page(link())
    field(page, "target").select_option("contradiction")
    field(page, "against").select_option("neutral")
    ask(page)
    assert page.locator("#why .verdict p").inner_text().startswith("Why “contradiction” rather than “neutral”?")
    assert (query(page)["target"], query(page)["against"]) == ("contradiction", "neutral")


def test_the_answer_offers_the_contrasts(open_page):
    page = open_page(link())
    page.locator("#why .contrast").get_by_role("button", name="entailment").click()
    page.wait_for_selector("#why .verdict p:has-text('rather than “entailment”')")
    page.get_by_role("button", name="Rather than anything else").click()
    page.wait_for_selector("#why .verdict p:text-is('Why “contradiction”?')")


# 5. Downloads, and a link to the view


@pytest.mark.parametrize(
    ("name", "ending", "begins"),
    [
        ("HTML", "html", b"<!DOCTYPE html>"),
        ("JSON", "json", b"{"),
        ("LaTeX", "tex", b"%"),
        ("SVG", "svg", b"<svg"),
        ("PNG", "png", b"\x89PNG"),
        ("PDF", "pdf", b"%PDF"),
    ],
)
def test_an_explanation_can_be_downloaded(open_page, tmp_path, name, ending, begins):
    page = open_page(link())
    with page.expect_download() as download:
        page.get_by_role("button", name=name, exact=True).click()
    assert download.value.suggested_filename == f"explanation.{ending}"
    download.value.save_as(tmp_path / "file")
    content = (tmp_path / "file").read_bytes()
    assert content.startswith(begins)
    if ending == "json":
        assert Explanation.from_json(content).label == "contradiction"


def test_a_link_reproduces_the_view(open_page, browser):
    page = open_page(link(method="leave-one-out", against="neutral", seed=3))
    page.get_by_role("tab", name="What if").click()
    page.get_by_role("switch", name="banjo").click()
    page.wait_for_selector("#whatif .now:has-text('Without “banjo”')")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_selector("text=Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    again = open_page(copied[copied.index("/?") :])
    again.wait_for_selector("#whatif .now:has-text('Without “banjo”')")
    assert again.locator("#whatif").is_visible()
    for place in ("#whatif .odds", "#why .verdict", "#whatif .now"):
        assert again.locator(place).text_content() == page.locator(place).text_content()
    assert field(again, "against").input_value() == "neutral"
    assert field(again, "seed").input_value() == "3"


@pytest.mark.parametrize(
    ("part", "named"),
    [({"model": "gone"}, "model “gone”"), ({"target": "maybe"}, "target “maybe”"), ({"method": "lasso"}, "“lasso”")],
)
def test_a_link_to_what_is_not_offered_shows_nothing_else_instead(open_page, part, named):
    page = open_page(link(**part), waits=False)
    page.wait_for_selector("#trouble:has-text('not offered here: ')")
    assert named in page.locator("#trouble").inner_text()
    assert page.locator("#views").is_hidden()


def test_going_back_shows_the_question_before(open_page):
    page = open_page()
    ask(page)
    ask(page, "A dog sleeps.", "A cat sleeps.")
    page.go_back()
    page.wait_for_selector("#why h2:has-text('contradiction 0.99')")
    assert field(page, "first").input_value() == GUITAR


def test_what_is_known_so_far_is_shown_at_once_and_refined_in_place(open_page):
    page = open_page()
    field(page, "first").fill(GUITAR)
    field(page, "second").fill(BANJO)
    field(page, "model").select_option("slow")
    page.locator("#ask [type=submit]").click()
    page.wait_for_selector("#why .notes:has-text('not final')", timeout=60_000)
    assert page.locator("#answer").get_attribute("aria-busy") == "true"
    page.wait_for_selector("#answer:not([aria-busy])", timeout=60_000)
    assert "not final" not in page.locator("#why").inner_text()
    assert page.locator("#why .reasons li").count() >= 1
