"""Agreement with human word alignments, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gmask
from gmask.dataset.example import Alignment, Example
from gmask.explanation import Group
from gmask.metric.alignment import AlignmentAgreement
from gmask.metric.base import Answers, Case
from gmask.model.callable import CallableModel
from tests.study.boxes import words
from tests.toys import rule_model

FIRST, SECOND = "the old man sleeps .", "an aged man is asleep ."
LINKS = Alignment(((1, 1), (2, 2), (4, 5)), ((3, 3), (3, 4)))
NOTHING = Answers(np.empty(0), np.empty(0))


def agreement(*groups, alignment=LINKS):
    """The metric of an explanation with these groups; words 0 to 4 are of the first sentence, 5 to 10 of the second."""
    e = gmask.explain(CallableModel(words), FIRST, SECOND, method="random")
    made = tuple(Group(0.5, tuple(float(i in members) for i in range(len(e.words)))) for members in groups)
    return AlignmentAgreement().measure(Case(replace(e, groups=made), alignment=alignment), NOTHING)


@pytest.mark.parametrize(
    ("groups", "share"),
    [
        ([{1, 6}], 1.0),  # old, aged
        ([{1, 7}], 0.0),  # old, man
        ([{1, 6, 7}], 2 / 3),  # man's partner is in no group
        ([{1, 6}, {2, 5}], 0.5),  # the partner of a word must stand in its own group
        ([{1, 7}, {2, 6}], 0.0),
        ([{3, 8}, {3, 9}], 1.0),  # possible links count, and a word of two groups counts once
        ([{0, 5}], 0.0),  # words that people aligned to nothing
        ([{4, 10}], 1.0),  # punctuation counts like any word
        ([{1, 6}, {0, 2, 3}], 1.0),  # a group within one sentence is passed over
    ],
)
def test_share_of_grouped_words_with_an_aligned_partner(groups, share):
    assert agreement(*groups) == [pytest.approx(share)]


def test_without_a_group_across_the_sentences_or_an_alignment_there_is_nothing_to_measure():
    assert agreement() is None
    assert agreement({0, 1}, {6, 7}) is None
    assert agreement({1, 6}, alignment=None) is None
    assert agreement({1, 6}, alignment=Alignment(())) == [0.0]


def test_a_study_measures_it_by_default_where_people_aligned_words():
    model, pair = rule_model([[(0, "key"), (1, "opener")]]), ("an old key", "the old opener")
    aligned = gmask.evaluate(model, [Example(*pair, alignment=Alignment(((2, 2),)))], methods="gmask")
    assert aligned["gmask"]["alignment"] == 1.0
    assert "alignment" not in gmask.evaluate(model, [pair], methods="gmask")["gmask"]
