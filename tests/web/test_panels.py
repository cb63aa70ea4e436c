from __future__ import annotations

from gmask.web.curve import curve
from gmask.web.panels import answer, card
from tests.explanations import TIES, guitar, make, twins


def test_a_word_listed_from_both_sentences_says_which_it_is_from():
    assert "<bdi>dog (first)</bdi>, <bdi>dog (second)</bdi>, <bdi>cat</bdi>, <bdi>run</bdi>" in card(twins())["row"]
    assert "only the top 2 (+ dog (second)): 0.90" in curve(twins())


def test_only_words_that_speak_for_the_answer_are_offered_to_be_switched_off_together():
    assert "Without the top 4 words" in answer(twins())["whatif"]
    assert "Only the top word<" in answer(make("a b", "c d", {(0, "a"): 0.5}))["whatif"]
    assert "the top" not in answer(make("a b", "c d", TIES))["whatif"]
    assert "Only reason 2" in answer(guitar())["whatif"]
