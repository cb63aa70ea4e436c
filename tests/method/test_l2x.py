"""L2X: a selector is trained on a box's own answers, and finds what they rest on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

import gmask
from gmask.method import fitted
from gmask.method.selector.network import L2X, Selector, Shape, collate, encode, with_subset
from gmask.method.selector.training import SETTINGS, fit_l2x
from gmask.pair import Word, segment
from tests.toys import rule_model, sentences

KEY = "opal"
SHAPE = Shape(k=2, buckets=256, width=16)
FAST = replace(SETTINGS, epochs=3, checkpoint_steps=5)


def random_pairs(count, seed):
    random = np.random.default_rng(seed)
    return [tuple(map(" ".join, sentences(random))) for _ in range(count)]


def words_of(first, second):
    return [Word(t[s:e], i, s, e) for i, t in enumerate((first, second)) for s, e in segment(t)]


def key_model():
    return rule_model([[(0, KEY)]])


@pytest.fixture(scope="module")
def selector(tmp_path_factory):
    path = tmp_path_factory.mktemp("l2x") / "l2x.safetensors"
    agreement = fit_l2x(key_model(), random_pairs(2000, 1), path, shape=SHAPE, settings=FAST, log=lambda _: None)
    assert agreement > 0.9
    return path


@pytest.mark.slow
def test_the_planted_word_is_found_in_95_of_100_unseen_pairs_without_asking_the_model(selector):
    explainer = gmask.Explainer(key_model(), "l2x", selector=str(selector))
    pairs = [p for p in random_pairs(600, 2) if KEY in p[0].split()][:100]
    assert len(pairs) == 100
    found = explainer(pairs)
    assert sum((e.top(1)[0].text, e.top(1)[0].sentence) == (KEY, 0) for e in found) >= 95
    assert {e.rows for e in found} == {0}
    assert all(0 <= a <= 1 for e in found for a in e.attributions)


@pytest.mark.slow
def test_the_file_is_small_and_in_half_precision(selector):
    from safetensors import safe_open

    assert selector.stat().st_size < 2e6
    with safe_open(selector, framework="pt") as file:
        assert {file.get_tensor(name).dtype for name in file.keys()} == {torch.float16}  # noqa: SIM118
    full = sum(p.numel() for p in Selector(Shape()).parameters())
    assert 2 * full < 2e6


@pytest.mark.slow
def test_killed_training_goes_on_and_ends_the_same(tmp_path):
    pairs = random_pairs(300, 3)
    whole, resumed = tmp_path / "whole" / "s.safetensors", tmp_path / "resumed" / "s.safetensors"
    told, asked = [], []

    def box(batch):
        asked.extend(batch)
        return [0.95 if KEY in a.split() else 0.05 for a, _ in batch]

    def die(line):
        if line.startswith("epoch 2"):
            raise KeyboardInterrupt

    model = gmask.load(box, labels=["no", "yes"], name="box")
    fit_l2x(model, pairs, whole, shape=SHAPE, settings=FAST, log=lambda _: None)
    with pytest.raises(KeyboardInterrupt):
        fit_l2x(model, pairs, resumed, shape=SHAPE, settings=FAST, log=die)
    assert not resumed.exists()
    asked.clear()
    fit_l2x(model, pairs, resumed, shape=SHAPE, settings=FAST, log=told.append)
    assert any("resumed" in line for line in told)
    assert len(asked) < 20  # not about what it has said before, only to sign the file
    assert whole.read_bytes() == resumed.read_bytes()
    assert not (resumed.parent / ".training" / "s").exists()


def test_without_a_selector_the_error_says_how_to_get_one():
    with pytest.raises(gmask.GmaskError, match=r"no selector for .*gmask fit l2x --model"):
        gmask.explain(key_model(), "an opal", "a dog", method="l2x")


@pytest.mark.slow
def test_another_target_or_a_contrast_is_refused(selector):
    for options, message in (({"target": "no"}, "here 'yes'"), ({"against": "no"}, "leave `against` out")):
        with pytest.raises(gmask.GmaskError, match=message):
            gmask.explain(key_model(), f"an {KEY}", "a dog", method="l2x", selector=str(selector), **options)


@pytest.mark.slow
def test_a_selector_of_another_model_is_refused(selector):
    with pytest.raises(gmask.GmaskError, match="another model"):
        gmask.explain(rule_model([[(1, "sage")]]), "an opal", "a sage", method="l2x", selector=str(selector))


def test_what_there_is_nothing_to_learn_from_is_refused(tmp_path):
    always = gmask.load(lambda pairs: [0.9] * len(pairs), labels=["no", "yes"])
    with pytest.raises(gmask.GmaskError, match="says the same of all 40 pairs"):
        fit_l2x(always, random_pairs(40, 0), tmp_path / "s.safetensors")
    with pytest.raises(gmask.GmaskError, match="at least 20 pairs"):
        fit_l2x(key_model(), random_pairs(5, 0), tmp_path / "s.safetensors")


@pytest.mark.slow
def test_a_raw_score_is_learnt_as_low_or_high(tmp_path):
    def score(pairs):
        return [5.0 * (KEY in a.split()) - 7.0 for a, _ in pairs]

    model = gmask.load(score, outputs="score")
    path = tmp_path / "s.safetensors"
    fit_l2x(model, random_pairs(1500, 4), path, shape=SHAPE, settings=FAST, log=lambda _: None)
    first, second = next(p for p in random_pairs(100, 5) if KEY in p[0].split())
    assert gmask.explain(model, first, second, method="l2x", selector=str(path)).top(1)[0].text == KEY


def test_words_are_encoded_by_what_they_are_where_they_are_and_whether_the_other_sentence_has_them():
    rows = encode(words_of("The cat sat", "a CAT ran"), 256)
    assert rows.shape == (6, 4)
    assert (rows[1, :2] == rows[4, :2]).all()  # cat and CAT
    assert rows[:, 2].tolist() == [0, 0, 0, 1, 1, 1]
    assert rows[:, 3].tolist() == [0, 1, 0, 0, 1, 0]
    assert (rows[:, :2] > 0).all()  # 0 is padding


def test_padding_changes_nothing_and_is_never_selected():
    torch.manual_seed(0)
    network = L2X(SHAPE, 2).eval()
    short, long = encode(words_of("a b c", "d e"), 256), encode(words_of("a b c d e f g", "h i j k"), 256)
    records = [with_subset(short, None), with_subset(long, None)]
    alone, padded = network(**collate(records[:1])), network(**collate(records))
    assert torch.allclose(alone[0], padded[0], atol=1e-6)
    chances = network.selector(**collate([short, long])).exp()
    assert chances[0, len(short) :].max() == 0
    assert torch.allclose(chances.sum(dim=1), torch.ones(2))


def test_a_drawn_subset_has_at_most_k_words_and_gradients_reach_the_selector():
    torch.manual_seed(0)
    network = L2X(replace(SHAPE, temperature=1e-3), 2).train()
    words = collate([with_subset(encode(words_of("a b c d e", "f g h i j"), 256), None)])["words"]
    draw = network._draw(network.selector(words[..., :4]))
    assert draw.round(decimals=3).sum() <= SHAPE.k + 1e-3
    soft = L2X(SHAPE, 2).train()
    soft(words).sum().backward()
    assert soft.selector.score[0].weight.grad.abs().sum() > 0


def test_a_given_subset_is_read_as_it_is_and_teaches_the_reader_alone_and_a_selected_one_the_selector():
    torch.manual_seed(0)
    network = L2X(SHAPE, 2).train()
    record = encode(words_of("a b c", "d e f"), 256)
    kept = np.array([1, 0, 0, 1, 0, 0], dtype=bool)
    logits = network(**collate([with_subset(record, kept)]))
    few = network(**collate([with_subset(record[kept], np.ones(2, dtype=bool))]))
    assert torch.allclose(logits, few, atol=1e-6)
    logits.sum().backward()
    assert not any(p.grad is not None and p.grad.abs().sum() > 0 for p in network.selector.parameters())
    network.zero_grad()
    network(**collate([with_subset(record, None)])).sum().backward()
    assert any(p.grad is not None and p.grad.abs().sum() > 0 for p in network.selector.parameters())
    assert not any(p.grad.abs().sum() > 0 for p in network.approximator.parameters())


def test_together_both_learn_from_what_is_selected_and_what_is_not_weighs_nothing():
    torch.manual_seed(0)
    records = [with_subset(encode(words_of("a b c", "d e f"), 256), None) for _ in range(4)]
    network, seen = L2X(SHAPE, 2, joint=True).train(), []
    network.approximator.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[1]))
    network(**collate(records))[:, 0].sum().backward()
    assert set(seen[0].detach().flatten().tolist()) == {0.0, 1.0}
    assert (seen[0].sum(dim=1) <= SHAPE.k).all()
    for part in (network.selector, network.approximator):
        assert sum(float(p.grad.abs().sum()) for p in part.parameters() if p.grad is not None) > 0


def test_trained_together_it_finds_the_planted_word_too_and_says_how_it_was_trained(tmp_path):
    path = tmp_path / "joint.safetensors"
    pairs = random_pairs(1200, 4)
    fit_l2x(key_model(), pairs, path, shape=SHAPE, settings=replace(FAST, epochs=6), joint=True, log=lambda _: None)
    explainer = gmask.Explainer(key_model(), "l2x", selector=str(path))
    unseen = [p for p in random_pairs(200, 5) if KEY in p[0].split()][:30]
    assert sum((e.top(1)[0].text, e.top(1)[0].sentence) == (KEY, 0) for e in explainer(unseen)) >= 24
    assert fitted.read(path, method="l2x", model=key_model()).settings["joint"] is True
