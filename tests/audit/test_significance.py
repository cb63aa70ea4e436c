"""Numbers that are known."""

from __future__ import annotations

import pytest

from gmask.audit.significance import discoveries, higher, more_often, wilson


def test_wilsons_interval_is_that_of_the_books():
    assert wilson(5, 10) == (0.2366, 0.7634)
    assert wilson(0, 0) == (0.0, 1.0)


def test_mcnemars_test_counts_only_pairs_that_differ():
    one = [True] * 5 + [True, False]
    other = [False] * 5 + [True, False]
    assert more_often(one, other) == 1 / 32
    assert more_often(other, one) == 1.0
    assert more_often([], []) == 1.0


def test_fishers_test_of_the_tea_is_known():
    assert higher(3, 4, 1, 4) == pytest.approx(17 / 70)
    assert higher(0, 4, 4, 4) == pytest.approx(1.0)


def test_discoveries_are_those_of_benjamini_and_hochberg():
    assert discoveries([0.01, 0.04, 0.03, 0.5]) == pytest.approx([0.04, 0.16 / 3, 0.16 / 3, 0.5])
    assert discoveries([]) == []
