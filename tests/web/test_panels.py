from __future__ import annotations

from gmask.web.curve import curve
from gmask.web.panels import card
from tests.explanations import twins


def test_a_word_listed_from_both_sentences_says_which_it_is_from():
    assert "<bdi>dog (first)</bdi>, <bdi>dog (second)</bdi>, <bdi>cat</bdi>, <bdi>run</bdi>" in card(twins())["row"]
    assert "only the top 2 (+ dog (second)): 0.90" in curve(twins())
