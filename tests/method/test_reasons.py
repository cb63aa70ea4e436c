"""Reasons against brute force over all assignments, and rules with known answers."""

from __future__ import annotations

import itertools
from statistics import harmonic_mean

import numpy as np
import pytest

from gmask.explanation import MEMBER
from gmask.method.reasons import CARRIES, FLOOR, find_reasons
from gmask.multilinear import subsets


def tables(rule, k=8, high=0.95, low=0.05):
    kept = subsets(k)
    return np.where(rule(kept), high, low), np.where(rule(~kept), high, low)


def objective(only, without, groups, necessity=1.0, brevity=0.03, spare=0.3, margin=0.1):
    """The formula of the module's docstring, word by word."""
    holding = [[max(only[s], FLOOR) for s in range(len(only)) if s & g == g] for g in range(len(only))]
    a = [-np.log(harmonic_mean(some)) for some in holding]
    union = sum(groups)
    value = sum(a[g] for g in groups) / len(groups)
    value -= necessity * np.log(max(1 - without[union], FLOOR))
    value += brevity * union.bit_count()
    level = only[0] + CARRIES * (without[0] - only[0])
    for g in groups:
        value += max(0, np.log(level / max(only[g], FLOOR)))
        for j in range(g.bit_length()):
            if g >> j & 1:
                value += spare * min(1, max(0, 1 - (a[g & ~(1 << j)] - a[g]) / margin))
    return value


@pytest.mark.parametrize("seed", range(5))
def test_no_assignment_of_words_to_groups_is_better(seed):
    k, t = 4, 3
    random = np.random.default_rng(seed)
    only, without = random.random(2**k), random.random(2**k)
    best = np.inf
    for places in itertools.product(range(t + 1), repeat=k):  # t means in no group
        groups = [sum(1 << j for j in range(k) if places[j] == i) for i in range(t)]
        if groups := [g for g in groups if g]:
            best = min(best, objective(only, without, groups))
    found = find_reasons(only, without, groups=t)
    assert found.objective == pytest.approx(best)
    assert objective(only, without, list(found.groups)) == pytest.approx(found.objective)


@pytest.mark.parametrize(
    ("rule", "groups"),
    [
        (lambda s: s[:, 2], [0b100]),
        (lambda s: s[:, 0] & s[:, 5], [0b100001]),
        (lambda s: s[:, 1] & s[:, 2] & s[:, 6], [0b1000110]),
        (lambda s: (s[:, 0] & s[:, 1]) | (s[:, 2] & s[:, 3]), [0b11, 0b1100]),
        (lambda s: (s[:, 0] & s[:, 1] & s[:, 2]) | (s[:, 5] & s[:, 6] & s[:, 7]), [0b111, 0b11100000]),
        (lambda s: s[:, 0] | (s[:, 3] & s[:, 4]), [0b1, 0b11000]),
        (lambda s: s[:, 0] ^ s[:, 3] ^ s[:, 4], [0b11001]),
        (lambda s: s[:, :6].any(axis=1), [1, 2, 4, 8, 16, 32]),
    ],
)
def test_a_rule_of_ands_and_ors_comes_back_as_its_reasons(rule, groups):
    found = find_reasons(*tables(rule))
    assert sorted(found.groups) == sorted(groups)


def test_memberships_are_firm_where_a_rule_is_firm():
    found = find_reasons(*tables(lambda s: s[:, 0] & s[:, 5]))
    assert found.phi[[0, 5], 0] == pytest.approx([1, 1], abs=1e-3)
    assert found.phi[[1, 2, 3, 4, 6, 7], 0].max() < 0.5


@pytest.mark.parametrize("seed", range(40))
def test_the_words_that_were_found_are_the_members_and_no_others(seed):
    only, without = np.random.default_rng(seed).random((2, 2**6)) ** 3
    found = find_reasons(only, without)
    members = [sum(1 << j for j in np.flatnonzero(column >= MEMBER)) for column in found.phi.T]
    assert members == list(found.groups)
    assert (found.phi.sum(axis=1) <= 1 + 1e-12).all()


def test_one_word_alone_is_found():
    found = find_reasons(np.array([0.1, 0.9]), np.array([0.9, 0.1]))
    assert found.groups == (1,)


def test_a_word_that_helps_but_does_not_carry_the_answer_is_no_reason():
    kept = subsets(4)
    only = np.where(kept[:, 0] & kept[:, 1], 0.99, np.where(kept[:, 0], 0.7, 0.1))
    found = find_reasons(only, only[::-1])
    assert found.groups == (0b11,)
