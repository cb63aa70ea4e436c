from __future__ import annotations

from gmask.dataset.example import Example
from gmask.dataset.overlap import overlap, without

TRAIN = [Example("A man runs.", "A boy."), Example("x", "y")]


def test_case_spacing_and_order_do_not_hide_a_pair():
    same = [Example("a man  runs.", "A boy."), Example("A BOY.", "A man runs ."), Example("y", "x")]
    assert overlap(TRAIN, same) == same


def test_other_pairs_are_no_overlap():
    assert overlap(TRAIN, [Example("A man runs.", "A girl."), Example("A man runs.A", "boy.")]) == []


def test_training_pairs_that_are_held_out_are_left_out():
    assert without(TRAIN, [Example("Y", "X")]) == TRAIN[:1]
