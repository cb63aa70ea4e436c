from __future__ import annotations

import numpy as np
import pytest
import torch

import gmask
from gmask.errors import GmaskError
from gmask.explainer import Explainer
from gmask.model.callable import CallableModel
from gmask.watch import watching

A, B = "my guitar is loud", "an electric guitar"


def overlap(pairs):
    return [len(set(a.split()) & set(b.split())) / 10 for a, b in pairs]


def everything(bound) -> np.ndarray:
    return bound(np.ones((1, len(bound.words)), dtype=bool))


def test_one_number_a_pair_is_the_probability_of_the_second_label():
    model = gmask.load(overlap, labels=["unrelated", "related"])
    assert np.allclose(everything(model.bind(A, B)), [[0.9, 0.1]])
    assert model.labels == ("unrelated", "related")
    assert CallableModel(overlap).labels == ("low", "high")


def test_a_column_a_class_is_named_by_position_or_by_the_labels_given():
    function = lambda pairs: np.tile([0.2, 0.3, 0.5], (len(pairs), 1))
    model = CallableModel(function)
    assert np.allclose(everything(model.bind(A, B)), [[0.2, 0.3, 0.5]])
    assert model.labels == ("0", "1", "2")
    named = CallableModel(function, labels=["e", "n", "c"])
    named.bind(A, B)
    assert named.labels == ("e", "n", "c")


def test_words_are_deleted_from_the_texts_it_is_asked_about():
    asked = []

    def record(pairs):
        asked.extend(pairs)
        return [0.5] * len(pairs)

    bound = CallableModel(record).bind(A, B)
    bound(np.array([[1, 0, 1, 1, 1, 1, 0]]))
    assert asked[-1] == ("my is loud", "an electric")


def test_logits_become_probabilities():
    model = CallableModel(lambda pairs: np.tile([1000.0, 1000.0, -1000.0], (len(pairs), 1)), outputs="logits")
    assert np.allclose(everything(model.bind(A, B)), [[0.5, 0.5, 0]])
    single = CallableModel(lambda pairs: [np.log(3)] * len(pairs), outputs="logits")
    assert np.allclose(everything(single.bind(A, B)), [[0.25, 0.75]])


@pytest.mark.parametrize("options", [{}, {"outputs": "score"}])
def test_numbers_beyond_probabilities_are_raw_scores(options):
    model = CallableModel(lambda pairs: [10 * len(a) for a, _ in pairs], **options)
    bound = model.bind(A, B)
    assert model.raw
    assert everything(bound).tolist() == [[170.0]]


def test_tensors_and_columns_of_one_are_read_too():
    model = CallableModel(lambda pairs: torch.full((len(pairs), 1), 0.25, requires_grad=True))
    assert np.allclose(everything(model.bind(A, B)), [[0.75, 0.25]])


def test_the_budget_is_never_exceeded():
    asked = []

    def function(pairs):
        asked.extend(pairs)
        return overlap(pairs)

    model = CallableModel(function, budget=5)
    bound = model.bind(A, B)
    with pytest.raises(GmaskError, match="budget of 5"):
        bound(np.eye(len(bound.words)))
    assert len(asked) <= 5
    bound(np.eye(len(bound.words))[:3])
    assert len(asked) == 5


@pytest.mark.parametrize("budget", [None, 100])
def test_a_model_that_changes_its_mind_is_told_of_unless_a_budget_forbids_to_ask_again(budget):
    asked = []

    def fickle(pairs):
        asked.extend(pairs)
        return [0.2 if asked.count((A, B)) < 2 else 0.84] * len(pairs)

    def steady(pairs):
        asked.extend(pairs)
        return overlap(pairs)

    told = "The model answers the same question differently (0.80, then 0.16): "
    for function, found in ((fickle, budget is None), (steady, False)):
        asked.clear()
        model = CallableModel(function, budget=budget)
        bound, answered = model.bind(A, B), []
        with watching(answered.append):
            one, other = (Explainer(model, m).explain_bound([bound])[0] for m in ("leave-one-out", "random"))
        assert [e.warnings[0].startswith(told) if e.warnings else False for e in (one, other)] == [found, found]
        assert asked.count((A, B)) == (2 if budget is None else 1)
        assert len(asked) - (budget is None) == bound.rows_asked == sum(answered) + 2
        assert one.rows == len(bound.words) + 1


def test_calls_are_no_larger_than_the_batch_size():
    sizes = []

    def function(pairs):
        sizes.append(len(pairs))
        return overlap(pairs)

    bound = CallableModel(function, batch_size=3).bind(A, B)
    bound(np.eye(len(bound.words)))
    assert max(sizes) == 3
    assert sum(sizes) == len(bound.words) + 2


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (lambda pairs: [0.5], {}, "asked about 2 pairs and returned an array of shape"),
        (lambda pairs: 0.5, {}, "asked about 2 pairs"),
        (lambda pairs: [float("nan")] * len(pairs), {}, "not finite"),
        (lambda pairs: [[0.5, float("inf")]] * len(pairs), {}, "not finite"),
        (lambda pairs: ["yes"] * len(pairs), {}, "array of numbers, not list"),
        (lambda pairs: None, {}, "array of numbers, not NoneType|asked about"),
        (lambda pairs: [[0.9, 0.9]] * len(pairs), {}, 'outputs="logits"'),
        (lambda pairs: [2.0] * len(pairs), {"outputs": "probabilities"}, 'outputs="score"'),
        (lambda pairs: [2.0] * len(pairs), {"labels": ["a", "b"]}, 'outputs="score"'),
        (lambda pairs: [[0.5, 0.5]] * len(pairs), {"labels": ["a", "b", "c"]}, "2 classes, but 3 labels"),
        (lambda pairs: [0.5] * len(pairs), {"labels": ["a"]}, "2 classes, but 1 labels"),
        (lambda pairs: [[0.5, 0.5]] * len(pairs), {"outputs": "score"}, "one number a pair"),
    ],
)
def test_a_wrong_answer_is_refused_in_one_line(function, options, message):
    with pytest.raises(GmaskError, match=message) as caught:
        everything(CallableModel(function, **options).bind(A, B))
    assert "\n" not in str(caught.value)


def test_an_answer_that_changes_its_columns_is_refused():
    answers = iter([[[0.5, 0.5]] * 2, [[0.2, 0.3, 0.5]]])
    bound = CallableModel(lambda pairs: next(answers)).bind(A, B)
    with pytest.raises(GmaskError, match="3 columns, but 2 before"):
        bound(np.eye(len(bound.words))[:1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outputs": "odds"}, "auto, probabilities, logits, score"),
        ({"budget": 1}, "at least 2"),
        ({"outputs": "score", "labels": ["a", "b"]}, "no labels"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(GmaskError, match=message):
        CallableModel(overlap, **options)


def test_gradients_are_refused():
    bound = CallableModel(overlap).bind(A, B)
    with pytest.raises(GmaskError, match="overlap gives no gradients"):
        bound.soft(torch.ones(1, len(bound.words)))
