"""Rankings of words by label."""

from __future__ import annotations

import pytest

import gmask
from gmask.bench.rankings import competency, mean_importance
from gmask.dataset.example import Example

PAIRS = [Example("the cat", f"{'owl ' if i % 4 == 0 else ''}the dog", "yes" if i % 2 == 0 else "no") for i in range(80)]


def test_the_word_whose_label_is_least_like_all_others_comes_first():
    (first, *rest) = competency(PAIRS)
    assert first == (1, "owl", "yes")  # 20 pairs, all yes, where a half is: z = 4.5
    assert len(rest) == 4
    assert competency(PAIRS, most=1) == [first]


def test_z_grows_with_how_often_a_word_stands():
    often = [*PAIRS, *(Example("the", "the elk", "yes" if i else "no") for i in range(60))]
    assert [word for _, word, label in competency(often) if label == "yes"][:2] == ["elk", "owl"]


def test_mean_importance_is_by_side_and_by_the_label_that_is_given():
    model = gmask.load(lambda pairs: [float("owl" in b) for _, b in pairs], labels=["no", "yes"])
    explainer = gmask.Explainer(model, "leave-one-out")
    texts = [(f"the cat {i}", f"{'owl' if i % 2 else 'elk'} the dog") for i in range(12)]
    assert mean_importance(explainer.iterate(texts), most=1) == [(1, "owl", "yes")]


@pytest.mark.parametrize("count", [4, 5])
def test_a_word_that_is_rare_has_no_mean(count):
    model = gmask.load(lambda pairs: [float("owl" in b) for _, b in pairs], labels=["no", "yes"])
    texts = [("the cat", "an owl")] * count
    found = mean_importance(gmask.Explainer(model, "leave-one-out").iterate(texts))
    assert ((1, "owl", "yes") in found) == (count == 5)
