"""Pairs whose sentences stay and go as words do."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gmask.method.base import methods
from gmask.model.callable import CallableModel
from gmask.model.grouped import GroupedPair, sentences_of
from gmask.model.held import hold
from gmask.reference import Reference
from tests.toys import ScoreModel, rule_model

FIRST = "Amber is here. Birch is there! Is cedar?"
SECOND = "Delta came. Ember went."
REFERENCE = Reference("given", ("One text. Another.", "Two texts."), ("A third. A fourth.", "Five."))


def words_model():
    """Says how many words of each text it reads."""
    return CallableModel(
        lambda pairs: [[len(a.split()) / 100, 0.2, 0.8 - len(a.split()) / 100] for a, _ in pairs],
        labels=("a", "b", "c"),
    )


def grouped(model, **options):
    bound = model.bind(FIRST, SECOND, **options)
    return bound, GroupedPair(bound, sentences_of(bound))


def test_its_words_are_the_sentences_of_both_texts():
    _, pair = grouped(rule_model([[(0, "Amber")]]))
    assert [(w.text, w.sentence) for w in pair.words] == [
        ("Amber is here.", 0),
        ("Birch is there!", 0),
        ("Is cedar?", 0),
        ("Delta came.", 1),
        ("Ember went.", 1),
    ]
    assert all((FIRST, SECOND)[w.sentence][w.start : w.end] == w.text for w in pair.words)


def test_a_row_of_sentences_is_the_row_of_their_words():
    bound, pair = grouped(words_model())
    rows = np.random.default_rng(0).random((8, len(pair.words))) < 0.6
    owners = [
        next(
            i
            for i, s in enumerate(pair.words)
            if (s.sentence, s.start) <= (w.sentence, w.start) and s.end >= w.end and s.sentence == w.sentence
        )
        for w in bound.words
    ]
    np.testing.assert_array_equal(pair(rows), bound(rows[:, owners]))


def test_held_against_texts_a_sentence_is_kept_whole_where_a_side_is_gone():
    asked = []

    def note(pairs):
        asked.extend(pairs)
        return [0.5] * len(pairs)

    _, pair = grouped(CallableModel(note, labels=["no", "yes"]))
    asked.clear()
    hold(pair, REFERENCE)(np.array([[False, True, False, False, False]]))
    assert asked == [("Birch is there!", "A third. A fourth."), ("Birch is there!", "Five.")]


def test_in_several_ways_the_groups_are_the_same():
    _, pair = grouped(words_model(), removal="delete+blank")
    rows = np.array([[True, False, True, False, True]])
    assert [way.removal for way in pair.ways] == ["delete", "blank"]
    assert [len(way.words) for way in pair.ways] == [5, 5]
    np.testing.assert_allclose(pair(rows), np.mean([way(rows) for way in pair.ways], axis=0))
    assert [way.removal for way in hold(pair, REFERENCE).ways] == ["delete", "blank"]


def test_the_weight_of_a_sentence_is_that_of_its_words():
    model = ScoreModel(lambda weights, words: (weights * torch.arange(len(words))).sum(dim=1) / 50)
    bound, pair = grouped(model)
    weights = torch.tensor([[0.5, 1.0, 0.0, 0.25, 1.0]], requires_grad=True)
    for each in (pair, hold(pair, REFERENCE)):
        torch.testing.assert_close(each.soft(weights), bound.soft(weights[:, pair.owners]))
    assert pair.soft(weights)[0, 1].requires_grad


@pytest.mark.parametrize("method", ["gmask", "leave-one-out", "lime", "archipelago"])
def test_methods_work_on_sentences_as_on_words(method):
    import gmask

    assert method in methods()
    model = rule_model([[(0, "Birch"), (1, "Ember")]])
    e = gmask.explain(model, FIRST, SECOND, method=method, units="sentences", reference="empty")
    assert {w.text for w in e.top(2)} == {"Birch is there!", "Ember went."}
    assert gmask.Explanation.from_json(e.to_json()) == e
