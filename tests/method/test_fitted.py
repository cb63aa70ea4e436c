"""Fitted files: whose they are, and who may read them."""

from __future__ import annotations

import pytest
import torch
from safetensors.torch import save_file

import gmask
from gmask.method import fitted
from tests.toys import rule_model

PAIRS = [("the cat sat", "a dog ran"), ("a cat", "no dog here"), ("my hat", "a dog ran"), ("x y", "z w"), ("q", "r")]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "x.safetensors"
    model = rule_model([[(0, "cat")]])
    fitted.save(path, {"w": torch.arange(3.0)}, method="l2x", model=model, pairs=PAIRS, settings={"k": 2})
    return path


def test_what_was_saved_is_read_once_for_the_same_model(path):
    model = rule_model([[(0, "cat")]])
    found = fitted.read(path, method="l2x", model=model)
    assert found.tensors["w"].tolist() == [0, 1, 2]
    assert found.settings == {"k": 2}
    assert fitted.read(path, method="l2x", model=model) is found


def test_a_model_that_says_other_things_is_refused(path):
    with pytest.raises(gmask.GmaskError, match=r"fitted to another model .*gmask fit l2x"):
        fitted.read(path, method="l2x", model=rule_model([[(1, "dog")]]))


def test_a_model_with_other_classes_is_refused(path):
    three = gmask.load(lambda pairs: [[0.2, 0.3, 0.5]] * len(pairs), labels=["a", "b", "c"])
    with pytest.raises(gmask.GmaskError, match="another model"):
        fitted.read(path, method="l2x", model=three)


def test_a_file_of_another_method_or_of_another_making_is_refused(path, tmp_path):
    model = rule_model([[(0, "cat")]])
    with pytest.raises(gmask.GmaskError, match="made by `gmask fit l2x`, not by `gmask fit iba`"):
        fitted.read(path, method="iba", model=model)
    save_file({"w": torch.zeros(1)}, tmp_path / "y.safetensors")
    (tmp_path / "z.safetensors").write_bytes(b"no tensors")
    for name in ("y.safetensors", "z.safetensors"):
        with pytest.raises(gmask.GmaskError, match="was not made by `gmask fit l2x`"):
            fitted.read(tmp_path / name, method="l2x", model=model)


def test_a_named_file_must_exist_and_one_beside_the_model_is_found(path, tmp_path):
    model = rule_model([[(0, "cat")]])
    assert fitted.locate(model, None, "x.safetensors") is None
    assert fitted.locate(model, str(path), "other") == path
    with pytest.raises(gmask.GmaskError, match="no such file"):
        fitted.locate(model, str(tmp_path / "none"), "x.safetensors")
    model.folder = tmp_path
    assert fitted.locate(model, None, "x.safetensors") == path
