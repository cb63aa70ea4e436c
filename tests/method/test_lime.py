"""LIME against the `lime` package, and at the edges."""

from __future__ import annotations

import numpy as np
import pytest
from lime.lime_text import LimeTextExplainer

import gmask
from gmask.method.lime import fit, neighbours
from tests.toys import rule_model, sentences


def graded(pairs):
    """A box in which many words matter a little, and two more together."""
    weights = {"amber": 2.0, "birch": -1.5, "cedar": 1.0, "opal": 0.7, "sage": -0.4}
    scores = []
    for a, b in pairs:
        words = [*a.split(), *b.split()]
        z = sum(weights.get(w, 0.1) for w in words) + 2.0 * ("fjord" in a.split() and "fjord" in b.split())
        scores.append(1 / (1 + np.exp(-z + 1.5)))
    return scores


def package_sample(first, second, samples, seed):
    """What the package draws, what the box says of it, and the coefficients the package finds."""
    n = len(first.split()) + len(second.split())
    seen = {}

    def predict(texts):
        halves = [t.split("|") for t in texts]
        p = np.array(graded([(a, b) for a, b in halves]))
        seen["rows"] = np.array([[w != "_" for w in [*a.split(), *b.split()]] for a, b in halves])
        seen["values"] = p
        return np.stack([1 - p, p], axis=1)

    explainer = LimeTextExplainer(bow=False, mask_string="_", feature_selection="none", random_state=seed)
    explained = explainer.explain_instance(f"{first} | {second}", predict, num_features=n, num_samples=samples)
    return seen["rows"], seen["values"], np.array([w for _, w in sorted(explained.local_exp[1])])


@pytest.mark.parametrize("seed", range(5))
def test_given_the_same_samples_the_coefficients_are_those_of_the_lime_package(seed):
    a, b = sentences(np.random.default_rng(seed))
    rows, values, theirs = package_sample(" ".join(a), " ".join(b), 300, seed)
    ours, _ = fit(rows, values)
    assert np.corrcoef(ours, theirs)[0, 1] >= 0.95
    assert ours == pytest.approx(theirs, abs=1e-6)


def test_with_samples_of_its_own_it_agrees_with_the_package():
    a, b = sentences(np.random.default_rng(7))
    first, second = " ".join(a), " ".join(b)
    *_, theirs = package_sample(first, second, 2000, 0)
    e = gmask.explain(
        gmask.load(graded, labels=["no", "yes"]), first, second, method="lime", target="yes", samples=2000
    )
    assert np.corrcoef(e.attributions, theirs)[0, 1] >= 0.95


def test_the_whole_pair_comes_first_and_every_number_of_removed_words_is_equally_likely():
    rows = neighbours(np.random.default_rng(0), 6001, 6)
    assert rows[0].all()
    gone = (~rows[1:]).sum(axis=1)
    assert set(gone) == {1, 2, 3, 4, 5, 6}
    assert np.bincount(gone)[1:] / 6000 == pytest.approx(np.full(6, 1 / 6), abs=0.02)
    assert rows[1:].mean(axis=0) == pytest.approx(np.full(6, rows[1:].mean()), abs=0.02)


def test_a_linear_box_gives_its_own_coefficients_and_a_perfect_fit():
    rows = neighbours(np.random.default_rng(0), 500, 5)
    weights = np.array([0.3, 0.0, -0.2, 0.1, 0.05])
    found, r2 = fit(rows, rows @ weights + 0.2, alpha=0.0)
    assert found == pytest.approx(weights, abs=1e-8)
    assert r2 == pytest.approx(1)


def test_lasso_keeps_few_words():
    first, second = "amber birch cedar delta ember", "fjord grove heron indigo jasper"
    model = rule_model([[(0, "cedar")]])
    ridge, lasso = (gmask.explain(model, first, second, method="lime", regression=r) for r in ("ridge", "lasso"))
    assert lasso.top(1)[0].text == ridge.top(1)[0].text == "cedar"
    assert np.count_nonzero(lasso.attributions) < np.count_nonzero(ridge.attributions)


def test_it_asks_no_more_rows_than_samples_and_the_seed_decides():
    model = rule_model([[(0, "cat"), (1, "dog")]])
    pair = ("the old cat sat on a mat", "my dog and your bird ran far")
    one, same, other = (gmask.explain(model, *pair, method="lime", samples=100, seed=s) for s in (1, 1, 2))
    assert one.rows <= 100
    assert one.attributions == same.attributions != other.attributions


@pytest.mark.parametrize(
    ("options", "message"), [({"samples": 1}, "at least 2"), ({"regression": "tree"}, "valid: ridge, lasso")]
)
def test_wrong_settings_are_refused(options, message):
    with pytest.raises(gmask.GmaskError, match=message):
        gmask.explain(rule_model([[(0, "a")]]), "a b", "c d", method="lime", **options)
