"""An explainer made worse by a known amount, and whether measures see it."""

from __future__ import annotations

import numpy as np
import pytest

import gmask
from gmask.dataset.example import Example
from tests.toys import VOCABULARY, ScoreModel


def ladder(w, words):
    """Each word of the first text counts more than the one after it."""
    return 1.5 * w[:, :6].mul(w.new_tensor([6, 5, 4, 3, 2, 1])).sum(1) / 3 - 4


def test_so_many_words_change_places_and_no_others():
    pair = (" ".join(VOCABULARY[:6]), " ".join(VOCABULARY[6:10]))
    own = gmask.explain(ScoreModel(ladder), *pair, method="leave-one-out").order()
    for share, moved in ((0.0, 2), (0.3, 3), (1.0, 10)):
        e = gmask.explain(ScoreModel(ladder), *pair, method="shuffled", of="leave-one-out", share=share)
        assert sum(a != b for a, b in zip(own, e.order(), strict=True)) == moved


def test_the_measures_know_their_rank():
    random = np.random.default_rng(0)
    pairs = [Example(" ".join(random.permutation(VOCABULARY[:6])), " ".join(VOCABULARY[6:12])) for _ in range(40)]
    methods = ["leave-one-out", *(f"shuffled:of=leave-one-out:share={share}" for share in (0.1, 0.3, 0.5))]
    r = gmask.evaluate(ScoreModel(ladder), pairs, methods=methods, metrics=["aopc", "degradation"], reference="empty")
    for metric in ("aopc", "degradation"):
        figures = [r[method][metric] for method in methods]
        assert figures == sorted(figures, reverse=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"share": 1.5}, "at most 1"), ({"of": "shuffled"}, "of another method"), ({"of": "x"}, "unknown method")],
)
def test_what_cannot_be_is_refused(options, message):
    with pytest.raises(gmask.GmaskError, match=message):
        gmask.explain(ScoreModel(ladder), "a b c d", "e f", method="shuffled", **options)
