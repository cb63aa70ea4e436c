"""Every method finds planted words; the control does not."""

from __future__ import annotations

import pytest

import gmask
from gmask.bench.planted import RULES, Case, PlantedModel, cases, find_planted

# A selector is trained in its own test; there, too, are those that take a second or more a pair. What knows a measure,
# or is there to check it, looks for no reasons.
METHODS = [m for m in gmask.methods() if m not in ("random", "l2x", "proxyspex", "best-order", "shuffled")]
QUICK = {"anchors": "anchors:samples=500", "parallel-local-search": "parallel-local-search:samples=200"}


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_planted_word_is_found_in_95_of_100_random_cases(method):
    assert find_planted(QUICK.get(method, method), "A", count=100).on_top >= 0.95


def test_the_random_control_fails_that_test():
    assert find_planted("random", "A", count=100).on_top < 0.3


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", ["gmask", "shapley-interactions", "lime", "kernelshap", "integrated-gradients", "iba"]
)
def test_partners_across_the_sentences_are_found(method):
    assert find_planted(method, "A and B", count=20).on_top >= 0.95


@pytest.mark.parametrize("rule", RULES)
def test_the_planted_model_says_yes_to_its_rules_and_to_nothing_less(rule):
    for case in cases(rule, 20):
        bound = PlantedModel(case.rules).bind(case.first, case.second)
        at = {(w.sentence, w.text): i for i, w in enumerate(bound.words)}
        for planted in case.rules:
            only = [[i in {at[literal] for literal in planted} for i in range(len(bound.words))]]
            assert bound(only)[0, 1] > 0.9
            for literal in planted:
                less = [[kept and i != at[literal] for i, kept in enumerate(only[0])]]
                assert bound(less)[0, 1] < 0.1


def test_gmask_leads_in_finding_the_groups_themselves():
    found = {m: find_planted(m, "(A and B) or (C and D)", count=10).as_groups for m in ("gmask", "archipelago", "lime")}
    assert found["gmask"] == max(found.values()) >= 0.9
    assert found["lime"] == 0


def test_cases_repeat_for_a_seed_and_differ_between_seeds():
    one, same, other = (list(cases("A and B", 3, seed)) for seed in (0, 0, 1))
    assert one == same != other
    assert isinstance(one[0], Case)
    assert len(one[0].words) == 2
