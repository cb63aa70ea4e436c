"""Gradients in pieces: the same numbers, no more tokens at a time than a batch has, less where memory runs out."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import gmask
from gmask.errors import GmaskError
from gmask.method.base import Task
from gmask.model.transformers import TransformersModel
from gmask.target import Target
from tests.model.families import tiny

A = "A man playing an electric guitar on stage."
B = "A man playing banjo on the floor."


def task(**options) -> Task:
    model = TransformersModel(*tiny("bert"), **options)
    return Task(model.bind(A, B), Target(model.labels, 1))


def slope(asked: Task, weights: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
    weights = weights.clone().requires_grad_()
    value = asked.soft(weights)
    value.log().mean().backward()
    return value.detach().numpy(), weights.grad.numpy()


def test_pieces_have_the_values_and_the_gradient_of_the_whole():
    weights = torch.rand(7, task().n, generator=torch.Generator().manual_seed(0))
    whole = weights.clone().requires_grad_()
    bound = task().bound.model.bind(A, B, removal="zero")
    value = bound.soft(whole)[:, 1]
    value.log().mean().backward()
    for found in (slope(task(), weights), slope(task(batch_tokens=1), weights)):
        np.testing.assert_allclose(found[0], value.detach().numpy(), rtol=1e-5)
        np.testing.assert_allclose(found[1], whole.grad.numpy(), atol=1e-6)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("iba", {"steps": 1, "samples": 9}),
        ("imask", {"solver": "gradient", "epochs": 1}),
        ("integrated-gradients", {}),
        ("gmask", {"preset": "paper", "solver": "sampling", "samples": 9, "epochs": 1}),
    ],
)
@pytest.mark.parametrize("kind", ["bert", "nli-dattn"])
def test_no_pass_with_gradients_has_more_tokens_than_a_batch(monkeypatch, method, options, kind):
    from gmask.model import dattn

    monkeypatch.setattr(dattn, "BATCH_TOKENS", 90)
    model = gmask.load(kind) if "dattn" in kind else TransformersModel(*tiny(kind), batch_tokens=90)
    sizes = []
    for name in ("_soft", "_from_embeddings"):
        usual = getattr(model, name)

        def watched(bound, inputs, usual=usual):
            sizes.append(len(inputs) * len(bound.token_words()))
            return usual(bound, inputs)

        monkeypatch.setattr(model, name, watched)
    gmask.explain(model, A, B, method=method, **options)
    assert len(sizes) > 1
    assert max(sizes) <= 90


def test_a_pass_with_gradients_that_does_not_fit_in_memory_is_halved(monkeypatch):
    asked, sizes = task(), []
    usual = type(asked.bound.model)._soft

    def small(self, bound, weights):
        sizes.append(len(weights))
        if len(weights) > 3:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory")
        return usual(self, bound, weights)

    weights = torch.rand(8, asked.n, generator=torch.Generator().manual_seed(0))
    expected = slope(asked, weights)
    monkeypatch.setattr(type(asked.bound.model), "_soft", small)
    for found, wanted in zip(slope(asked, weights), expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-6)
    assert sizes == [8, 4, 2, 2, 2, 2]
    sizes.clear()
    slope(asked, weights)
    assert max(sizes) == 2  # it is not tried again

    def never(self, bound, weights):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(type(asked.bound.model), "_soft", never)
    with pytest.raises(GmaskError, match="not enough memory to differentiate"):
        slope(asked, weights)


def test_other_failures_are_not_hidden(monkeypatch):
    def broken(self, bound, weights):
        raise RuntimeError("shapes cannot be multiplied")

    asked = task()
    monkeypatch.setattr(type(asked.bound.model), "_soft", broken)
    with pytest.raises(RuntimeError, match="multiplied"):
        asked.soft(torch.ones(2, asked.n))
