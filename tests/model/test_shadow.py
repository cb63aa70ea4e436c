"""The user's model stays as it is, whoever explains it, and whatever runs it meanwhile."""

from __future__ import annotations

import copy
import threading

import numpy as np
import pytest
import torch

import gmask
from gmask.model.owner import Owner
from gmask.model.shadow import Turn, shadow
from gmask.model.transformers import TransformersModel
from tests.model.families import tiny_model, tiny_tokenizer

A = "A man playing an electric guitar on stage."
B = "A man playing banjo on the floor."
LEARNED = {"preset": "paper", "solver": "sampling", "samples": 20, "epochs": 2, "k": 4}


def said(model) -> np.ndarray:
    bound = model.bind(A, B)
    return bound(np.ones((1, len(bound.words)), dtype=bool))[0]


class Uncopied(torch.nn.Identity):
    def __deepcopy__(self, memo):
        raise TypeError("cannot be copied")


@pytest.fixture(params=[False, True], ids=["copied", "not copied"])
def network(request):
    network = tiny_model("bert")
    if request.param:
        network.extra = Uncopied()
    return network


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("imask", {"solver": "gradient"}),
        ("gmask", LEARNED),
        ("iba", {"steps": 2}),
        ("integrated-gradients", {}),
        ("attention-rollout", {}),
        ("leave-one-out", {}),
    ],
)
def test_nothing_of_the_model_is_changed(network, method, options):
    network.train()
    before = {name: value.clone() for name, value in network.state_dict().items()}
    gmask.explain((network, tiny_tokenizer("bert")), A, B, method=method, **options)
    assert all(p.grad is None and p.requires_grad for p in network.parameters())
    assert all(torch.equal(value, before[name]) for name, value in network.state_dict().items())
    assert all(module.training for module in network.modules())
    if not (method == "attention-rollout" and hasattr(network, "extra")):  # transformers keeps hooks to see weights
        assert not any(module._forward_hooks or "forward" in vars(module) for module in network.modules())
    assert network.config._attn_implementation == "sdpa"


def test_a_tokenizer_remembers_nothing_of_an_explanation():
    tokenizer = copy.deepcopy(tiny_tokenizer("bert"))
    before = tokenizer.backend_tokenizer.to_str()
    gmask.explain((tiny_model("bert"), tokenizer), "guitar " * 200, B, method="leave-one-out")
    assert tokenizer.backend_tokenizer.to_str() == before


def test_threads_explain_one_model_and_others_run_it_meanwhile():
    network, tokenizer = tiny_model("bert"), tiny_tokenizer("bert")
    expected = gmask.explain((network, tokenizer), A, B, method="iba", steps=2).attributions
    inputs = tokenizer(A, B, return_tensors="pt")
    with torch.no_grad():
        logits = network(**inputs).logits
    failed, running = [], threading.Event()

    def explain() -> None:
        try:
            for _ in range(2):
                found = gmask.explain((network, tokenizer), A, B, method="iba", steps=2)
                np.testing.assert_allclose(found.attributions, expected, rtol=1e-3)
        except Exception as error:  # noqa: BLE001
            failed.append(error)

    def use() -> None:
        try:
            with torch.no_grad():
                while not running.is_set():
                    torch.testing.assert_close(network(**inputs).logits, logits)
                    tokenizer(A, B, truncation=True, max_length=12, return_tensors="pt")
        except Exception as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=explain) for _ in range(3)]
    user = threading.Thread(target=use)
    for thread in (user, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    running.set()
    user.join()
    assert not failed


def test_wrappers_of_a_module_that_cannot_be_copied_take_turns():
    network = tiny_model("bert")
    network.extra = Uncopied()
    owner = Owner(network, tiny_tokenizer("bert"))
    (first, lock, copied), (_, other, _) = shadow(owner), shadow(Owner(network, tiny_tokenizer("bert")))
    assert first is owner
    assert not copied
    assert lock is other
    network.train()
    with Turn(network, lock):
        assert not network.training
        assert lock.locked()
    assert network.training


def test_a_shadow_costs_no_memory_and_takes_no_gradient():
    network = tiny_model("bert")
    made, _, copied = shadow(Owner(network, tiny_tokenizer("bert")))
    assert copied
    for (name, own), (other, theirs) in zip(made.model.named_parameters(), network.named_parameters(), strict=True):
        assert name == other
        assert own.data_ptr() == theirs.data_ptr()
        assert not own.requires_grad


@pytest.mark.parametrize("removal", ["drop", "zero"])
def test_weights_that_are_trained_on_or_moved_are_those_that_are_explained(removal):
    network = tiny_model("bert")
    model = gmask.load((network, tiny_tokenizer("bert")))
    before, name = said(model), model.hash
    with torch.no_grad():
        network.classifier.weight.mul_(-1)
    assert abs(said(model) - before).max() > 0.01
    assert model.hash != name
    network.double().float()  # other memory, the same numbers
    with torch.no_grad():
        network.classifier.weight.mul_(-1)
    bound = model.bind(A, B, removal=removal)
    np.testing.assert_allclose(bound(np.ones((1, len(bound.words)), bool))[0], before, atol=1e-5)
    assert model.hash == name


@pytest.mark.parametrize("precision", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_single_on_a_processor_and_that_is_said(precision):
    network = tiny_model("bert").to(precision)
    e = gmask.explain((network, tiny_tokenizer("bert")), A, B, method="leave-one-out")
    assert any("computed in float32" in warning for warning in e.warnings)
    assert network.dtype == precision
    single = TransformersModel(copy.deepcopy(network).float(), tiny_tokenizer("bert"))
    np.testing.assert_allclose(e.probabilities, said(single), atol=1e-6)
    assert single.bind(A, B).warnings == []
