"""Gradients against captum, completeness, and where they cannot be had."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from captum.attr import InputXGradient
from captum.attr import IntegratedGradients as CaptumIntegratedGradients

import gmask
from gmask.bench.planted import PlantedModel, cases
from tests.model.families import ASKED_FOR, tiny
from tests.toys import rule_model

PAIR = ("A man playing an electric guitar on stage.", "A man playing banjo on the floor.")


def by_word(bound, tokens):
    """Token attributions `[tokens, dimensions]` summed over dimensions and the tokens of a word."""
    owners, sums = bound.token_words(), tokens.detach().double().sum(dim=-1).numpy()
    return np.array([sums[owners == j].sum() for j in range(len(bound.words))])


@pytest.fixture(scope="module")
def model():
    return gmask.load(tiny("bert"))


def captum_parts(model):
    bound = model.bind(*PAIR)
    embeddings = bound.embed()[None]
    baseline = embeddings.clone()
    baseline[:, bound.token_words() >= 0] = 0
    label = int(bound(np.ones((1, len(bound.words)), bool)).argmax())
    return bound, embeddings, baseline, label


def test_integrated_gradients_are_captums(model):
    bound, embeddings, baseline, label = captum_parts(model)
    captum = CaptumIntegratedGradients(bound.from_embeddings)
    theirs = captum.attribute(embeddings, baselines=baseline, target=label, n_steps=200, internal_batch_size=50)
    e = gmask.explain(model, *PAIR, method="integrated-gradients")
    assert np.array(e.attributions) == pytest.approx(by_word(bound, theirs[0]), abs=1e-3)


def test_gradient_x_input_is_captums(model):
    bound, embeddings, _, label = captum_parts(model)
    theirs = InputXGradient(bound.from_embeddings).attribute(embeddings.requires_grad_(), target=label)
    e = gmask.explain(model, *PAIR, method="gradient-x-input")
    assert np.array(e.attributions) == pytest.approx(by_word(bound, theirs[0]), abs=1e-5)
    assert e.details["gradient_rows"] == 1


@pytest.mark.parametrize("family", ASKED_FOR)
def test_integrated_gradients_add_up_to_the_change_within_one_percent(family):
    e = gmask.explain(gmask.load(tiny(family)), *PAIR, method="integrated-gradients")
    change = e.value - e.details["baseline"]
    assert abs(sum(e.attributions) - change) <= 0.01 * max(abs(change), 0.05) + 1e-5
    assert e.details["gap"] <= 0.01
    assert e.rows == 0


def test_a_sharp_path_is_walked_with_more_steps():
    case = next(cases("A and B", 1))
    model = PlantedModel(case.rules)
    coarse = gmask.explain(model, case.first, case.second, method="integrated-gradients", steps=2, tolerance=10.0)
    fine = gmask.explain(model, case.first, case.second, method="integrated-gradients", steps=2)
    assert (coarse.details["steps"], coarse.details["gap"] > 0.01) == (2, True)
    assert fine.details["steps"] > 2
    assert fine.details["gap"] <= 0.01


@pytest.mark.parametrize("method", ["integrated-gradients", "gradient-x-input"])
def test_another_target_and_a_contrast_are_explained(model, method):
    said = gmask.explain(model, *PAIR, method=method)
    other = next(label for label in model.labels if label != said.label)
    e = gmask.explain(model, *PAIR, method=method, target=other, against=said.label)
    assert (e.target, e.against) == (other, said.label)
    assert np.corrcoef(e.attributions, said.attributions)[0, 1] < 0


@pytest.mark.parametrize("method", ["integrated-gradients", "gradient-x-input", "iba", "attention-rollout"])
def test_a_black_box_refuses_and_says_what_it_can_serve(method):
    with pytest.raises(gmask.GmaskError, match=r"gives none; methods that do without: .*\blime\b"):
        gmask.explain(rule_model([[(0, "a")]]), "a b", "c d", method=method)


def test_the_model_is_left_as_it_was(model):
    before = {name: p.grad for name, p in model.model.named_parameters()}
    gmask.explain(model, *PAIR, method="integrated-gradients")
    assert {name: p.grad for name, p in model.model.named_parameters()} == before
    assert torch.is_grad_enabled()
