"""Anchors: words that keep the answer, found by a beam search with bounds."""

from __future__ import annotations

import numpy as np
import pytest

import gmask
from gmask.bench.planted import find_planted
from gmask.method.anchors import bounds
from tests.toys import rule_model, sentences


@pytest.mark.parametrize("rule", ["A", "A and B"])
def test_the_anchor_is_the_planted_rule(rule):
    found = find_planted("anchors", rule, count=3)
    assert found.as_groups == found.on_top == 1


def test_either_of_two_rules_is_an_anchor_and_no_more():
    e = gmask.explain(rule_model([[(0, "b"), (1, "x")], [(0, "d"), (1, "y")]]), "a b c d", "x y z w", method="anchors")
    (group,) = e.groups
    assert {e.words[i].text for i in group.members} in ({"b", "x"}, {"d", "y"})
    assert e.details["found"]
    assert e.details["precision"] >= 0.95
    assert e.details["coverage"] == 0.25
    assert group.importance == pytest.approx(1 - 7 / 16, abs=0.2)  # what chance alone gives


def test_the_precision_told_is_that_of_random_removals():
    model = rule_model([[(0, "b"), (1, "x")]])
    e = gmask.explain(model, "a b c d", "x y z w", method="anchors")
    rows = np.random.default_rng(1).random((400, 8)) < 0.5
    rows[:, list(e.groups[0].members)] = True
    assert (model.bind("a b c d", "x y z w")(rows)[:, 1] > 0.5).mean() >= 0.95


def test_where_the_answer_stays_whatever_goes_there_is_no_anchor_to_have():
    e = gmask.explain(rule_model([[(0, "nowhere")]]), "a b c d", "x y z w", method="anchors")
    assert e.groups == ()
    assert e.details["coverage"] == 1
    assert e.top(8) == []


def test_the_budget_is_kept_and_the_best_rule_so_far_told():
    a, b = sentences(np.random.default_rng(0), 12)
    model = rule_model([[(0, w) for w in a[:5]] + [(1, w) for w in b[:5]]])
    e = gmask.explain(model, " ".join(a), " ".join(b), method="anchors", samples=200)
    assert e.rows <= 200
    assert not e.details["found"]


def test_of_long_pairs_rules_are_made_of_the_words_that_seem_to_matter():
    first, second = (" ".join(f"{side}{i}" for i in range(30)) for side in "ab")
    e = gmask.explain(rule_model([[(0, "a7"), (1, "b21")]]), first, second, method="anchors", words=6, samples=800)
    assert {e.words[i].text for i in e.groups[0].members} == {"a7", "b21"}
    assert e.rows <= 800 + 2 + 2 * 60


@pytest.mark.parametrize(("mean", "count"), [(0.0, 10), (0.3, 25), (1.0, 40)])
def test_bounds_are_where_the_divergence_reaches_beta(mean, count):
    def divergence(q):
        return sum(a * np.log(a / b) for a, b in ((mean, q), (1 - mean, 1 - q)) if a > 0)

    low, high = bounds(mean, count, 3.0)
    for end, edge in ((low, 0.0), (high, 1.0)):
        assert end == pytest.approx(edge, abs=1e-4) or divergence(end) * count == pytest.approx(3.0, abs=1e-2)
    assert low <= mean <= high
    assert bounds(mean, 0, 3.0) == (0, 1)


def test_a_share_of_1_is_refused():
    with pytest.raises(gmask.GmaskError, match="precision of anchors is a share, below 1, not 1"):
        gmask.explain(rule_model([[(0, "a")]]), "a b", "c d", method="anchors", precision=1)
