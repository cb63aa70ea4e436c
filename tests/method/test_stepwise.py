"""Greedy orders, by removal and by insertion."""

from __future__ import annotations

import pytest

import gmask
from gmask.bench.planted import find_planted
from tests.toys import rule_model

PAIR = ("a b c", "x y")


def additive(pairs):
    effect = {"a": 0.1, "b": 0.3, "c": 0.0, "x": 0.2, "y": 0.05}
    return [0.1 + sum(effect.get(w, 0) for text in pair for w in text.split()) for pair in pairs]


@pytest.mark.parametrize("method", ["greedy-removal", "greedy-insertion"])
def test_the_order_follows_the_effects_and_every_step_asks_about_every_word_left(method):
    e = gmask.explain(gmask.load(additive, labels=["no", "yes"]), *PAIR, method=method, target="yes")
    assert [e.words[i].text for i in e.order()] == ["b", "x", "a", "y", "c"]
    assert e.rows == 1 + 5 + 4 + 3 + 2 + 1


@pytest.mark.parametrize("method", ["greedy-removal", "greedy-insertion"])
def test_after_the_last_step_the_others_follow_by_what_they_did(method):
    e = gmask.explain(gmask.load(additive, labels=["no", "yes"]), *PAIR, method=method, words=1, target="yes")
    assert [e.words[i].text for i in e.order()] == ["b", "x", "a", "y", "c"]
    assert e.rows == 1 + 5
    assert [w.text for w in e.top(5)] == ["b"]


@pytest.mark.parametrize("method", ["greedy-removal", "greedy-insertion"])
def test_it_ends_where_nothing_changes(method):
    e = gmask.explain(rule_model([[(0, "nowhere")]]), *PAIR, method=method)
    assert e.rows == 1 + 5
    assert e.top(5) == []


def test_removal_finds_a_couple_and_insertion_a_word_that_does():
    assert find_planted("greedy-removal", "A and B", count=10).on_top == 1
    assert find_planted("greedy-insertion", "A", count=10).on_top == 1


def test_a_second_word_is_chosen_given_the_first():
    rules = rule_model([[(0, "a")], [(0, "b"), (1, "x")]])
    removed = gmask.explain(rules, *PAIR, method="greedy-removal")
    assert removed.top(2) == []  # either rule is enough: no single removal changes anything
    kept = gmask.explain(rules, *PAIR, method="greedy-insertion")
    assert [w.text for w in kept.top(5)] == ["a"]
