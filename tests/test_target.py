from __future__ import annotations

import numpy as np
import pytest

from gmask.errors import GmaskError
from gmask.target import choose_target


def choose(labels, **asked):
    full = np.full(len(labels), 1 / len(labels))
    return choose_target(labels, full, full, raw=False, **asked)


@pytest.mark.parametrize(
    ("target", "index"), [("yes", 0), ("Yes", 1), ("YES", 0), ("No", 2), (1, 1), (np.int64(2), 2), (np.str_("Yes"), 1)]
)
def test_a_label_is_known_by_its_name_in_any_case_and_by_its_own_case_first(target, index):
    assert choose(("yes", "Yes", "no"), target=target).index == index


def test_labels_that_differ_in_case_can_be_held_against_each_other():
    target = choose(("yes", "Yes", "no"), target="Yes", against="yes")
    assert (target.index, target.other) == (1, 0)


@pytest.mark.parametrize("target", ["maybe", 3, -1, True, 1.0])
def test_anything_else_is_refused_with_the_labels_there_are(target):
    with pytest.raises(GmaskError, match=r"unknown target .*; valid: yes, no"):
        choose(("yes", "no"), target=target)


@pytest.mark.parametrize(("target", "index"), [(1, 0), (3, 2), ("1", 0), (np.int64(2), 1)])
def test_where_labels_are_numbers_a_number_is_the_label_and_no_position(target, index):
    assert choose(("1", "2", "3"), target=target).index == index
    with pytest.raises(GmaskError, match="unknown target 0; valid: 1, 2, 3"):
        choose(("1", "2", "3"), target=0)


def test_a_number_that_is_the_text_of_a_label_is_that_label():
    assert choose(("no", "0", "yes"), target=0).index == 1
    assert choose(("no", "0", "yes"), target=2).index == 2


def test_a_label_with_a_probability_of_its_own_holds_from_a_half_on():
    full = np.array([0.9, 0.6, 0.2])
    rows = np.array([[0.9, 0.6, 0.2], [0.3, 0.5, 0.1], [0.8, 0.4, 0.1]])
    target = choose_target(("a", "b", "c"), full, full, raw=False, multilabel=True, target="b")
    assert target.agrees(rows).tolist() == [True, True, False]
    assert choose_target(("a", "b", "c"), full, full, raw=False, multilabel=True).label == "a"
    assert choose_target(("a", "b", "c"), full, full, raw=False, target="b").agrees(rows).tolist() == [
        False,
        True,
        False,
    ]


def test_a_raw_score_that_moves_less_than_its_span_does_not_go_all_the_way():
    ends = np.array([1.0]), np.array([0.0])
    steep = choose_target(("low", "high"), *ends, raw=True)
    flat = choose_target(("low", "high"), *ends, raw=True, span=10.0)
    assert steep.value(ends[0]) == pytest.approx(0.9)
    assert 0.5 < flat.value(ends[0]) < 0.6
    assert choose_target(("low", "high"), *ends, raw=True, span=0.5) == steep
