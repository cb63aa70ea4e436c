from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoModelForSequenceClassification, AutoTokenizer

import gmask
from gmask.model.bert import load_bert
from gmask.model.zoo import BUILTIN

A = "A man playing an electric guitar on stage."
B = "A man playing banjo on the flooring."


@pytest.fixture(scope="module")
def own():
    return load_bert(BUILTIN / "nli")


@pytest.fixture(scope="module")
def theirs():
    folder = BUILTIN / "nli"
    return AutoModelForSequenceClassification.from_pretrained(folder).float(), AutoTokenizer.from_pretrained(folder)


@torch.inference_mode()
def test_logits_and_attentions_are_those_of_transformers(own, theirs):
    pairs = [A, B], [B, "Nobody."]
    inputs = own[1](*pairs, padding=True, return_tensors="pt")
    assert not inputs["attention_mask"].all()
    for name, values in theirs[1](*pairs, padding=True, return_tensors="pt").items():
        assert torch.equal(inputs[name], values)
    torch.testing.assert_close(own[0](**inputs).logits, theirs[0](**inputs).logits, atol=1e-5, rtol=0)
    theirs[0].set_attn_implementation("eager")
    for found, known in zip(
        own[0](**inputs, output_attentions=True).attentions,
        theirs[0](**inputs, output_attentions=True).attentions,
        strict=True,
    ):
        torch.testing.assert_close(found, known, atol=1e-5, rtol=0)


@settings(max_examples=50)
@given(st.text(min_size=1, max_size=40), st.text(max_size=40), st.sampled_from([None, 9]))
def test_texts_are_cut_as_transformers_cuts_them(own, theirs, first, second, limit):
    options = {"return_offsets_mapping": True}
    if limit is not None:
        options |= {"truncation": "longest_first", "max_length": limit}
    found, known = (
        tokenizer(text=[first, B], text_pair=[second, first], **options) for tokenizer in (own[1], theirs[1])
    )
    assert dict(found) == {name: known[name] for name in found}
    assert found.sequence_ids(0) == known.sequence_ids(0)
    alone, known = (tokenizer(text=A, text_pair=first, **options) for tokenizer in (own[1], theirs[1]))
    assert dict(alone) == {name: known[name] for name in alone}


def test_a_model_of_the_package_is_the_same_to_both_and_has_the_same_slopes():
    named, folder = gmask.load("nli"), gmask.load(str(BUILTIN / "nli"))
    assert type(named.model) is not type(folder.model)
    assert (named.hash, named.identity, named.usual) == (folder.hash, folder.identity, folder.usual)
    bounds = [model.bind(A, B) for model in (named, folder)]
    n = len(bounds[0].words)
    kept = np.random.default_rng(0).random((20, n)) < 0.6
    np.testing.assert_allclose(bounds[0](kept), bounds[1](kept), atol=2e-6)
    slopes = []
    for model in (named, folder):
        bound = model.bind(A, B, removal="zero")
        weights = torch.full((2, n), 0.7, requires_grad=True)
        bound.soft(weights)[:, 0].sum().backward()
        slopes.append(weights.grad)
    torch.testing.assert_close(*slopes, atol=1e-5, rtol=1e-4)
