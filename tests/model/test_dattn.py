from __future__ import annotations

import json

import numpy as np
import pytest
import torch

import gmask
from gmask.errors import GmaskError
from gmask.model.dattn import BATCH_TOKENS, DAttnModel, save_folder
from gmask.model.decomposable import DecomposableAttention
from gmask.model.vocabulary import Vocabulary

A = "A man playing an electric guitar on stage."
B = "A man doesn't play the zyzzyva on the floor!"
LABELS = ("entailment", "neutral", "contradiction")
WORDS = ["a", "man", "playing", "an", "electric", "guitar", "on", "stage", ".", "does", "n't", "play", "the", "!"]


def make(seed: int = 0, hidden: int = 24) -> DAttnModel:
    torch.manual_seed(seed)
    vocabulary = Vocabulary(WORDS, unknown=4)
    network = DecomposableAttention(len(vocabulary), 12, hidden, len(LABELS))
    return DAttnModel(network, vocabulary, LABELS)


def rows(n: int, m: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).random((m, n)) < 0.6


def test_every_word_stays_a_word_even_if_unknown():
    bound = make().bind(A, B)
    assert [w.text for w in bound.words if w.sentence == 1][2:6] == ["doesn't", "play", "the", "zyzzyva"]
    kept = np.ones((1, len(bound.words)), dtype=bool)
    without = kept.copy()
    without[0, [w.text for w in bound.words].index("zyzzyva")] = False
    assert abs(bound(kept) - bound(without)).max() > 1e-6


def test_different_unknown_words_are_told_apart():
    model = make()
    assert len({model.vocabulary.row(f"unknown{i}") for i in range(50)}) == 4
    assert all(1 <= model.vocabulary.row(f"unknown{i}") <= 4 for i in range(50))


@pytest.mark.parametrize("removal", ["drop", "zero", "delete"])
def test_answers_are_probabilities_rounded_to_six_decimals(removal):
    bound = make().bind(A, B, removal=removal)
    p = bound(rows(len(bound.words), 20))
    assert np.allclose(p.sum(axis=1), 1, atol=3e-6)
    assert (p == p.round(6)).all()


def test_dropping_a_word_is_a_sentence_without_it():
    model = make()
    bound = model.bind(A, B, removal="drop")
    kept = np.ones((1, len(bound.words)), dtype=bool)
    kept[0, [4, 5]] = False  # electric guitar
    shorter = model.bind("A man playing an on stage.", B)
    assert np.allclose(bound(kept), shorter(np.ones((1, len(shorter.words)), dtype=bool)), atol=1e-6)
    deleted = model.bind(A, B, removal="delete")
    assert np.allclose(bound(kept), deleted(kept), atol=1e-6)


def test_zero_keeps_the_word_in_the_attention():
    model = make()
    dropped, zeroed = model.bind(A, B, removal="drop"), model.bind(A, B, removal="zero")
    kept = np.ones((2, len(dropped.words)), dtype=bool)
    kept[1, 5] = False
    assert np.allclose(dropped(kept)[0], zeroed(kept)[0], atol=1e-6)
    assert abs(dropped(kept)[1] - zeroed(kept)[1]).max() > 1e-5


@pytest.mark.parametrize("removal", ["drop", "zero", "delete"])
def test_a_pair_with_no_word_left_is_answered(removal):
    bound = make().bind(A, B, removal=removal)
    assert np.isfinite(bound(np.zeros((1, len(bound.words)), dtype=bool))).all()


@pytest.mark.parametrize("removal", ["drop", "zero", "delete"])
def test_answers_do_not_depend_on_what_else_is_asked(removal):
    model = make()
    asked = rows(len(model.bind(A, B).words), 40)
    alone = np.concatenate([model.bind(A, B, removal=removal)(row[None]) for row in asked])
    long = model.bind("the guitar " * 60, "a man on the stage " * 30, removal=removal)
    together, _ = model.answer([(model.bind(A, B, removal=removal), asked), (long, rows(len(long.words), 9))])
    assert abs(alone - together).max() < 1e-5


def test_the_mask_token_does_not_exist_here():
    with pytest.raises(GmaskError, match="valid: drop, zero, delete, blank, swap"):
        make().bind(A, B, removal="mask")


def test_by_default_a_word_is_dropped_and_zeroed_and_the_answers_are_averaged():
    model = make()
    bound = model.bind(A, B)
    assert bound.removal == "drop+zero"
    asked = rows(len(bound.words), 12)
    ways = [model.bind(A, B, removal=removal)(asked) for removal in ("drop", "zero")]
    assert abs(ways[0] - ways[1]).max() > 1e-5
    np.testing.assert_allclose(bound(asked), np.mean(ways, axis=0), atol=2e-6)


@pytest.mark.parametrize("removal", ["drop", "zero", None])
def test_the_soft_door_with_weights_of_zero_and_one_is_the_door(removal):
    bound = make().bind(A, B, removal=removal)
    asked = rows(len(bound.words), 12)
    soft = bound.soft(torch.from_numpy(asked.astype(np.float32)))
    assert abs(soft.numpy() - bound(asked)).max() < 1e-5


def test_the_soft_door_gives_the_gradient_of_every_word():
    bound = make().bind(A, B)
    weights = torch.full((1, len(bound.words)), 0.5, requires_grad=True)
    bound.soft(weights)[0, 1].backward()
    assert (weights.grad.abs() > 0).all()
    step = torch.zeros_like(weights)
    step[0, 3] = 1e-2
    with torch.no_grad():
        numeric = (bound.soft(weights + step) - bound.soft(weights - step))[0, 1] / 2e-2
    assert float(weights.grad[0, 3]) == pytest.approx(float(numeric), abs=1e-4)


def test_embeddings_in_place_of_words_give_the_same_answer():
    bound = make().bind(A, B)
    embeddings = bound.embed()
    assert embeddings.shape == (len(bound.token_words()), 12)
    assert not embeddings.requires_grad
    answer = bound.from_embeddings(embeddings[None].requires_grad_())
    assert abs(answer.detach().numpy() - bound(np.ones((1, len(bound.words)), dtype=bool))).max() < 1e-5
    assert answer.requires_grad


def test_tokens_know_their_words():
    bound = make().bind(A, B)
    owners = bound.token_words()
    assert sorted(set(owners)) == list(range(len(bound.words)))
    contraction = [w.text for w in bound.words].index("doesn't")
    assert (owners == contraction).sum() == 2


def test_attention_goes_from_each_sentence_to_the_other():
    bound = make().bind(A, B)
    weights = bound.attentions()[0, 0]
    first = torch.from_numpy(bound.sentences[bound.token_words()] == 0)
    assert torch.allclose(weights.sum(dim=-1), torch.ones(len(weights)), atol=1e-5)
    assert (weights[first][:, first] == 0).all()
    assert (weights[~first][:, ~first] == 0).all()


def test_a_saved_folder_is_the_same_model_and_loads_by_path(tmp_path):
    model = make()
    model.network.half().float()
    save_folder(tmp_path, model.network, model.vocabulary, model.labels)
    assert json.loads((tmp_path / "config.json").read_text())["model_type"] == "dattn"
    loaded = gmask.load(tmp_path)
    assert isinstance(loaded, DAttnModel)
    assert loaded.labels == LABELS
    assert loaded.hash == model.hash
    asked = rows(len(model.bind(A, B).words), 9)
    assert (loaded.bind(A, B)(asked) == model.bind(A, B)(asked)).all()


def test_other_weights_are_another_hash():
    assert make(0).hash == make(0).hash
    assert make(0).hash != make(1).hash


@pytest.mark.parametrize("part", ["vocab.txt", "model.safetensors", "config.json"])
def test_a_broken_folder_is_named(tmp_path, part):
    model = make()
    save_folder(tmp_path, model.network, model.vocabulary, model.labels)
    (tmp_path / part).unlink()
    with pytest.raises(GmaskError, match=part.replace(".", r"\.")):
        DAttnModel.from_folder(tmp_path)


def test_weights_that_do_not_fit_are_refused_in_one_line(tmp_path):
    model = make()
    save_folder(tmp_path, model.network, model.vocabulary, model.labels)
    (tmp_path / "vocab.txt").write_text("one\ntwo\n")
    with pytest.raises(GmaskError, match="no usable DAttn model") as error:
        DAttnModel.from_folder(tmp_path)
    assert "\n" not in str(error.value)


def test_rows_go_through_the_network_in_full_batches(monkeypatch):
    model = make()
    bound = model.bind(A, B, removal="drop")
    asked = np.unique(rows(len(bound.words), 4000), axis=0)
    batches = []
    through = DecomposableAttention.logits
    monkeypatch.setattr(
        DecomposableAttention,
        "logits",
        lambda self, a, kept_a, b, kept_b: (
            batches.append(kept_a.numel() + kept_b.numel()) or through(self, a, kept_a, b, kept_b)
        ),
    )
    bound(asked)
    tokens = asked[:, bound.state.words].sum()
    assert len(batches) < 1.3 * tokens / BATCH_TOKENS
    assert sum(batches) < 1.3 * tokens  # little of it is padding
