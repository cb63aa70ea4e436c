"""No order beats what is called a bound, and no start beats what is found; neither does a loop written for it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

import gmask
from gmask.dataset.example import Example
from gmask.method.best_order import BestOrder
from gmask.method.order import by_order
from gmask.metric.base import Answers, Case, create
from gmask.target import Target
from tests.toys import ScoreModel

MEASURES = ("aopc", "post_hoc_accuracy", "degradation")
PAIR = ("a b c", "d e")


def tangled(seed, words):
    """A model of pairs and triples of words that have nothing simple about them."""
    random = np.random.default_rng(seed)
    two = torch.from_numpy(random.normal(scale=2, size=(words, words)))
    three = torch.from_numpy(random.normal(scale=2, size=(words, words, words)))

    def score(w, _):
        return ((w @ two) * w).sum(1) / 2 + torch.einsum("mi,mj,mk,ijk->m", w, w, w, three) / words

    return ScoreModel(score)


def measured(model, e, metric, order):
    """One pair's number, of an order, larger being better; for the degradation before it is divided by the fall."""
    case = Case(gmask.Explanation.from_dict({**e.to_dict(), "attributions": list(by_order(order))}))
    outputs = model.bind(e.first, e.second)(metric.rows(case))
    target = Target(e.labels, e.labels.index(e.target))
    numbers = metric.common(metric.measure(case, Answers(target.value(outputs), target.agrees(outputs))))
    if metric.name == "degradation":
        morf, lerf = numbers.reshape(2, -1)
        return np.sum((lerf - morf)[1:] + (lerf - morf)[:-1]) / 200
    return numbers.mean()


def best(model, pair, measure, **options):
    return gmask.explain(model, *pair, method="best-order", measure=measure, reference="empty", **options)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", range(3))
def test_of_few_words_no_order_is_better_and_the_lowest_is_the_lowest(measure, seed):
    model, metric = tangled(seed, 5), create(measure)
    for goal, extreme in (("highest", max), ("lowest", min)):
        e = best(model, PAIR, measure, goal=goal)
        assert e.details["exact"]
        every = [measured(model, e, metric, order) for order in itertools.permutations(range(5))]
        assert measured(model, e, metric, e.order()) == pytest.approx(extreme(every), abs=1e-9)
        assert max(every) > min(every) + 1e-3


@pytest.mark.parametrize("measure", MEASURES)
def test_no_method_of_the_package_and_no_loop_written_for_it_beats_the_bound(measure):
    pair = ("a b c d", "e f g")
    model, metric = tangled(7, 7), create(measure)
    bound = best(model, pair, measure)
    most = measured(model, bound, metric, bound.order())
    for name in gmask.methods():
        if name in ("l2x", "iba", "attention-rollout", "integrated-gradients", "gradient-x-input"):
            continue  # which a toy without embeddings does not serve
        e = gmask.explain(model, *pair, method=name, reference="empty")
        assert measured(model, bound, metric, e.order()) <= most + 1e-9, name
    assert measured(model, bound, metric, greedy(model, bound, metric)) <= most + 1e-9


def greedy(model, e, metric):
    """Place after place, the word with which the measure of the order so far, and then any, is best."""
    order, left = [], list(range(len(e.words)))
    while left:
        word = max(left, key=lambda j: measured(model, e, metric, [*order, j, *(i for i in left if i != j)]))
        order.append(word)
        left.remove(word)
    for _ in range(3):  # and then whatever exchange of two words helps
        for i, j in itertools.combinations(range(len(order)), 2):
            other = list(order)
            other[i], other[j] = other[j], other[i]
            order = max(order, other, key=lambda o: measured(model, e, metric, o))
    return order


@pytest.mark.parametrize("measure", MEASURES)
def test_of_more_words_what_is_found_is_as_good_as_every_start_and_is_no_bound(measure):
    pair = ("a b c d", "e f g")
    model, metric = tangled(3, 7), create(measure)
    found = best(model, pair, measure, exact=3, width=2)
    assert not found.details["exact"]
    for start in BestOrder().starts.split("+"):
        e = gmask.explain(model, *pair, method=start, reference="empty")
        assert measured(model, found, metric, e.order()) <= measured(model, found, metric, found.order()) + 1e-9


def test_all_methods_that_can_explain_a_pair_may_be_its_starts():
    pair = ("a b c d", "e f g")
    model, metric = tangled(4, 7), create("degradation")
    found = best(model, pair, "degradation", exact=3, width=1, starts="all")
    for start in ("sis", "shapley", "gmask:preset=paper", "gmask:preset=thorough"):
        e = gmask.explain(model, *pair, method=start, reference="empty")
        assert measured(model, found, metric, e.order()) <= measured(model, found, metric, found.order()) + 1e-9


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("goal", ["highest", "lowest"])
def test_no_move_of_a_single_word_is_left_that_helps(measure, goal):
    pair = ("a b c d e", "f g h i j k l")
    model, metric = tangled(2, 12), create(measure)
    found = best(model, pair, measure, goal=goal, exact=3, width=1, starts="")
    sign = 1 if goal == "highest" else -1
    most = sign * measured(model, found, metric, found.order())
    for i, j in itertools.permutations(range(12), 2):
        order = list(found.order())
        order.insert(j, order.pop(i))
        assert sign * measured(model, found, metric, order) <= most + 1e-8


def test_a_wide_beam_finds_the_optimum():
    pair, model = ("a b c d", "e f g"), tangled(5, 7)
    wide, exact = (best(model, pair, "aopc", **how) for how in ({"exact": 3, "width": 200}, {}))
    metric = create("aopc")
    assert measured(model, exact, metric, wide.order()) == pytest.approx(
        measured(model, exact, metric, exact.order()), abs=1e-9
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"exact": 17}, "at most 16"),
        ({"starts": "gmask+best-order"}, "cannot start from itself"),
        ({"starts": "gmusk"}, "unknown method"),
        ({"measure": "sufficiency"}, "unknown measure of best-order"),
    ],
)
def test_what_cannot_be_is_refused(options, message):
    with pytest.raises(gmask.GmaskError, match=message):
        gmask.explain(tangled(0, 5), *PAIR, method="best-order", **options)


def test_the_normalised_aopc_is_1_for_the_best_order_and_0_for_the_worst():
    model = tangled(1, 5)
    highest, lowest = "best-order", "best-order:goal=lowest"
    r = gmask.evaluate(
        model,
        [Example(*PAIR)],
        methods=[highest, lowest, "random"],
        metrics=["aopc", "normalised_aopc"],
        reference="empty",
    )
    assert r[highest]["normalised_aopc"] == pytest.approx(1)
    assert r[lowest]["normalised_aopc"] == pytest.approx(0)
    low, high = r[lowest]["aopc"], r[highest]["aopc"]
    assert r["random"]["normalised_aopc"] == pytest.approx((r["random"]["aopc"] - low) / (high - low))


def test_a_pair_whose_answer_never_changes_has_no_normalised_aopc():
    same = ScoreModel(lambda w, _: 1 + 0 * w.sum(1))
    r = gmask.evaluate(same, [Example(*PAIR)], methods="random", metrics="normalised_aopc", reference="empty")
    with pytest.raises(gmask.GmaskError, match="depends on the order in which words go"):
        r["random"]["normalised_aopc"]
