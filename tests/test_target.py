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
