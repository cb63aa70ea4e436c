"""Planted boxes do what they say."""

from __future__ import annotations

import numpy as np
import pytest

from gmask.bench.boxes import KINDS, Box, BoxModel, Planted, boxes, draw


@pytest.mark.parametrize(
    ("rule", "fires"),
    [("AND", [False, False, False, True]), ("OR", [False, True, True, True]), ("XOR", [False, True, False, True])],
)
def test_a_rule_fires_by_how_many_of_its_words_are_there(rule, fires):
    kept = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]], dtype=bool)
    assert Planted(rule, (0, 1, 2), 1.0).fires(kept).tolist() == fires


@pytest.mark.parametrize("kind", KINDS)
def test_a_reason_makes_a_yes_whatever_else_is_there_and_without_planted_words_nothing_does(kind):
    random = np.random.default_rng(0)
    for box in boxes(kind, 20):
        n = len(box.effects)
        kept = random.random((500, n)) < random.random((500, 1))
        for reason, _ in box.reasons:
            with_it = kept.copy()
            with_it[:, list(reason)] = True
            assert (box.logits(with_it) > 0).all()
        kept[:, box.words] = False
        assert (box.logits(kept) < 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_no_part_of_a_reason_is_enough_whatever_else_is_there(kind):
    for box in boxes(kind, 20):
        for group in box.groups:
            for word in group.words:
                others = [w for w in group.words if w != word]
                if group.rule != "OR":  # a word of an OR has no part but nothing
                    kept = np.zeros((1, len(box.effects)), dtype=bool)
                    kept[:, others] = True
                    assert box.logits(kept)[0] < 0


@pytest.mark.parametrize("kind", ["AND", "OR", "XOR"])
def test_boxes_of_a_rule_have_one_to_three_groups_of_it_across_the_sentences(kind):
    found = list(boxes(kind, 60))
    assert {len(box.groups) for box in found} == {1, 2, 3}
    assert {g.rule for box in found for g in box.groups} == {kind}
    assert {len(g.words) for box in found for g in box.groups} == ({3} if kind == "XOR" else {2, 3})
    for box in found:
        cut = len(box.sentences[0])
        assert all(g.words[0] < cut <= g.words[-1] for g in box.groups)
        assert all(5 <= len(sentence) <= 12 for sentence in box.sentences)
        assert len(set(box.words)) == sum(len(g.words) for g in box.groups)


def test_mixed_boxes_have_different_rules_and_one_sided_ones_one_side():
    for box in boxes("mixed", 30):
        rules = [g.rule for g in box.groups]
        assert len(rules) == len(set(rules)) >= 2
    sides = [box.side for box in boxes("one-sided", 30)]
    assert set(sides) == {0, 1}
    assert [box.side for box in boxes("AND", 5)] == [None] * 5


def test_strengths_differ_by_at_least_one():
    for box in boxes("AND", 30):
        assert (np.diff(sorted(g.strength for g in box.groups)) >= 1).all()


def test_a_decoy_is_a_twin_across_or_a_neighbour_and_does_next_to_nothing():
    twins = neighbours = 0
    for box in boxes("AND", 40):
        words = [*box.sentences[0], *box.sentences[1]]
        for decoy in box.decoys:
            assert decoy.beside in box.words
            assert decoy.word not in box.words
            twin = words[decoy.word] == words[decoy.beside]
            twins += twin
            neighbours += not twin
            assert twin or abs(decoy.word - decoy.beside) == 1
            kept = np.ones((2, len(words)), dtype=bool)
            kept[1, decoy.word] = False
            assert abs(np.diff(box.logits(kept))[0]) < 1
    assert twins
    assert neighbours


def test_a_box_is_made_from_its_kind_its_number_and_the_seed_alone():
    assert draw("mixed", 7, seed=1) == list(boxes("mixed", 8, seed=1))[7]
    assert len({draw(kind, number, seed) for kind in ("AND", "OR") for number in (0, 1) for seed in (0, 1)}) == 8


def test_the_model_answers_with_the_boxs_probability():
    box = Box("AND", (("a", "b"), ("c",)), (Planted("AND", (0, 2), 5.0),), (), (0.0, 0.5, 0.0))
    outputs = BoxModel(box).bind("a b", "c")([[True, True, True], [True, False, True], [False, True, True]])
    assert np.allclose(np.log(outputs[:, 1] / outputs[:, 0]), [2.5, 2.0, -2.5])
