from __future__ import annotations

import re
from dataclasses import replace

from gmask.reference import Reference
from gmask.web.curve import curve
from gmask.web.panels import answer, card
from tests.explanations import TIES, guitar, make, raw_score, twins


def test_a_word_listed_from_both_sentences_says_which_it_is_from():
    assert "<bdi>dog (first)</bdi>, <bdi>dog (second)</bdi>, <bdi>cat</bdi>, <bdi>run</bdi>" in card(twins())["row"]
    assert "only the top 2 (+ dog (second)): 0.90" in curve(twins())


def test_only_words_that_speak_for_the_answer_are_offered_to_be_switched_off_together():
    assert "Without the top 4 words" in answer(twins())["whatif"]
    assert "Only the top word<" in answer(make("a b", "c d", {(0, "a"): 0.5}))["whatif"]
    assert "the top" not in answer(make("a b", "c d", TIES))["whatif"]
    assert "Only reason 2" in answer(guitar())["whatif"]


def heights(drawn: str, kind: str) -> list[float]:
    return [float(y) for y in re.findall(rf'<circle class="{kind}" cx="[\d.]+" cy="([\d.]+)"', drawn)]


def test_the_curve_of_a_raw_score_is_drawn_in_its_own_units():
    e = raw_score()
    drawn = curve(e)
    assert [level in drawn for level in (">−2.3<", ">−7.25<", ">0.5<")] == [True, True, False]
    kept, removed = heights(drawn, "kept"), heights(drawn, "removed")
    values = [e.evidence.nothing, *e.evidence.kept, e.value, *e.evidence.removed]
    by_height = sorted(zip(kept + removed, values, strict=True), reverse=True)
    assert [value for _, value in by_height] == sorted(values)
    assert len(set(kept + removed)) == len(set(values))


def test_a_curve_without_ups_and_downs_is_drawn_too():
    flat = make("a", "b", evidence=replace(guitar().evidence, kept=(2.0,), removed=(2.0,), nothing=2.0))
    drawn = curve(replace(flat, score=2.0, value=2.0))
    assert "nan" not in drawn
    assert len({*heights(drawn, "kept"), *heights(drawn, "removed")}) == 1


def test_the_gap_of_a_score_that_is_low_is_how_far_its_words_lower_it():
    high = raw_score()
    low = replace(high, target="low", evidence=replace(high.evidence, kept=(-7.0,), removed=(-3.0,)))
    assert "<b>4.00</b>" in card(low)["row"]
    assert "<b>−4.00</b>" in card(replace(low, target="high"))["row"]


def test_the_page_is_told_what_stands_in_for_a_sentence_that_is_switched_off():
    unrelated = Reference("unrelated", ("It rains.",), ("Who sings?",))
    assert answer(guitar())["reference"] == "empty"
    told = answer(guitar(reference=unrelated))
    assert told["reference"] == "unrelated"
    assert "Held against unrelated texts" in told["why"]
    assert "Other texts stand in" in told["whatif"]
    assert "Other texts" not in answer(guitar())["whatif"]
