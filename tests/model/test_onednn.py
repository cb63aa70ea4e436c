from __future__ import annotations

import pytest
import torch
from torch import nn

from gmask.model.onednn import Linears

pytestmark = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="PyTorch was built without oneDNN")


@pytest.fixture
def module():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(48, 96), nn.GELU(), nn.Linear(96, 48, bias=False))


@torch.no_grad()
@pytest.mark.parametrize("tokens", [1, 7, 300, 5000])
def test_the_layers_say_the_same(module, tokens):
    found = Linears(module).faster()
    assert [linear for linear, _ in found] == [module[0], module[2]]
    for linear, faster in found:
        x = torch.randn(1, tokens, linear.in_features)
        assert torch.allclose(faster(x), linear(x), rtol=1e-5, atol=1e-5)


@torch.no_grad()
def test_changed_weights_are_laid_out_anew_and_others_once(module):
    linears = Linears(module)
    linears.faster()
    before = [laid_out for _, laid_out in linears._laid_out.values()]
    module[0].weight.mul_(2)
    linears.faster()
    after = [laid_out for _, laid_out in linears._laid_out.values()]
    assert [a is b for a, b in zip(after, before, strict=True)] == [False, True]
    x = torch.randn(5, 48)
    assert torch.allclose(linears.faster()[0][1](x), module[0](x), rtol=1e-5, atol=1e-5)


@torch.no_grad()
def test_rows_of_tokens_are_taken_as_tokens_and_little_is_filled_up(module, monkeypatch):
    multiply, asked = torch.ops.mkldnn._linear_pointwise, []

    def spy(x, *others):
        asked.append(len(x))
        return multiply(x, *others)

    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", spy)
    x, linears = torch.randn(20, 10, 48), Linears(module)
    plain = module(x)
    with linears.replaced():
        assert torch.allclose(module(x), plain, rtol=1e-5, atol=1e-5)
    assert asked == [256, 256]
    module(x)
    assert len(asked) == 2


@torch.no_grad()
def test_layers_that_somebody_listens_to_or_changed_are_left_alone(module):
    module[0].register_forward_hook(lambda *_: None)
    module[2].forward = lambda x: x
    assert Linears(module).faster() == []
    assert Linears(nn.Sequential(nn.Linear(3, 3).double(), nn.Linear(3, 3).bfloat16())).faster() == []


def test_with_gradients_nothing_is_replaced(module):
    assert Linears(module).faster() == []


@torch.no_grad()
def test_few_numbers_of_tokens_reach_onednn_since_each_is_remembered_for_good(module, monkeypatch):
    multiply, asked = torch.ops.mkldnn._linear_pointwise, set()

    def spy(x, *others):
        asked.add(x.shape[-2])
        return multiply(x, *others)

    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", spy)
    (linear, faster), _ = Linears(module).faster()
    for tokens in range(1, 200):
        x = torch.randn(1, tokens, linear.in_features)
        assert faster(x).shape == (1, tokens, linear.out_features)
    assert asked == {64, 128, 192, 256}
