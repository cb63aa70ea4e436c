"""Every faithfulness metric against its obvious implementation and against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

import gmask
from gmask.metric.degradation import Degradation
from gmask.model.callable import CallableModel
from tests.metric import obvious

NAMES = ("aopc", "comprehensiveness", "degradation", "log_odds", "sufficiency")


OTHERS = [("It rained all night.", "The shop is closed"), ("nobody", "two of them"), ("a far hill", "rust")]


@pytest.fixture(scope="module", params=[(method, held) for method in ("random", "leave-one-out") for held in (0, 3)])
def study(request):
    """Figures of 12 pairs under a black box, and the same pairs for the obvious implementations."""
    method, others = request.param[0], OTHERS[: request.param[1]]
    results = gmask.evaluate(
        CallableModel(obvious.noise), obvious.pairs(12), methods=[method], seed=3, reference=others or "empty"
    )
    found = [
        obvious.Pair(obvious.noise, r.explanation.first, r.explanation.second, r.explanation.order(), others)
        for r in results.records(method)
    ]
    return results[method], found


@pytest.mark.parametrize("name", NAMES)
def test_equals_the_obvious_implementation(study, name):
    figures, found = study
    assert figures[name] == pytest.approx(getattr(obvious, name)(found), abs=1e-12)


def test_post_hoc_accuracy_equals_the_obvious_implementation(study):
    figures, found = study
    wanted = [obvious.post_hoc_accuracy(found, v) for v in range(1, 11)]
    assert figures["post_hoc_accuracy"] == pytest.approx(wanted)
    assert 0 < sum(wanted) < 10  # the black box leaves something to tell apart


# By hand: a pair of four words; the answer is 0.9 with "key", 0.4 without; "one" takes 0.2 away if "key" is there.
def toy(pairs):
    return [(0.9 - 0.2 * ("one" in a) if "key" in b else 0.4) for a, b in pairs]


@pytest.fixture(scope="module")
def by_hand():
    """Leave-one-out gives: one -0.2, two 0, key 0.3, four 0; so the order is key, two, four, one."""
    results = gmask.evaluate(CallableModel(toy), [("one two", "key four")], methods=["leave-one-out"])
    (record,) = results.records("leave-one-out")
    e = record.explanation
    assert [e.words[i].text for i in e.order()] == ["key", "two", "four", "one"]
    return results["leave-one-out"]


def test_aopc_by_hand(by_hand):
    # All words 0.7; without the top 1, 2, 3, 4 words 0.4 each, and 0.4 again for u = 5..10: ten falls of 0.3 over 11.
    assert by_hand["aopc"] == pytest.approx(10 * 0.3 / 11)


def test_post_hoc_accuracy_by_hand(by_hand):
    # With "key" the answer is above one half: yes, like the whole pair's, whatever else is kept.
    assert by_hand["post_hoc_accuracy"] == [1.0] * 10


def test_degradation_by_hand(by_hand):
    # MoRF: 0.7 0.4 0.4 0.4 0.4; LeRF (one, four, two, key go): 0.7 0.9 0.9 0.9 0.4. Normalised by 0.7 - 0.4 = 0.3,
    # the gaps 0, 5/3, 5/3, 5/3, 0 at quarters make an area of 5/3 * 3/4.
    assert by_hand["degradation"] == pytest.approx(5 / 4)


def test_eraser_by_hand(by_hand):
    # 1, 5, 10 and 20 % of four words are one word, 50 % two. Without: 0.3 each. Only "key", or "key two": 0.7 - 0.9.
    assert by_hand["comprehensiveness"] == pytest.approx(0.3)
    assert by_hand["sufficiency"] == pytest.approx(-0.2)


def test_log_odds_by_hand(by_hand):
    assert by_hand["log_odds"] == pytest.approx(np.log(0.4 / 0.7))


def test_degradation_normalises_averages_not_pairs():
    metric = Degradation()
    curves = [[0.8, 0.5, 0.2, 0.8, 0.7, 0.2], [0.3, 0.3, 0.2, 0.3, 0.25, 0.2]]  # MoRF then LeRF of two pairs
    mean = np.mean([metric.common(c) for c in curves], axis=0)
    averaged = (0.2 + 0.0) / 2 - (-0.05 + 0.0) / 2  # LeRF - MoRF in the middle: 0.2 and -0.05
    averaged = (0.2 - 0.05) / 2
    full_minus_none = (0.6 + 0.1) / 2
    assert metric.figure(mean)[0] == pytest.approx(averaged / full_minus_none / 2)


def test_there_is_no_degradation_score_where_words_make_no_difference():
    results = gmask.evaluate(CallableModel(lambda pairs: [0.9] * len(pairs)), [("a b", "c d")], methods=["random"])
    assert np.isnan(results["random"]["degradation"])


def test_a_pair_shorter_than_ten_words_repeats_the_empty_pair():
    falls = gmask.evaluate(CallableModel(toy), [("two", "key")], methods=["leave-one-out"])["leave-one-out"]["aopc"]
    assert falls == pytest.approx(10 * (0.9 - 0.4) / 11)
