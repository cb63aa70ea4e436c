"""The settings of methods: what is no value for one is refused in one line."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gmask
from gmask.errors import GmaskError
from gmask.method.base import create


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("gmask", {"margin": 0}, "margin of gmask must be a finite number of at least 0.001, not 0"),
        ("gmask", {"necessity": math.nan}, "necessity of gmask must be a finite number of at least 0, not nan"),
        ("gmask", {"necessity": math.inf}, "not inf"),
        ("gmask", {"spare": math.inf}, "not inf"),
        ("gmask", {"spare": 10**400}, "a finite number of at least 0, not 1000"),
        ("gmask", {"k": 5.5}, "k of gmask must be a whole number of at least 1, not 5.5"),
        ("gmask", {"k": True}, "a whole number of at least 1, not True"),
        ("lime", {"samples": 20.5}, "a whole number of at least 2, not 20.5"),
        ("lime", {"samples": "20"}, "a whole number of at least 2, not '20'"),
        ("lime", {"samples": None}, "a whole number of at least 2, not None"),
        ("lime", {"samples": [20]}, "a whole number"),
        ("shapley", {"samples": -5}, "a whole number of at least 1, not -5"),
        ("iba", {"start": "five"}, "start of iba must be a finite number, not 'five'"),
    ],
)
def test_what_is_no_value_for_a_setting_is_refused(method, options, message):
    with pytest.raises(GmaskError) as error:
        create(method, **options)
    assert message in str(error.value)


def test_numbers_of_numpy_are_plain_numbers_in_the_record():
    method = create("lime", samples=np.int64(20), width=np.float32(0.5))
    assert [type(method.settings[name]) for name in ("samples", "width")] == [int, float]


def test_whole_numbers_serve_where_a_number_does():
    assert create("gmask", necessity=3).settings["necessity"] == 3


@pytest.mark.parametrize(
    "options", [{"method": "imask", "solver": "gradient"}, {"preset": "paper", "solver": "sampling"}]
)
def test_weights_of_words_are_not_learned_where_removing_has_no_slope(options):
    model = gmask.load("nli-dattn")
    with pytest.raises(GmaskError, match=r"'delete' has no slope .* removals with one: drop, zero$"):
        gmask.Explainer(model, removal="delete", **options)
    gmask.Explainer(model, removal="zero", **options)


def test_gradients_of_embeddings_do_not_depend_on_how_words_are_removed():
    model = gmask.load("nli-dattn")
    found = [
        gmask.explain(model, "a loud band", "a quiet man", method="gradient-x-input", removal=r)
        for r in ("drop", "delete")
    ]
    assert found[0].attributions == found[1].attributions
