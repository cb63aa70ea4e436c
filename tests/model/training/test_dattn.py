from __future__ import annotations

import json

import pytest
import torch

import gmask
from gmask.errors import GmaskError
from gmask.model.training.corpus import gather
from gmask.model.training.dattn import build_vocabulary, collate, train_dattn
from gmask.model.training.loop import Settings
from gmask.model.vectors import read_vectors
from tests.model.training.toys import WORDS, write_pairs, write_vectors


@pytest.fixture
def data(tmp_path):
    return gather([str(write_pairs(tmp_path / "pairs", {"train": 200, "dev": 60, "test": 60}))])


def test_a_trained_folder_loads_and_has_learnt(tmp_path, data):
    vectors = write_vectors(tmp_path / "vectors.txt")
    lines: list[str] = []
    output = tmp_path / "model"
    train_dattn(data, output, vectors=vectors, settings=Settings(epochs=6, batch_size=16, lr=3e-3), log=lines.append)
    model = gmask.load(output)
    bound = model.bind("the man runs", "the dog runs not")
    assert model.labels == ("no", "yes")
    assert model.labels[bound([[True] * len(bound.words)])[0].argmax()] == "no"
    assert sorted(p.name for p in output.iterdir()) == [
        "README.md",
        "config.json",
        "model.safetensors",
        "scores.json",
        "vocab.txt",
    ]
    scores = json.loads((output / "scores.json").read_text())["scores"]
    assert {s["split"]: s["accuracy"] for s in scores}["test"] > 0.8
    card = (output / "README.md").read_text()
    assert "decomposable attention" in card
    assert "| pairs | 200 |" in card
    assert str(tmp_path) not in card


def test_a_finished_model_is_not_overwritten(tmp_path, data):
    vectors = write_vectors(tmp_path / "vectors.txt")
    settings = Settings(epochs=1, batch_size=64)
    train_dattn(data, tmp_path / "model", vectors=vectors, settings=settings, log=lambda _: None)
    with pytest.raises(GmaskError, match="already holds a finished model; give another -o"):
        train_dattn(data, tmp_path / "model", vectors=vectors, settings=settings)


def test_a_model_is_gone_on_with_and_keeps_its_words(tmp_path, data):
    vectors, quiet = write_vectors(tmp_path / "vectors.txt"), {"log": lambda _: None}
    train_dattn(data, tmp_path / "first", vectors=vectors, settings=Settings(epochs=6, batch_size=16, lr=3e-3), **quiet)
    train_dattn(data, tmp_path / "then", start=str(tmp_path / "first"), settings=Settings(epochs=1, lr=1e-6), **quiet)
    first, then = gmask.load(tmp_path / "first"), gmask.load(tmp_path / "then")
    assert first.vocabulary.tokens == then.vocabulary.tokens
    row = [[True] * 7]
    before, after = (m.bind("the man runs", "the dog runs not")(row)[0] for m in (first, then))
    assert after == pytest.approx(before, abs=0.01)
    assert "from the model first" in (tmp_path / "then" / "README.md").read_text()


def test_there_is_one_thing_to_begin_with(tmp_path, data):
    for wrong in ({}, {"start": "nli-dattn", "vectors": write_vectors(tmp_path / "vectors.txt")}):
        with pytest.raises(GmaskError, match="either word vectors"):
            train_dattn(data, tmp_path / "model", settings=Settings(), **wrong)
    with pytest.raises(GmaskError, match="nli is no decomposable attention model"):
        train_dattn(data, tmp_path / "model", start="nli", settings=Settings())


def test_the_vocabulary_has_the_training_words_then_frequent_ones(tmp_path, data):
    vectors = write_vectors(tmp_path / "vectors.txt")
    extra = "".join(f"word{i} {' '.join(['0.5'] * 8)}\n" for i in range(100)) + f"Upper {' '.join(['0.5'] * 8)}\n"
    vectors.write_text(vectors.read_text() + extra)
    vocabulary = build_vocabulary(data.train, read_vectors(vectors), 50)
    assert set(WORDS) <= set(vocabulary.tokens)
    assert len(vocabulary.tokens) == 50
    assert vocabulary.tokens[len(WORDS)] == "word0"


def test_padding_fills_up_to_the_longest():
    batch = collate([([5, 6, 7], [8]), ([9], [10, 11])])
    assert torch.equal(batch["first"], torch.tensor([[5, 6, 7], [9, 0, 0]]))
    assert torch.equal(batch["second"], torch.tensor([[8, 0], [10, 11]]))
