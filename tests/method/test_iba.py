"""IBA: its formula, its statistics, and what it finds."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from torch.distributions import Normal, kl_divergence

import gmask
from gmask.bench.planted import PlantedModel, cases, find_planted
from gmask.method.iba import _capacity, estimate, fit_iba
from tests.model.families import TEXTS, tiny
from tests.toys import rule_model

PAIR = ("A man playing an electric guitar on stage.", "A man playing banjo on the floor.")
PAIRS = list(pairwise(TEXTS))


@pytest.fixture(scope="module")
def model():
    return gmask.load(tiny("bert"))


def test_capacity_is_the_divergence_of_what_gets_through_from_noise():
    lam, r = torch.rand(5, 3, dtype=torch.double) * 0.98, torch.randn(5, 3, dtype=torch.double)
    noise = Normal(torch.zeros_like(r), torch.ones_like(r))
    assert torch.allclose(_capacity(lam, r), kl_divergence(Normal(lam * r, 1 - lam), noise))
    assert _capacity(torch.zeros(1), torch.randn(1)) == pytest.approx(0, abs=1e-6)


def test_statistics_are_those_of_the_words_tokens_over_the_texts(model):
    tokens = [b.embed()[torch.from_numpy(b.token_words() >= 0)] for b in (model.bind(*p) for p in PAIRS)]
    every = torch.cat(tokens).double()
    mean, deviation = estimate(model, PAIRS)
    assert torch.allclose(mean.double(), every.mean(dim=0), atol=1e-5)
    assert torch.allclose(deviation.double(), every.std(dim=0, unbiased=False), atol=1e-5)


def test_statistics_do_not_come_from_the_pair_being_explained(model, monkeypatch):
    e = gmask.explain(model, *PAIR, method="iba")
    assert e.details["statistics"] == "sample sentences"
    assert e.details["gradient_rows"] == 100
    monkeypatch.setattr("gmask.method.iba.estimate", lambda *_: pytest.fail("estimated again"))
    gmask.explain(model, *PAIR[::-1], method="iba")


def test_fitted_statistics_are_used_and_belong_to_their_model(model, tmp_path):
    path = tmp_path / "iba.safetensors"
    fit_iba(model, PAIRS, path)
    e = gmask.explain(model, *PAIR, method="iba", statistics=str(path))
    assert e.details["statistics"] == "iba.safetensors"
    assert e.attributions != gmask.explain(model, *PAIR, method="iba").attributions
    with pytest.raises(gmask.GmaskError, match="fitted to another model"):
        gmask.explain(gmask.load(tiny("roberta")), *PAIR, method="iba", statistics=str(path))


def test_a_file_beside_the_model_is_found(tmp_path):
    classifier, tokenizer = tiny("bert")
    classifier.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    model = gmask.load(tmp_path)
    fit_iba(model, PAIRS, tmp_path / "iba.safetensors")
    assert gmask.explain(model, *PAIR, method="iba").details["statistics"] == "iba.safetensors"


def test_information_has_its_price():
    case = next(cases("A and B", 1))
    model = PlantedModel(case.rules)
    cheap, dear = (gmask.explain(model, case.first, case.second, method="iba", beta=b) for b in (0.1, 10.0))
    assert sum(cheap.attributions) > sum(dear.attributions) > 0
    assert min(dear.attributions) >= 0


def test_partners_are_found_and_the_seed_decides():
    assert find_planted("iba", "A and B", count=10).on_top >= 0.9
    case = next(cases("A", 1))
    one, same, other = (
        gmask.explain(PlantedModel(case.rules), case.first, case.second, method="iba", seed=s) for s in (1, 1, 2)
    )
    assert one.attributions == same.attributions != other.attributions


def test_a_black_box_has_no_statistics(tmp_path):
    with pytest.raises(gmask.GmaskError, match="iba needs gradients"):
        fit_iba(rule_model([[(0, "a")]]), PAIRS, tmp_path / "x.safetensors")


def test_a_feature_that_never_changes_does_no_harm():
    mean, deviation = estimate(PlantedModel([((0, "bakal"),)]), [("bakal", "bakal")])
    assert np.isfinite(mean).all()
    assert (deviation > 0).all()
