"""Agreement with people: token F1, AUPRC, IOU F1."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import auc, f1_score, precision_recall_curve

import gmask
from gmask.dataset.example import Example
from gmask.metric.rationale import spans
from gmask.model.callable import CallableModel

# A method's attributions are set by the black box: with leave-one-out they are the weights of the words.
WEIGHTS = {"man": 0.05, "guitar": 0.3, "stage": 0.1, "banjo": 0.2, "floor": 0.15, ".": 0.12}
FIRST, SECOND = "A man plays guitar on stage.", "A man plays banjo on the floor."


def weigh(pairs):
    return [0.01 + sum(v for w, v in WEIGHTS.items() if w in f"{a} {b}".replace(".", " .").split()) for a, b in pairs]


def figures(*highlights, more=()):
    examples = [Example(FIRST, SECOND, highlights=highlights), *more]
    return gmask.evaluate(CallableModel(weigh), examples, methods=["leave-one-out"])["leave-one-out"]


def test_by_hand():
    # Marked: guitar, stage; banjo. The four most important words are guitar, banjo, floor, stage, in this order (the
    # full stops do not count); three were marked, so the top three are held against them: two of three.
    found = figures(((3, 5), (3,)))
    assert found["token_f1"] == pytest.approx(2 / 3)
    # Spans marked: guitar | stage | banjo, each a word. Top spans: guitar | banjo | floor. Two of three, both ways.
    assert found["iou_f1"] == pytest.approx(2 / 3)
    # Down the order: guitar (1/1, recall 1/3), banjo (2/2, 2/3), floor (2/3, 2/3), stage (3/4, 1).
    assert found["auprc"] == pytest.approx(1 / 3 + 1 / 3 + (2 / 3 + 3 / 4) / 2 / 3)


def test_a_span_counts_at_an_overlap_of_half():
    # Marked: "plays guitar on" and "the floor"; the top five words are guitar, banjo, floor, stage and man. guitar is
    # one word of three: no hit; floor is one of two: a hit. Precision 1/5, recall 1/2.
    found = figures(((2, 3, 4), (5, 6)))
    assert found["iou_f1"] == pytest.approx(2 * 0.2 * 0.5 / 0.7)


def test_a_word_is_marked_if_half_of_the_annotators_marked_it():
    one, other = ((3,), (3,)), ((), (3, 6))
    assert figures(one, other)["token_f1"] == pytest.approx(1.0)  # guitar, banjo, floor: each by one of two
    assert figures(one, other, ((1,), ()))["token_f1"] == 0.0  # banjo alone, by two of three; but guitar comes first


def test_a_sentence_nobody_was_asked_about_does_not_count():
    found = figures((None, (6,)))
    assert found["token_f1"] == 0.0  # of the second sentence banjo comes first
    assert found["auprc"] == pytest.approx(0.25)  # 0 at banjo, then 1/2 at floor with all recall: (0 + 1/2) / 2


def test_pairs_without_highlights_are_left_out():
    alone = figures(((3,), (3,)))
    more = figures(((3,), (3,)), more=[Example("A guitar.", "A banjo.")])
    assert more["token_f1"] == alone["token_f1"]
    assert more["pairs"] == 2
    assert "token_f1" not in figures()


def test_iou_f1_is_of_averaged_precision_and_recall():
    # Pair one as by hand, 2/3 and 2/3; pair two: marked "guitar", top word guitar: 1 and 1.
    found = figures(((3, 5), (3,)), more=[Example("A guitar on stage.", "A man there.", highlights=(((1,), ()),))])
    assert found["iou_f1"] == pytest.approx(5 / 6)


@pytest.mark.parametrize("seed", range(5))
def test_equals_scikit_learn(seed):
    random = np.random.default_rng(seed)
    words = [f"w{i}" for i in range(9)]
    weights = dict(zip(words, random.choice([0.01, 0.02, 0.05, 0.07, 0.09], 9), strict=True))  # with ties
    marked = random.random(9) < 0.4
    marked[seed] = True
    first, second = " ".join(words[:5]), " ".join(words[5:])
    positions = [int(i) for i in np.flatnonzero(marked)]
    highlights = ((tuple(i for i in positions if i < 5), tuple(i - 5 for i in positions if i >= 5)),)
    model = CallableModel(lambda pairs: [sum(weights[w] for w in f"{a} {b}".split()) for a, b in pairs])
    results = gmask.evaluate(
        model, [Example(first, second, highlights=highlights)], methods=["leave-one-out"], metrics=["auprc", "token_f1"]
    )
    (record,) = results.records("leave-one-out")
    scores = np.array(record.explanation.attributions)
    precision, recall, _ = precision_recall_curve(marked, scores)
    assert results["leave-one-out"]["auprc"] == pytest.approx(auc(recall, precision))
    top = np.isin(np.arange(9), record.explanation.order()[: marked.sum()])
    assert results["leave-one-out"]["token_f1"] == pytest.approx(f1_score(marked, top))


def test_spans_end_with_the_sentence():
    assert spans(np.array([0, 0, 0, 1, 1]), np.array([1, 1, 1, 1, 0], bool)) == [{0, 1, 2}, {3}]
    assert spans(np.array([0, 0, 0]), np.array([1, 0, 1], bool)) == [{0}, {2}]
