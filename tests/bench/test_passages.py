"""Reasons planted in passages are found, and most of a passage is not read for that."""

from __future__ import annotations

import numpy as np
import pytest

from gmask.bench.passages import RULES, find_planted, passages


@pytest.mark.parametrize("rule", RULES)
def test_a_passage_has_its_reasons_and_says_yes_only_with_them(rule):
    for case in passages(rule, 100, 5):
        model = case.model()
        bound = model.bind(case.query, case.text)
        words = [(w.sentence, w.text) for w in bound.words]
        assert all(words.count(word) == 1 for reason in case.reasons for word in reason)
        planted = np.array([any(word in reason for reason in case.reasons) for word in words])
        assert bound(np.array([planted, ~planted]))[:, 1].tolist() == [0.95, 0.05]


def test_reasons_are_found_from_coarse_to_fine_for_a_part_of_the_cost():
    auto, words = (find_planted("A and B", 150, 2, units=units) for units in ("auto", "words"))
    assert (auto.on_top, auto.as_groups) == (1, 1)
    assert auto.words < words.words / 4


def test_what_is_not_found_is_counted_as_such():
    assert find_planted("A and B", 60, 2, method="random").on_top == 0
