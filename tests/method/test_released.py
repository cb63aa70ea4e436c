"""The procedure that the authors released: its pieces by hand, planted words, and what it costs."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import gmask
from gmask.bench.planted import find_planted
from gmask.method.base import Task
from gmask.method.released import OWN, _draw, _Masked, own_settings
from gmask.model.transformers import TransformersModel
from gmask.target import Target
from tests.model.families import tiny
from tests.toys import ScoreModel, rule_model

QUICK = {"preset": "released", "samples": 100, "variant": "dattn"}


def couple(w, words):
    return 8 * w[:, 0] * w[:, 6] - 3


def test_a_planted_couple_leads_and_is_one_group():
    e = gmask.explain(ScoreModel(couple), "a b c d e f", "g h i j k l", target="yes", **QUICK)
    assert {w.text for w in e.top(2)} == {"a", "g"}
    assert {e.words[i].text for i in e.groups[0].members} >= {"a", "g"}
    assert sum(g.importance for g in e.groups) <= 1 + 1e-6


@pytest.mark.parametrize("rule", ["A", "A and B"])
def test_planted_words_are_found(rule):
    assert find_planted("gmask:preset=released:samples=200:variant=dattn", rule, count=2).on_top == 1


def test_every_candidate_is_in_one_group_and_the_others_follow_behind():
    e = gmask.explain(ScoreModel(couple), "a b c d e f", "g h i j k l", target="yes", k=4, **QUICK)
    candidates = e.details["candidates"]
    assert sorted(i for g in e.groups for i in g.members) == candidates
    assert set(e.order()[:4]) == set(candidates)
    assert all(e.attributions[i] < 1e-5 for i in e.order()[4:])


def test_a_set_of_words_is_put_to_the_model_once_however_often_it_is_drawn():
    e = gmask.explain(ScoreModel(couple), "a b c d e f", "g h i j k l", target="yes", k=6, **QUICK)
    assert e.details["gradient_rows"] <= 10 * 10 + 2**6  # of 10 x 10 and 100 x 100 samples


def test_if_all_candidates_are_of_one_sentence_five_of_each_are_taken():
    def first_only(w, words):
        return w[:, :12].sum(dim=1) - 6

    first, second = (" ".join(f"{side}{i}" for i in range(12)) for side in "ab")
    e = gmask.explain(ScoreModel(first_only), first, second, target="yes", epochs=2, **QUICK)
    assert sum(i < 12 for i in e.details["candidates"]) == 5
    assert len(e.details["candidates"]) == 10


def test_what_is_remembered_of_a_mask_has_the_slope_of_the_model_itself():
    model = ScoreModel(lambda w, words: 3 * w[:, 1] * w[:, 3] + w[:, 0] - 1)
    task = Task(model.bind("a b c", "d e"), Target(model.labels, 1))
    logits = torch.tensor([[0.3, 0.6], [0.5, 0.1], [0.9, 0.2]], requires_grad=True)
    slopes = []
    for remembered in (True, False):
        masks = _draw(logits, 50, 0.5, torch.Generator().manual_seed(0))[..., 1]
        if remembered:
            loss = _Masked(task, np.array([0, 1, 3]), 1e-6).loss(masks)
        else:
            weights = torch.zeros(50, 5).index_copy(1, torch.tensor([0, 1, 3]), masks)
            loss = -torch.log(task.soft(weights)).mean()
        slopes.append(torch.autograd.grad(loss, logits)[0])
    assert torch.allclose(slopes[0], slopes[1], atol=1e-5)
    assert slopes[0].abs().max() > 0.01


@pytest.mark.parametrize("masked", [0.0, 1e-6])
def test_only_the_words_at_hand_are_in_the_input(masked):
    model = TransformersModel(*tiny("bert"))
    task = Task(model.bind("a man playing guitar", "the man sleeps", removal="drop"), Target(model.labels, 1))
    loss = _Masked(task, np.array([1, 5]), masked).loss(torch.ones(1, 2))
    only = task.target.value(task.bound(task.keep([1, 5])[None]))[0]
    assert float(loss) == pytest.approx(-np.log(only), abs=1e-4)


def test_the_two_models_of_the_paper_have_their_own_settings():
    bert = TransformersModel(*tiny("bert"))
    task = Task(bert.bind("a man playing guitar", "the man sleeps"), Target(bert.labels, 1))
    assert own_settings(None, task) == OWN["bert"]
    assert own_settings("dattn", task) == OWN["dattn"]
    assert [OWN[variant]["samples"] for variant in ("dattn", "bert")] == [1000, 500]
    e = gmask.explain(bert, "a man playing guitar", "the man sleeps", preset="released", samples=100, epochs=5)
    assert len(e.details["candidates"]) == 7
    assert e.groups


def test_the_other_words_follow_in_the_order_of_its_imask():
    pair, options = ("a b c d e f", "g h i j k l"), {"target": "yes", "variant": "dattn"}
    e = gmask.explain(ScoreModel(couple), *pair, k=4, **{**options, **QUICK})
    imask = gmask.explain(ScoreModel(couple), *pair, method="imask", solver="released", **options)
    assert set(imask.order()[:4]) == set(e.details["candidates"])
    assert imask.order()[4:] == e.order()[4:]
    assert imask.settings["rate"] == 0.1
    assert imask.details["gradient_rows"] <= 10 * 10


def test_the_seed_decides():
    options = {"target": "yes", "epochs": 5, **QUICK}
    one, same, other = (
        gmask.explain(ScoreModel(couple), "a b c d", "e f g h", seed=seed, **options) for seed in (0, 0, 1)
    )
    assert one.attributions == same.attributions != other.attributions


def test_black_boxes_are_refused():
    with pytest.raises(gmask.GmaskError, match="gmask with these settings needs gradients"):
        gmask.explain(rule_model([[(0, "a")]]), "a b", "c d", preset="released")


@pytest.mark.parametrize("options", [{"variant": "bert"}, {"solver": "released", "beta": 0.5}])
def test_settings_of_the_one_imask_are_none_of_the_other(options):
    with pytest.raises(gmask.GmaskError, match=r'is (a|no) setting of solver="released"'):
        gmask.explain(ScoreModel(couple), "a b", "c d", method="imask", **options)
