"""Groups beside what people marked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gmask
from gmask.explanation import Group
from gmask.metric.base import Answers, Case, create

NOTHING = Answers(np.zeros(0), np.zeros(0, bool))


def grouped(*groups):
    """A man plays | a man sleeps . with groups of these words."""
    e = gmask.explain(lambda pairs: [0.5] * len(pairs), "A man plays", "a man sleeps .", method="leave-one-out")
    made = [Group(0.5, tuple(float(i in members) for i in range(7)), 0.5, 0.5) for members in groups]
    return replace(e, groups=tuple(made))


def figure(e, *highlights):
    found = create("group_f1").measure(Case(e, highlights), NOTHING)
    return None if found is None else found[0]


def test_the_group_most_like_what_each_person_marked_counts():
    e = grouped((2, 5), (0, 3, 4))
    assert figure(e, ((2,), (2,))) == 1  # plays, sleeps
    assert figure(e, ((2,), (1, 2))) == pytest.approx(2 * 2 / (2 + 3))  # plays; man, sleeps
    assert figure(e, ((2,), (2,)), ((), (1,))) == pytest.approx((1 + 2 / (3 + 1)) / 2)


def test_punctuation_and_sentences_nobody_was_asked_about_do_not_count():
    assert figure(grouped((2, 5, 6)), ((2,), (2, 3))) == 1
    assert figure(grouped((2, 5)), (None, (2,))) == 1


def test_without_marks_or_groups_there_is_nothing():
    assert figure(grouped((2, 5))) is None
    assert figure(grouped((2, 5)), ((), ())) is None
    assert figure(grouped(), ((2,), (2,))) is None
