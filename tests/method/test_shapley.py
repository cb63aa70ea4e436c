"""Shapley values: exact, and from random orders."""

from __future__ import annotations

import numpy as np
import pytest

import gmask
from gmask.multilinear import shapley, subsets
from tests.toys import rule_model

LONG = ("the old cat sat on a mat", "my dog and your bird")


def logistic(pairs):
    """A box that every word moves, so that orders differ."""
    words = [(a + " " + b).split() for a, b in pairs]
    return [1 / (1 + np.exp(-sum((len(w) - 3) * 0.6 for w in ws) - 2 * ("cat" in ws and "dog" in ws))) for ws in words]


def exact(model, pair):
    bound = model.bind(*pair)
    return shapley(bound(subsets(len(bound.words)))[:, 1])


def test_few_words_are_enumerated():
    pair = ("the old cat sat", "my dog ran off")
    model = gmask.load(logistic, labels=["no", "yes"])
    e = gmask.explain(model, *pair, method="shapley", target="yes")
    assert e.details["exact"] is True
    assert e.rows == 2**8
    assert e.attributions == pytest.approx(exact(model, pair), abs=1e-6)


def test_many_words_are_sampled_to_within_the_error_it_reports():
    model = gmask.load(logistic, labels=["no", "yes"])
    truth = exact(model, LONG)
    z = []
    for seed in range(10):
        e = gmask.explain(model, *LONG, method="shapley", target="yes", seed=seed)
        assert e.details["exact"] is False
        assert e.rows <= 1000
        assert sum(e.attributions) == pytest.approx(e.value - e.evidence.nothing)
        z.append((np.array(e.attributions) - truth) / np.maximum(e.details["error"], 1e-4))
    assert np.mean(np.abs(z) < 3) > 0.97
    assert np.abs(np.mean(z)) < 0.5


def test_one_order_and_its_reverse_are_the_least():
    e = gmask.explain(rule_model([[(0, "cat")]]), *LONG, method="shapley", samples=1)
    assert e.details["error"] is None
    assert e.top(1)[0].text == "cat"
    assert e.rows <= 2 * 13
