"""Sufficient input subsets: each is enough, disjoint, until the rest is not."""

from __future__ import annotations

import numpy as np
import pytest

import gmask
from gmask.bench.planted import RULES, find_planted
from tests.toys import rule_model

PAIR = ("a b c d", "x y z")


@pytest.mark.parametrize("rule", RULES)
def test_the_subsets_are_the_planted_rules(rule):
    found = find_planted("sis", rule, count=10)
    assert found.as_groups == found.on_top == 1


def test_subsets_are_found_until_the_rest_is_not_enough():
    e = gmask.explain(rule_model([[(0, "a")], [(0, "b"), (1, "y")], [(0, "c")]]), *PAIR, method="sis")
    assert {g.members for g in e.groups} == {(0,), (2,), (1, 5)}
    assert all(g.kept == pytest.approx(0.95) for g in e.groups)
    assert [w.text for w in e.top(9)] == [e.words[i].text for i in e.order()[:4]]  # no word outside the subsets
    assert len(gmask.explain(rule_model([[(0, "a")], [(0, "c")]]), *PAIR, method="sis", subsets=1).groups) == 1


def test_enough_is_a_share_of_the_way_from_no_words_to_all():
    def box(pairs):
        return [0.1 + 0.2 * ("a" in f.split()) + 0.6 * ("x" in s.split()) for f, s in pairs]

    model = gmask.load(box, labels=["no", "yes"])
    for threshold, members in ((0.9, (0, 4)), (0.7, (4,))):
        e = gmask.explain(model, *PAIR, method="sis", threshold=threshold)
        assert [g.members for g in e.groups] == [members]
        assert e.details["threshold"] == pytest.approx(0.1 + threshold * 0.8)


def test_all_candidates_of_a_step_are_asked_about_in_one_call():
    calls = []

    def box(pairs):
        calls.append(len(pairs))
        return [0.9 if "a" in f.split() else 0.1 for f, _ in pairs]

    e = gmask.explain(gmask.load(box, labels=["no", "yes"]), *PAIR, method="sis")
    assert e.rows <= 2 + 7 * 8 // 2 + 1
    assert len(calls) <= 12  # all and none, six steps, the rest, the evidence, and the pair again


def test_long_pairs_cost_a_bounded_number_of_rows_and_their_rules_are_found():
    first, second = (" ".join(f"{side}{i}" for i in range(40)) for side in "ab")
    e = gmask.explain(rule_model([[(0, "a7")], [(0, "a30"), (1, "b3")]]), first, second, method="sis", words=8)
    assert (7,) in {g.members for g in e.groups}
    assert e.rows < 2 + 2 * 80 + len(e.groups) * (8 * 9 // 2 + 80) + 20


def test_where_all_words_say_no_more_than_none_there_is_no_subset():
    e = gmask.explain(rule_model([[(0, "nowhere")]]), *PAIR, method="sis")
    assert e.groups == ()
    assert np.max(e.attributions) < 1e-5


def test_a_threshold_above_1_is_refused():
    with pytest.raises(gmask.GmaskError, match="threshold of sis is a share"):
        gmask.explain(rule_model([[(0, "a")]]), *PAIR, method="sis", threshold=1.5)
