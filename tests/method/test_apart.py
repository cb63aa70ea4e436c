"""Models that encode the two texts apart: whole tables, few encodings, and the reasons that were planted."""

from __future__ import annotations

import numpy as np
import pytest

import gmask
from gmask.bench.encoders import RULES, PlantedEncoder, cases, exact, explained
from gmask.explainer import Explainer

LONG = [f"word{i}" for i in range(60)]


@pytest.mark.parametrize("rule", RULES)
def test_planted_reasons_are_found_with_few_encodings(rule):
    found = list(explained(rule, 20, seed=1))
    assert sum(exact(case, e) for case, e in found) >= 19
    assert max(max(e.details["encodings"]) for _, e in found) <= 60
    assert all(e.details["exact"] and e.target == "high" for _, e in found)


def test_the_encodings_that_are_told_are_those_that_were_made():
    (case,) = cases("A and B", 1)
    model = PlantedEncoder(case.rules)
    e = gmask.explain(model, case.first, case.second)
    assert e.details["encodings"] == model.encoded


def test_more_encodings_make_larger_tables():
    (case,) = cases("A and B and C", 1, seed=3)
    few, many = (
        Explainer(PlantedEncoder(case.rules), preset=p)(case.first, case.second) for p in ("reasons", "thorough")
    )
    assert len(few.details["candidates"]) < len(many.details["candidates"]) <= 13
    assert many.details["exact"]
    assert max(many.details["encodings"]) <= 500


def test_a_word_beside_which_another_would_do_is_a_candidate():
    case = next(cases("(A and B) or (C and D)", 1, seed=2))
    model = PlantedEncoder(case.rules)
    e = gmask.explain(model, case.first, case.second)
    planted = {literal for rule in case.rules for literal in rule}
    found = {(e.words[i].sentence, e.words[i].text) for i in e.details["candidates"]}
    assert planted <= found


@pytest.mark.parametrize("removal", ["delete", "drop+delete"])
def test_other_removals_find_the_same(removal):
    case = next(cases("A and B", 1, seed=4))
    e = gmask.explain(PlantedEncoder(case.rules), case.first, case.second, removal=removal)
    assert exact(case, e)
    assert max(e.details["encodings"]) <= 60


@pytest.mark.parametrize(("first", "second"), [("guitar", "banjo"), ("guitar", " ".join(LONG)), ("a b", "a b c")])
def test_texts_of_any_length_are_explained(first, second):
    model = PlantedEncoder([frozenset({(0, first.split()[0]), (1, second.split()[0])})])
    e = gmask.explain(model, first, second)
    assert len(e.attributions) == len(e.words)
    assert np.isfinite(e.attributions).all()


def test_a_model_that_reads_texts_together_counts_no_encodings():
    e = gmask.explain(lambda pairs: [float(a == b) for a, b in pairs], "a cat", "a cat")
    assert "encodings" not in e.details


def test_the_planted_rule_is_what_the_encodings_say():
    model = PlantedEncoder([frozenset({(0, "a"), (1, "b")}), frozenset({(0, "c"), (1, "d")})])
    pairs = (("a x", "b y"), ("a x", "d y"), ("c x", "d b"))
    said = [model.bind(*pair)(np.ones((1, 4), bool))[0, 0] for pair in pairs]
    np.testing.assert_allclose(said, [1, 0, 1], atol=0.1)
