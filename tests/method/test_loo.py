"""One word at a time, and the control."""

from __future__ import annotations

import numpy as np
import pytest

import gmask
from tests.toys import rule_model

PAIR = ("the cat sat", "a dog ran")


def test_leave_one_out_is_the_fall_without_the_word():
    e = gmask.explain(rule_model([[(0, "cat"), (1, "dog")]]), *PAIR, method="leave-one-out")
    assert e.attributions == pytest.approx([0, 0.9, 0, 0, 0.9, 0])
    assert e.rows == 7


def test_keep_one_is_the_rise_with_the_word_alone():
    e = gmask.explain(rule_model([[(0, "cat")]]), *PAIR, method="keep-one")
    assert e.attributions == pytest.approx([0, 0.9, 0, 0, 0, 0])
    assert e.rows == 7


def test_neither_sees_either_of_two_couples():
    model = rule_model([[(0, "the"), (1, "a")], [(0, "cat"), (1, "dog")]])
    for method in ("leave-one-out", "keep-one"):
        assert not np.any(gmask.explain(model, *PAIR, method=method).attributions)


def test_random_is_random_but_the_same_for_a_seed():
    model = rule_model([[(0, "cat")]])
    one, same, other = (gmask.explain(model, *PAIR, method="random", seed=s).attributions for s in (1, 1, 2))
    assert one == same != other
