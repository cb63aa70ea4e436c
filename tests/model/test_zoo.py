from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import gmask
from gmask.errors import GmaskError
from gmask.model import zoo
from gmask.model.callable import CallableModel
from gmask.model.transformers import TransformersModel
from tests.model.families import tiny, tiny_model, tiny_tokenizer

A = "A man playing an electric guitar on stage."
B = "A man playing banjo on the floor."


def save(folder: Path, model=None, tokenizer=None) -> Path:
    (model or tiny("bert")[0]).save_pretrained(folder)
    (tokenizer or tiny_tokenizer("bert")).save_pretrained(folder)
    return folder


def change(folder: Path, **settings) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **settings}))
    return folder


def said(model) -> np.ndarray:
    bound = model.bind(A, B)
    return bound(np.ones((1, len(bound.words)), dtype=bool))[0]


@pytest.mark.parametrize("family", ["bert", "roberta", "t5", "gpt2"])
def test_a_folder_gives_the_model_that_was_saved(tmp_path, family):
    folder = save(tmp_path / "mine", *tiny(family))
    model = gmask.load(folder)
    assert model.name == "mine"
    assert model.folder == folder
    assert model.labels == ("entailment", "neutral", "contradiction")
    direct = TransformersModel(*tiny(family))
    assert np.allclose(said(model), said(direct), atol=1e-6)
    assert model.hash == direct.hash == gmask.load(str(folder)).hash


def test_weights_kept_in_half_precision_are_computed_in_full(tmp_path):
    model = gmask.load(save(tmp_path, tiny_model("bert").half()))
    assert {p.dtype for p in model.model.parameters()} == {torch.float32}
    assert np.allclose(said(model), said(TransformersModel(*tiny("bert"))), atol=1e-2)


def test_loading_prints_nothing(tmp_path, capfd):
    gmask.load(save(tmp_path))
    capfd.readouterr()
    gmask.load(tmp_path)
    assert "".join(capfd.readouterr()) == ""


def test_a_model_and_its_tokenizer():
    pair = tiny("bert")
    for model in (gmask.load(pair), gmask.load(*pair), gmask.load(pair, name="mine", batch_tokens=64)):
        assert np.allclose(said(model), said(TransformersModel(*pair)), atol=1e-6)
    assert model.name == "mine"
    assert gmask.load(model) is model


def test_a_pipeline():
    from transformers import pipeline

    network, tokenizer = tiny("bert")
    made = pipeline("text-classification", model=network, tokenizer=tokenizer, device="cpu")
    scores = {s["label"]: s["score"] for s in made({"text": A, "text_pair": B}, top_k=None)}
    model = gmask.load(made)
    assert np.allclose(said(model), [scores[label] for label in model.labels], atol=1e-5)


@pytest.mark.slow
def test_a_cross_encoder_with_its_activation(tmp_path):
    from sentence_transformers import CrossEncoder

    folder = str(save(tmp_path, tiny_model("bert", num_labels=1)))
    plain = CrossEncoder(folder, device="cpu")
    model = gmask.load(plain)
    assert not model.raw
    assert said(model)[1] == pytest.approx(float(plain.predict([(A, B)])[0]), abs=1e-5)
    for activation in (torch.nn.Identity(), torch.nn.Tanh()):
        encoder = CrossEncoder(folder, device="cpu", activation_fn=activation)
        model = gmask.load(encoder)
        assert model.raw
        assert said(model)[0] == pytest.approx(float(encoder.predict([(A, B)])[0]), abs=1e-5)
        encoder.save_pretrained(str(tmp_path / "saved"))
        loaded = gmask.load(tmp_path / "saved")
        assert loaded.raw
        assert said(loaded) == pytest.approx(said(model), abs=1e-5)


@pytest.mark.slow
def test_a_cross_encoder_with_classes(tmp_path):
    from sentence_transformers import CrossEncoder

    encoder = CrossEncoder(str(save(tmp_path)), device="cpu")
    model = gmask.load(encoder)
    assert model.labels == ("entailment", "neutral", "contradiction")
    expected = encoder.predict([(A, B)], apply_softmax=True)[0]
    assert np.allclose(said(model), expected, atol=1e-5)


@pytest.mark.parametrize(
    "settings",
    [
        {"problem_type": "regression"},
        {"sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity", "version": "5.0.0"}},
        {"sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity"},
    ],
)
def test_a_stored_score_is_not_squashed(tmp_path, settings):
    folder = save(tmp_path, tiny_model("bert", num_labels=1))
    assert not gmask.load(folder).raw
    assert gmask.load(change(folder, **settings)).raw
    assert not gmask.load(folder, outputs="probabilities").raw


def test_a_function_and_one_named_by_its_module(tmp_path, monkeypatch):
    (tmp_path / "my_functions.py").write_text(
        "def half(pairs):\n    return [0.5] * len(pairs)\nhalf.labels = ['a', 'b']\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    model = gmask.load("python:my_functions:half")
    assert isinstance(model, CallableModel)
    assert model.labels == ("a", "b")
    assert said(gmask.load(lambda pairs: [0.25] * len(pairs))).tolist() == [0.75, 0.25]
    for name in ("python:my_functions", "python:my_functions:third", "python:no_such_module:f"):
        with pytest.raises(GmaskError, match=name):
            gmask.load(name)


def test_a_name_of_a_module_that_is_no_function_is_refused(tmp_path, monkeypatch):
    (tmp_path / "my_things.py").write_text("threshold = 3\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GmaskError, match="'python:my_things:threshold' is no function, but of type int"):
        gmask.load("python:my_things:threshold")


def _pickled(folder: Path) -> None:
    torch.save(tiny("bert")[0].state_dict(), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def _without_head(folder: Path) -> None:
    tiny("bert")[0].base_model.save_pretrained(folder)


def _without_tokenizer(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name not in ("config.json", "model.safetensors"):
            path.unlink()


def _of_its_own_code(folder: Path) -> None:
    change(folder, model_type="mine", auto_map={"AutoConfig": "mine.Config"})
    (folder / "mine.py").write_text("raise SystemExit('this must never run')")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_without_head, "no trained classification head"),
        (_pickled, "no weights in a model.safetensors"),
        (_without_tokenizer, "no tokenizer"),
        (_of_its_own_code, "code of its own, which is not run"),
        (lambda f: change(f, model_type="vit"), "no sequence classifier"),
        (lambda f: (f / "config.json").write_text("{no json"), "not a valid JSON"),
        (lambda f: (f / "config.json").write_text("{}"), "model_type"),
        (lambda f: (f / "config.json").unlink(), "no config.json"),
        (lambda f: (f / "model.safetensors").write_bytes(b"x" * 50), "cannot load"),
    ],
)
def test_a_spoilt_folder_is_refused_in_one_line_that_names_it(tmp_path, spoil, message, capfd):
    spoil(save(tmp_path / "spoilt"))
    capfd.readouterr()
    with pytest.raises(GmaskError, match=message) as caught:
        gmask.load(tmp_path / "spoilt")
    assert "spoilt" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "".join(capfd.readouterr()) == ""


@pytest.mark.parametrize("name", ["nonsense", "./nowhere", "/nowhere/at/all", "~/no/such/folder", "a/b/c"])
def test_an_unknown_name_is_refused(name):
    with pytest.raises(GmaskError, match=name):
        gmask.load(name)


def test_a_file_is_no_model(tmp_path):
    (tmp_path / "model.bin").write_text("x")
    with pytest.raises(GmaskError, match="no model folder"):
        gmask.load(tmp_path / "model.bin")


def test_a_hub_id_without_a_hub_is_refused(monkeypatch):
    from huggingface_hub import HfApi

    monkeypatch.setattr(HfApi, "model_info", _unreachable)
    with pytest.raises(GmaskError, match=r"owner/no-such-model: it was not fetched before, and the hub cannot be"):
        gmask.load("owner/no-such-model")


def _unreachable(*_args, **_kwargs):
    from requests import ConnectionError as NoConnection

    raise NoConnection("no route")


@pytest.mark.parametrize("source", [5, None, ["a", "b"], object()])
def test_what_is_no_model_is_refused(source):
    with pytest.raises(GmaskError, match=f"cannot explain a model of type {type(source).__name__}"):
        gmask.load(source)


def test_a_model_without_its_tokenizer_is_refused():
    with pytest.raises(GmaskError, match="BertForSequenceClassification needs its tokenizer"):
        gmask.load(tiny("bert")[0])


def test_unknown_options_are_refused_with_the_valid_ones(tmp_path):
    for source in (tiny("bert"), save(tmp_path)):
        with pytest.raises(GmaskError, match="'budget'; valid: device, batch_tokens"):
            gmask.load(source, budget=5)
    with pytest.raises(GmaskError, match="'device'; valid: labels, outputs, budget"):
        gmask.load(lambda pairs: [0.5] * len(pairs), device="cpu")


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(GmaskError, match="device 'nowhere'"):
        gmask.load(tiny("bert"), device="nowhere")


def test_a_built_in_name_is_its_folder(tmp_path, monkeypatch):
    save(tmp_path / "small")
    monkeypatch.setattr(zoo, "BUILTIN", tmp_path)
    assert zoo.builtin_models() == ["small"]
    assert gmask.load("small").name == "small"
    with pytest.raises(GmaskError, match="'large'; valid: small, a folder"):
        gmask.load("large")
