"""No order of its words is more faithful, and it does not promise more words than it can ask about."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gmask
from tests.toys import ScoreModel


def test_no_order_of_its_words_is_better():
    effects = np.random.default_rng(0).normal(size=(6, 6))
    model = ScoreModel(lambda w, _: ((w @ effects.astype(np.float32)) * w).sum(1) - 0.5)
    e = gmask.explain(model, "a b c", "d e f", method="optimal", target="yes", reference="empty")
    bound = model.bind("a b c", "d e f")

    def worth(order):
        kept = np.array([[j in order[:v] for j in range(6)] for v in range(1, 7)])
        only, without = np.split(bound(np.concatenate([kept, ~kept]))[:, 1], 2)
        return (only - without).sum()

    assert worth(e.order()) == pytest.approx(max(map(worth, itertools.permutations(range(6)))), abs=1e-6)


def test_more_words_than_can_be_asked_about_are_refused():
    with pytest.raises(ValueError, match=r"k of optimal is at most 10, since .* not 14"):
        gmask.explain(ScoreModel(lambda w, _: w.sum(1)), "a b c", "d e f", method="optimal", k=14)
