"""Attributions that follow an order."""

from __future__ import annotations

import numpy as np

from gmask.method.order import TIES, by_order


def test_numbers_follow_the_order_and_those_after_the_leading_ones_only_break_ties():
    found = by_order([2, 0, 3, 1], leading=2)
    assert np.argsort(-found).tolist() == [2, 0, 3, 1]
    assert (found[[2, 0]] >= 0.5).all()
    assert (found[[3, 1]] <= TIES).all()


def test_all_lead_unless_told_and_none_may():
    assert by_order([1, 0]).tolist() == [0.5, 1.0]
    assert by_order([1, 0], leading=0).max() <= TIES
