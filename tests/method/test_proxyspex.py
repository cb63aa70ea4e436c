"""ProxySPEX through shapiq, asked through the door."""

from __future__ import annotations

import sys

import pytest

import gmask
from tests.toys import VOCABULARY, rule_model

FIRST, SECOND = " ".join(VOCABULARY[:8]), " ".join(VOCABULARY[8:16])
COUPLE = [(0, "cedar"), (1, "kelp")]


def test_sets_of_three_words_are_found_within_the_budget():
    pytest.importorskip("lightgbm")
    e = gmask.explain(rule_model([[*COUPLE, (1, "opal")]]), FIRST, SECOND, method="proxyspex", samples=300)
    (group,) = e.groups
    assert {e.words[i].text for i in group.members} == {"cedar", "kelp", "opal"}
    assert e.attributions[2] == pytest.approx(0.3, abs=1e-3)  # a third of what the three do
    assert e.details["interactions"][0] == [2, 10, 14, pytest.approx(0.9, abs=1e-3)]
    assert e.rows <= 300


def test_trees_that_find_nothing_find_no_groups():
    pytest.importorskip("lightgbm")
    e = gmask.explain(rule_model([[(0, "nowhere")]]), FIRST, SECOND, method="proxyspex", samples=64)
    assert e.groups == ()
    assert not any(e.attributions)


def test_few_words_are_exact():
    e = gmask.explain(rule_model([COUPLE]), "amber cedar", "kelp opal", method="proxyspex")
    assert e.details["exact"] is True
    assert e.attributions == pytest.approx([0, 0.45, 0.45, 0])
    assert e.details["interactions"] == [[1, 2, pytest.approx(0.9)]]


@pytest.mark.parametrize("missing", ["shapiq", "lightgbm"])
def test_without_its_libraries_the_error_names_the_extra(monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(gmask.GmaskError, match=r"pip install \"gmask\[methods\]\""):
        gmask.explain(rule_model([COUPLE]), FIRST, SECOND, method="proxyspex", samples=64)
