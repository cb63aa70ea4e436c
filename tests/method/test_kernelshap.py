"""KernelSHAP against enumeration."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import gmask
from gmask.method.kernelshap import coalitions, solve
from gmask.multilinear import shapley, subsets
from tests.toys import rule_model


def by_hand(table, n):
    """Shapley values as the definition has them: the average over all orders."""
    phi = np.zeros(n)
    orders = list(permutations(range(n)))
    for order in orders:
        seen = 0
        for j in order:
            phi[j] += table[seen | 1 << j] - table[seen]
            seen |= 1 << j
    return phi / len(orders)


def table_of(n, seed=0):
    return np.random.default_rng(seed).random(2**n)


def ask(table, rows):
    return table[rows @ (1 << np.arange(rows.shape[1]))]


@pytest.mark.parametrize("n", [2, 3, 5, 6])
def test_the_enumeration_it_is_held_against_is_the_definition(n):
    table = table_of(n)
    assert shapley(table) == pytest.approx(by_hand(table, n), abs=1e-12)


@pytest.mark.parametrize("n", range(2, 11))
def test_with_room_for_all_subsets_it_is_exact(n):
    table = table_of(n)
    rows, weights = coalitions(np.random.default_rng(0), 2**n, n)
    assert len(rows) == 2**n - 2
    assert solve(rows, weights, ask(table, rows), table[0], table[-1]) == pytest.approx(shapley(table), abs=1e-6)


def test_with_less_room_it_is_within_the_sampling_error_and_more_room_is_better():
    n, random = 10, np.random.default_rng(3)
    z = subsets(n)
    table = 1 / (1 + np.exp(-(z @ random.normal(size=n)) - 2.0 * (z[:, 0] & z[:, 7])))
    errors = {}
    for budget in (60, 200, 600):
        gaps = []
        for seed in range(20):
            rows, weights = coalitions(np.random.default_rng(seed), budget, n)
            gaps.append(solve(rows, weights, ask(table, rows), table[0], table[-1]) - shapley(table))
        gaps = np.array(gaps)
        errors[budget] = np.sqrt((gaps**2).mean())
        standard = gaps.std(axis=0, ddof=1) / np.sqrt(len(gaps))
        assert (abs(gaps.mean(axis=0)) <= 4 * standard + 1e-3).all()  # no bias beyond the noise
    assert errors[600] < errors[200] < errors[60] < 0.05


@pytest.mark.parametrize(("n", "budget"), [(5, 12), (8, 100), (10, 900), (10, 1021), (12, 998), (40, 998), (300, 98)])
def test_rows_are_different_within_budget_and_come_with_their_complements(n, budget):
    rows, weights = coalitions(np.random.default_rng(0), budget, n)
    assert len(rows) <= budget
    assert len(np.unique(rows, axis=0)) == len(rows) == len(weights)
    assert {r.tobytes() for r in rows} == {(~r).tobytes() for r in rows}
    assert not rows.all(axis=1).any()
    assert rows.any(axis=1).all()
    assert (weights > 0).all()
    assert weights.sum() == pytest.approx(sum((n - 1) / (s * (n - s)) for s in range(1, n)))


@pytest.mark.parametrize("samples", [4, 50, 1000])
def test_attributions_add_up_to_the_change_and_the_budget_is_kept(samples):
    model = rule_model([[(0, "cat"), (1, "dog")]])
    e = gmask.explain(
        model, "the old cat sat on a mat", "my dog and your bird ran far", method="kernelshap", samples=samples
    )
    assert e.rows <= samples
    assert sum(e.attributions) == pytest.approx(e.value - e.evidence.nothing)
    assert e.details["exact"] is False


def test_few_words_are_exact():
    e = gmask.explain(rule_model([[(0, "cat"), (1, "dog")]]), "the cat sat", "a dog", method="kernelshap")
    assert e.details["exact"] is True
    assert e.attributions == pytest.approx([0, 0.45, 0, 0, 0.45], abs=1e-6)
