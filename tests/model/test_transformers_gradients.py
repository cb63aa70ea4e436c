from __future__ import annotations

import numpy as np
import pytest
import torch

from gmask.errors import GmaskError
from gmask.model.transformers import TransformersModel
from tests.model.families import ASKED_FOR, FAMILIES, tiny, tiny_model, tiny_tokenizer

A = "A man playing an electric guitar on stage."
B = "A man playing banjo on the floor."


def bind(family: str, removal: str = "drop"):
    return TransformersModel(*tiny(family)).bind(A, B, removal=removal)


def rows(n: int, m: int = 10) -> np.ndarray:
    kept = np.random.default_rng(0).random((m, n)) < 0.5
    kept[0], kept[1] = True, False
    return kept


@pytest.mark.parametrize("removal", ["drop", "zero", "mask"])
@pytest.mark.parametrize("family", FAMILIES)
def test_weights_of_one_and_zero_are_kept_and_removed_words(family, removal):
    if removal == "mask" and tiny_tokenizer(family).mask_token_id is None:
        pytest.skip("no mask token")
    bound = bind(family, removal)
    kept = rows(len(bound.words))
    outputs = bound.soft(torch.tensor(kept, dtype=torch.float32))
    assert abs(outputs.detach().numpy() - bound(kept)).max() < 1e-5


@pytest.mark.parametrize("removal", ["drop", "zero", "mask"])
@pytest.mark.parametrize("family", ["bert", "roberta", "xlnet", "bart", "t5", "gpt2"])
def test_the_gradient_of_the_weights_is_the_slope_of_the_outputs(family, removal):
    if removal == "mask" and tiny_tokenizer(family).mask_token_id is None:
        pytest.skip("no mask token")
    model = TransformersModel(tiny_model(family).double(), tiny_tokenizer(family))
    bound = model.bind(A, B, removal=removal)
    weights = torch.full((1, len(bound.words)), 0.7, dtype=torch.float64, requires_grad=True)
    bound.soft(weights)[0, 0].backward()
    for word in weights.grad[0].abs().topk(3).indices.tolist():
        step = torch.zeros_like(weights)
        step[0, word] = 1e-3
        with torch.no_grad():
            slope = (bound.soft(weights + step) - bound.soft(weights - step))[0, 0] / 2e-3
        assert float(weights.grad[0, word]) == pytest.approx(float(slope), rel=0.02, abs=1e-4)
    assert float(weights.grad.abs().max()) > 1e-3


@pytest.mark.parametrize("family", FAMILIES)
def test_the_pairs_own_embeddings_give_its_own_answer(family):
    bound = bind(family)
    embeddings = bound.embed()
    assert embeddings.shape[0] == len(bound.token_words())
    assert not embeddings.requires_grad
    outputs = bound.from_embeddings(torch.stack([embeddings, embeddings.roll(1, dims=-1)]))
    expected = bound(np.ones((1, len(bound.words)), dtype=bool))[0]
    assert abs(outputs[0].detach().numpy() - expected).max() < 1e-5
    assert abs(outputs[1].detach().numpy() - expected).max() > 1e-4


@pytest.mark.parametrize("family", ASKED_FOR)
def test_embeddings_of_words_scaled_by_hand_are_the_zero_removal(family):
    bound = bind(family, "zero")
    kept = rows(len(bound.words), 6)
    factors = np.concatenate([kept, np.ones((6, 1))], axis=1)[:, bound.token_words()]
    outputs = bound.from_embeddings(bound.embed() * torch.tensor(factors, dtype=torch.float32).unsqueeze(-1))
    assert abs(outputs.detach().numpy() - bound(kept)).max() < 1e-5


@pytest.mark.parametrize("family", ASKED_FOR)
def test_every_word_has_a_gradient(family):
    bound = bind(family)
    embeddings = bound.embed().unsqueeze(0).requires_grad_()
    bound.from_embeddings(embeddings)[0, 0].backward()
    owners = bound.token_words()
    norms = embeddings.grad[0].norm(dim=-1).numpy()
    assert all(norms[owners == word].sum() > 0 for word in range(len(bound.words)))


@pytest.mark.parametrize("family", [f for f in FAMILIES if f not in ("bart", "mbart", "t5")])
def test_attention_weights_of_each_token_add_up_to_one(family):
    bound = bind(family)
    attentions = bound.attentions()
    tokens = len(bound.token_words())
    assert attentions.shape == (2, 4, tokens, tokens)
    assert torch.allclose(attentions.sum(dim=-1), torch.ones(2, 4, tokens), atol=1e-5)


def test_an_encoder_decoder_shows_no_attention_weights():
    with pytest.raises(GmaskError, match="encoder-decoder"):
        bind("bart").attentions()
