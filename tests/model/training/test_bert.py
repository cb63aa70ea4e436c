from __future__ import annotations

import json

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from gmask.errors import GmaskError
from gmask.model.training.bert import _start, prune_vocabulary, train_bert
from gmask.model.training.corpus import gather
from gmask.model.training.loop import Settings
from tests.model.training.toys import write_encoder, write_pairs


@pytest.fixture
def data(tmp_path):
    return gather([str(write_pairs(tmp_path / "pairs", {"train": 120, "dev": 40, "test": 40}))])


def test_a_trained_folder_is_a_half_precision_hugging_face_model(tmp_path, data):
    encoder = write_encoder(tmp_path / "tiny")
    output = tmp_path / "model"
    settings = Settings(epochs=2, batch_size=16, lr=1e-3)
    train_bert(
        data, output, encoder=str(encoder), settings=settings, vocabulary=10, command="gmask train bert", log=str
    )
    model = AutoModelForSequenceClassification.from_pretrained(output)
    tokenizer = AutoTokenizer.from_pretrained(output)
    assert model.config.id2label == {0: "no", 1: "yes"}
    assert {weights.dtype for weights in load_file(output / "model.safetensors").values()} == {torch.float16}
    assert model.config.vocab_size == len(tokenizer)
    assert "zebra" not in tokenizer.get_vocab()
    assert not (output / ".training").exists()
    scores = json.loads((output / "scores.json").read_text())
    assert [(s["split"], s["pairs"]) for s in scores["scores"]] == [("dev", 40), ("test", 40)]
    written = "".join(p.read_text() for p in output.iterdir() if p.suffix in (".json", ".md", ".txt"))
    assert str(tmp_path) not in written


def test_a_pruned_vocabulary_says_the_same_of_words_it_kept(tmp_path, data):
    model, tokenizer = _start(str(write_encoder(tmp_path / "tiny")), data.labels, 0.0)
    texts = {"text": "the man runs", "text_pair": "zebra not"}
    kept = {"text": "the man runs", "text_pair": "the dog not"}
    before = model.eval()(**tokenizer(**kept, return_tensors="pt")).logits
    pruned = prune_vocabulary(model, tokenizer, data.train, 10, tmp_path / "work")
    assert torch.allclose(model(**pruned(**kept, return_tensors="pt")).logits, before, atol=1e-6)
    assert len(pruned) < len(tokenizer)
    assert pruned.unk_token_id not in pruned(**texts)["input_ids"]


def test_an_encoder_that_does_not_exist_is_named(tmp_path, data):
    with pytest.raises(GmaskError, match="cannot start from the encoder"):
        train_bert(data, tmp_path / "model", encoder=str(tmp_path / "none"), settings=Settings())
