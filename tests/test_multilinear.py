"""Tables over subsets against brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gmask.multilinear import best_order, complete, extension, shapley, sizes, subsets, superset_means


def brute_force(table: np.ndarray, p: np.ndarray) -> float:
    total = 0.0
    for index, members in enumerate(itertools.product([False, True], repeat=len(p))):
        members = members[::-1]  # word j is bit j
        total += table[index] * math.prod(q if m else 1 - q for q, m in zip(p, members, strict=True))
    return total


def test_subsets_are_the_bits_of_their_index():
    assert subsets(3)[0b110].tolist() == [False, True, True]
    assert sizes(3).tolist() == [0, 1, 1, 2, 1, 2, 2, 3]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.integers(0, 10_000))
def test_the_extension_and_its_gradient_equal_the_sum_over_all_subsets(k, seed):
    random = np.random.default_rng(seed)
    table, p = random.normal(size=2**k), random.random((2, 3, k))
    value, gradient = extension(table, p)
    for place in np.ndindex(2, 3):
        assert value[place] == pytest.approx(brute_force(table, p[place]), abs=1e-12)
        for j in range(k):
            high, low = p[place].copy(), p[place].copy()
            high[j], low[j] = 1, 0
            assert gradient[place][j] == pytest.approx(brute_force(table, high) - brute_force(table, low), abs=1e-12)


@pytest.mark.parametrize("k", [1, 2, 5, 8])
def test_shapley_values_equal_the_average_over_all_orders(k):
    table = np.random.default_rng(k).normal(size=2**k)
    expected = np.zeros(k)
    for j in range(k):
        for rest in range(2**k):
            if not rest >> j & 1:
                size = rest.bit_count()
                weight = math.factorial(size) * math.factorial(k - size - 1) / math.factorial(k)
                expected[j] += weight * (table[rest | 1 << j] - table[rest])
    assert shapley(table) == pytest.approx(expected, abs=1e-12)


def test_the_best_order_is_the_best_of_all_orders():
    k = 5
    gain = np.random.default_rng(0).normal(size=2**k)

    def worth(order):
        prefixes = itertools.accumulate((1 << j for j in order), lambda a, b: a | b)
        return sum(gain[s] for s in prefixes)

    assert worth(best_order(gain)) == pytest.approx(max(map(worth, itertools.permutations(range(k)))))


def test_a_table_of_words_and_pairs_is_completed_from_a_sample():
    k, random = 8, np.random.default_rng(1)
    signs = 2.0 * subsets(k) - 1
    table = signs @ random.normal(size=k) + signs[:, 0] * signs[:, 5]
    known = np.sort(random.choice(2**k, 150, replace=False))
    completed = complete(k, known, table[known])
    assert completed[known] == pytest.approx(table[known])
    assert np.corrcoef(completed, table)[0, 1] > 0.99


def test_superset_means_are_means_over_supersets():
    table = np.random.default_rng(0).random(32)
    expected = [np.mean([table[s] for s in range(32) if s & g == g]) for g in range(32)]
    assert superset_means(table) == pytest.approx(expected)
