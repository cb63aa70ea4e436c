"""Parallel local search: the best sets, within a budget."""

from __future__ import annotations

from itertools import combinations

import pytest

import gmask
from gmask.bench.planted import find_planted
from tests.toys import VOCABULARY, rule_model

FIRST, SECOND = " ".join(VOCABULARY[:10]), " ".join(VOCABULARY[10:20])


def box(pairs):
    """Words are worth what the place of their first letter says, and two of them more together."""

    def worth(words):
        return sum(ord(w[0]) - 97 for w in words) + 30 * ({"amber", "birch"} <= set(words))

    return [worth([*a.split(), *b.split()]) / 500 for a, b in pairs]


@pytest.mark.parametrize("objective", ["sufficiency", "comprehensiveness"])
def test_the_best_set_of_every_size_is_found_where_there_are_few(objective):
    model, pair = gmask.load(box, labels=["no", "yes"]), ("amber birch cedar", "topaz violet willow")
    e = gmask.explain(model, *pair, method="parallel-local-search", objective=objective, target="yes")
    bound = model.bind(*pair)
    for found in e.details["subsets"]:
        rows = [
            [(i in s) == (objective == "sufficiency") for i in range(6)] for s in combinations(range(6), len(found))
        ]
        best = max if objective == "sufficiency" else min
        own = [(i in found) == (objective == "sufficiency") for i in range(6)]
        assert bound([own])[0, 1] == pytest.approx(best(bound(rows)[:, 1]))


def test_an_attribution_is_the_share_of_sizes_whose_best_set_has_the_word():
    e = gmask.explain(rule_model([[(0, "amber"), (1, "lotus")]]), FIRST, SECOND, method="parallel-local-search")
    sets = e.details["subsets"]
    assert [len(s) for s in sets] == [1, 2, 4, 10]
    for i, attribution in enumerate(e.attributions):
        assert attribution == pytest.approx(sum(i in s for s in sets) / len(sets), abs=1e-5)
    assert {w.text for w in e.top(2)} == {"amber", "lotus"}


@pytest.mark.parametrize("rule", ["A", "A and B"])
def test_planted_words_are_found(rule):
    assert find_planted("parallel-local-search", rule, count=3).on_top == 1


def test_the_budget_is_kept_and_the_seed_decides():
    options = {"method": "parallel-local-search", "samples": 60, "restarts": 4}
    model = rule_model([[(0, "amber"), (1, "lotus")]])
    one, same, other = (gmask.explain(model, FIRST, SECOND, seed=s, **options) for s in (0, 0, 1))
    assert one.rows <= 60
    assert one.attributions == same.attributions != other.attributions


def test_one_word_sentences_work():
    e = gmask.explain(rule_model([[(0, "cat"), (1, "dog")]]), "cat", "dog", method="parallel-local-search", samples=16)
    assert e.details["subsets"] == [[0]] or e.details["subsets"] == [[1]]
