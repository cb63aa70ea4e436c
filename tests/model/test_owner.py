"""With all words kept, the door says what the object itself predicts; an object of which that is not so is refused."""

from __future__ import annotations

import inspect
import json

import numpy as np
import pytest
import torch
from torch import nn
from transformers import pipeline

import gmask
from gmask.errors import GmaskError
from gmask.model.transformers import TransformersModel
from tests.model.families import tiny_model, tiny_tokenizer

A = "A man playing an electric guitar on stage."
B = "A man playing banjo on the floor."


def said(model, first: str = A, second: str = B) -> np.ndarray:
    bound = model.bind(first, second)
    return bound(np.ones((1, len(bound.words)), dtype=bool))[0]


def made(network=None, **settings):
    network = network or tiny_model("bert")
    return pipeline("text-classification", model=network, tokenizer=tiny_tokenizer("bert"), device="cpu", **settings)


def scores(pipe, first: str = A, second: str = B) -> list[float]:
    found = {s["label"]: s["score"] for s in pipe({"text": first, "text_pair": second}, top_k=None)}
    return [found[name] for name in pipe.model.config.id2label.values()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoder")
    tiny_model("bert", num_labels=1).save_pretrained(folder)
    tiny_tokenizer("bert").save_pretrained(folder)
    return folder


def encoder(folder, **options):
    from sentence_transformers import CrossEncoder

    return CrossEncoder(str(folder), device="cpu", **options)


@pytest.mark.parametrize("settings", [{}, {"function_to_apply": "sigmoid"}, {"function_to_apply": "softmax"}])
def test_a_pipeline_is_explained_with_its_own_function(settings):
    pipe = made(**settings)
    model = gmask.load(pipe)
    assert model.multilabel == (settings.get("function_to_apply") == "sigmoid")
    np.testing.assert_allclose(said(model), scores(pipe), atol=1e-5)


@pytest.mark.parametrize(("function", "raw"), [("none", True), ("sigmoid", False), (None, False)])
def test_a_pipeline_with_one_output(function, raw):
    pipe = made(tiny_model("bert", num_labels=1), function_to_apply=function)
    model = gmask.load(pipe)
    assert model.raw == raw
    assert said(model)[-1] == pytest.approx(scores(pipe)[0], abs=1e-5)


def test_a_pipeline_that_cuts_pairs_is_explained_as_it_cuts_them():
    pipe = made(truncation=True, max_length=12)
    model = gmask.load(pipe)
    assert model.identity["limit"] == 12
    np.testing.assert_allclose(said(model), scores(pipe), atol=1e-5)


def test_a_pair_that_is_too_long_is_cut_as_before():
    for source in (made(), (tiny_model("bert"), tiny_tokenizer("bert"))):
        assert "cut off" in gmask.load(source).bind("guitar " * 200, B).warnings[0]


def test_a_pipeline_with_other_settings_of_its_tokenizer_is_refused():
    with pytest.raises(GmaskError, match=r"itself says .* its setting add_special_tokens=False") as error:
        gmask.load(made(add_special_tokens=False)).bind(A, B)
    assert "\n" not in str(error.value)


def test_another_tokenizer_than_its_own_is_refused():
    with pytest.raises(GmaskError, match="has its tokenizer; give it alone"):
        gmask.load(made(), tiny_tokenizer("bert"))


def test_a_model_is_checked_once():
    class Twice(TransformersModel):
        asked = 0

        def own(self, first, second):
            self.asked += 1
            return super().own(first, second)

    model = Twice(tiny_model("bert"), tiny_tokenizer("bert"))
    model.bind(A, B)
    model.bind(B, A)
    assert model.asked == 1


def test_an_object_that_says_something_else_is_refused_in_one_line():
    class Other(TransformersModel):
        def own(self, first, second):
            return super().own(first, second) + 1e-3

    with pytest.raises(GmaskError, match=r"itself says .* would be explained"):
        gmask.explain(Other(tiny_model("bert"), tiny_tokenizer("bert")), A, B)


def test_other_readings_that_were_asked_for_are_held_against_the_logits(folder):
    network = tiny_model("bert", num_labels=1)
    probability, score = (said(gmask.load(made(network), outputs=o)) for o in ("probabilities", "score"))
    assert probability[1] == pytest.approx(1 / (1 + np.exp(-score[0])), abs=1e-5)


@pytest.mark.slow
def test_a_cross_encoder_with_a_prompt_is_refused(folder, tmp_path):
    from sentence_transformers import CrossEncoder

    if "prompts" not in inspect.signature(CrossEncoder).parameters:
        pytest.skip("this release of sentence-transformers puts no prompt before pairs")
    prompted = encoder(folder, prompts={"query": "guitar stage: "}, default_prompt_name="query")
    with pytest.raises(GmaskError, match=r"itself says .* its prompt 'guitar stage: '"):
        gmask.load(prompted).bind(A, B)
    prompted.save_pretrained(str(tmp_path / "saved"))
    with pytest.raises(GmaskError, match="its prompt 'guitar stage: '"):
        gmask.load(tmp_path / "saved")


class Cubed(nn.Module):
    def forward(self, x):
        return x**3


@pytest.mark.slow
def test_a_cross_encoder_with_several_classes_has_the_meaning_of_its_activation(tmp_path):
    network = tiny_model("bert")
    network.save_pretrained(tmp_path)
    tiny_tokenizer("bert").save_pretrained(tmp_path)
    for activation in (nn.Sigmoid(), nn.Softmax(dim=-1)):
        own = encoder(tmp_path, activation_fn=activation)
        model = gmask.load(own)
        assert model.multilabel == isinstance(activation, nn.Sigmoid)
        np.testing.assert_allclose(said(model), own.predict([(A, B)])[0], atol=1e-5)
    with pytest.raises(GmaskError, match="its activation Cubed"):
        gmask.load(encoder(tmp_path, activation_fn=Cubed())).bind(A, B)


@pytest.mark.slow
def test_a_cross_encoder_is_explained_within_its_own_limit_and_left_as_it_is(folder):
    own = encoder(folder)
    setattr(own, "max_seq_length" if hasattr(type(own), "max_seq_length") else "max_length", 12)
    own.train()
    model = gmask.load(own)
    assert said(model)[1] == pytest.approx(float(encoder_says(own)), abs=1e-5)
    own.train()
    gmask.explain(own, A, B, method="gradient-x-input")
    assert own.model.training
    assert all(p.grad is None for p in own.model.parameters())


def encoder_says(own):
    return own.predict([(A, B)])[0]


@pytest.mark.slow
def test_a_folder_of_a_cross_encoder_without_them_is_read(folder, tmp_path):
    own = encoder(folder)
    own.save_pretrained(str(tmp_path / "saved"))
    assert said(gmask.load(tmp_path / "saved"))[1] == pytest.approx(float(encoder_says(own)), abs=1e-5)
    path = tmp_path / "saved" / "config_sentence_transformers.json"
    path.write_text(json.dumps([]))
    gmask.load(tmp_path / "saved")


def test_half_precision_objects_are_held_against_their_own_run_in_single():
    pipe = made(tiny_model("bert").to(torch.bfloat16))
    np.testing.assert_allclose(said(gmask.load(pipe)), scores(pipe), atol=3e-2)
