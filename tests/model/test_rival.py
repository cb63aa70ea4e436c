from __future__ import annotations

import numpy as np
import pytest

from gmask.errors import GmaskError
from gmask.explainer import Explainer
from gmask.model.callable import CallableModel
from gmask.model.held import hold
from gmask.model.rival import Margin
from gmask.reference import Reference
from tests.toys import ScoreModel

QUERY, ONE, OTHER = "amber birch cedar", "birch delta cedar", "cedar ember fjord grove"
HELD = Reference("passages", ("lotus maple",), ("raven sage",))


class Counted(CallableModel):
    """Shared words, and how many pairs it was asked about."""

    def __init__(self, **options):
        super().__init__(self.shared, outputs="score", **options)
        self.asked = []

    def shared(self, pairs):
        self.asked += pairs
        return [float(len(set(a.split()) & set(b.split()))) + 0.1 * len(b.split()) for a, b in pairs]


def rival(model=None, index=0, removal=None):
    model = model or Counted()
    pairs = (model.bind(QUERY, text, removal=removal) for text in (ONE, OTHER))
    return Margin(model, index).between(*(hold(pair, HELD) for pair in pairs))


def row(bound, *gone):
    kept = np.ones((1, len(bound.words)), bool)
    for sentence, text in gone:
        kept[0, [(w.sentence, w.text) for w in bound.words].index((sentence, text))] = False
    return kept


def test_words_of_three_texts_are_asked_about_and_the_querys_only_once():
    bound = rival()
    assert [(w.sentence, w.text) for w in bound.words] == [
        *((0, w) for w in QUERY.split()), *((1, w) for w in ONE.split()), *((2, w) for w in OTHER.split()),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("gone", "difference"),
    [
        ((), (2 + 0.3) - (1 + 0.4)),
        (((0, "cedar"),), (1 + 0.3) - (0 + 0.4)),  # it goes from both pairs
        (((1, "birch"),), (1 + 0.2) - (1 + 0.4)),
        (((2, "cedar"),), (2 + 0.3) - (0 + 0.3)),
        (((0, "birch"), (1, "delta"), (2, "grove")), (1 + 0.2) - (1 + 0.3)),
    ],
)
def test_the_answer_is_the_difference_of_what_the_model_says_of_each(gone, difference):
    bound = rival()
    assert bound(row(bound, *gone))[0, 0] == pytest.approx(difference)


def test_with_nothing_left_no_text_stands_above_the_other():
    bound = rival()
    assert bound(np.zeros((1, len(bound.words)), bool))[0, 0] == 0.0


def test_a_row_that_changes_one_of_the_pairs_asks_about_that_one_only():
    bound = rival()
    bound(row(bound))
    model = bound.model.inner
    before = len(model.asked)
    bound(row(bound, (2, "ember")))
    assert model.asked[before:] == [(QUERY, "cedar fjord grove")]
    bound(row(bound, (2, "ember")))
    assert len(model.asked) == before + 1


def test_of_a_classifier_the_difference_is_that_of_a_labels_probability():
    def says(pairs):
        return [[0.25, 0.75] if "birch" in b else [0.5, 0.5] for _, b in pairs]

    bound = rival(CallableModel(says, labels=["no", "yes"]), index=1)
    assert bound(row(bound))[0, 0] == pytest.approx(0.25)


def test_ways_of_removing_words_are_mixed_in_each_pair():
    mixed, parts = rival(removal="delete+blank"), [rival(removal=part) for part in ("delete", "blank")]
    gone = ((1, "birch"), (2, "ember"))
    wanted = np.mean([part(row(part, *gone))[0, 0] for part in parts])
    assert mixed(row(mixed, *gone))[0, 0] == pytest.approx(wanted)
    assert [way.removal for way in mixed.ways] == ["delete", "blank"]
    assert mixed.ways == mixed.ways  # each with what it remembers


@pytest.mark.parametrize("method", ["gmask", "lime", "kernelshap", "leave-one-out", "sis", "anchors"])
def test_every_method_that_only_asks_explains_the_difference(method):
    def says(pairs):  # the one is relevant by delta and amber together, the other by nothing
        return [2.0 * ("amber" in a and "delta" in b) for a, b in pairs]

    model = CallableModel(says, outputs="score")
    margin = Margin(model, 0)
    bound = margin.between(*(hold(model.bind(QUERY, text), HELD) for text in (ONE, OTHER)))
    (e,) = Explainer(margin, method).explain_bound([bound])
    assert {(w.sentence, w.text) for w in e.top(2)} == {(0, "amber"), (1, "delta")}
    assert (e.score, e.target) == (2.0, "high")


def test_where_two_scores_are_close_words_still_differ_in_what_they_do():
    def says(pairs):
        return [5.0 * ("birch" in b) + 0.2 * ("delta" in b) + 5.1 * ("ember" in b) for _, b in pairs]

    bound = rival(CallableModel(says, outputs="score"))
    (e,) = Explainer(bound.model, "leave-one-out").explain_bound([bound])
    found = {w.text: a for w, a in zip(e.words, e.attributions, strict=True) if w.sentence == 1}
    assert found["birch"] > 5 * found["delta"] > 0


def test_a_method_that_needs_gradients_is_refused():
    model = ScoreModel(lambda weights, _: weights.sum(dim=1))
    with pytest.raises(GmaskError, match="needs gradients"):
        Explainer(Margin(model, 1), "gradient-x-input")


def test_a_budget_is_one_of_both_pairs():
    bound = rival(Counted(budget=40))
    (e,) = Explainer(bound.model, "leave-one-out", reference="empty").explain_bound([bound])
    assert e.rows <= 40
    many = np.random.default_rng(0).random((60, len(bound.words))) < 0.5
    with pytest.raises(GmaskError, match="budget of 40 rows"):
        bound(many)


def test_the_default_keeps_to_its_budget():
    texts = [" ".join(f"w{i}{place}" for i in range(40)) for place in ("", "x", "y")]
    model = Counted()
    margin = Margin(model, 0)
    bound = margin.between(*(hold(model.bind(texts[0], text), HELD) for text in texts[1:]))
    (e,) = Explainer(margin, "gmask", budget=600).explain_bound([bound])
    assert e.rows <= 600
