"""What models say of whole pairs."""

from __future__ import annotations

import pytest

import gmask
from gmask.dataset.example import Example
from gmask.study.saying import called, label_of, says
from tests.study import boxes

MODEL = gmask.load(boxes.words, labels=["different", "same"])


def test_the_label_of_each_pair_in_order_and_only_as_far_as_wanted():
    asked = []

    def box(pairs):
        asked.extend(pairs)
        return boxes.words(pairs)

    pairs = boxes.some(600)
    said = says(gmask.load(box, labels=["different", "same"]), iter(pairs))
    assert next(said) == MODEL.labels[boxes.words(pairs[:1])[0] > 0.5]
    assert len(asked) < 300
    assert [label == "same" for label in said] == [value > 0.5 for value in boxes.words(pairs[1:])]


def test_only_examples_of_the_label_pass():
    examples = [Example(a, b) for a, b in boxes.some(40)]
    passed = list(called(MODEL, "same")(examples))
    assert passed == [e for e in examples if boxes.words([(e.first, e.second)])[0] > 0.5]
    assert 0 < len(passed) < 40


def test_a_score_is_no_label_and_an_unknown_label_is_told():
    with pytest.raises(gmask.GmaskError, match="answers with a score, not with labels"):
        next(says(gmask.load(boxes.words, outputs="score"), boxes.some(1)))
    with pytest.raises(gmask.GmaskError, match="'perhaps'; valid: different, same"):
        label_of(MODEL, "perhaps")
