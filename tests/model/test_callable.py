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


@pytest.mark.parametrize("labels", [[0, 1], np.array([0, 1]), (label for label in "01")])
def test_labels_of_any_kind_are_text_to_every_view(labels):
    model = gmask.load(overlap, labels=labels)
    assert model.labels == ("0", "1")
    e = gmask.explain(model, A, B, method="leave-one-out")
    assert all([e.to_text(), e.to_html(), e.to_latex(), e.to_json()])


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


@pytest.mark.parametrize(("answer", "read"), [(1.0000001, [0.0, 1.0]), (-1e-9, [1.0, 0.0]), ([-1e-9, 1], [0, 1])])
def test_a_probability_rounded_beyond_its_ends_is_one_still(answer, read):
    model = CallableModel(lambda pairs: [answer] * len(pairs))
    assert everything(model.bind(A, B)).tolist() == [read]
    assert not model.raw


def test_tensors_and_columns_of_one_are_read_too():
    model = CallableModel(lambda pairs: torch.full((len(pairs), 1), 0.25, requires_grad=True))
    assert np.allclose(everything(model.bind(A, B)), [[0.75, 0.25]])


@pytest.mark.parametrize("precision", [torch.bfloat16, torch.float16, torch.float64])
def test_tensors_of_any_precision_are_read(precision):
    model = CallableModel(lambda pairs: torch.full((len(pairs),), 0.25, dtype=precision))
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
            one, other = (
                Explainer(model, m, reference="empty").explain_bound([bound])[0] for m in ("leave-one-out", "random")
            )
        assert [e.warnings[0].startswith(told) if e.warnings else False for e in (one, other)] == [found, found]
        assert asked.count((A, B)) == (2 if budget is None else 1)
        assert len(asked) - (budget is None) == bound.rows_asked == sum(answered) + 2
        assert one.rows == len(bound.words) + 1


def test_a_function_may_do_what_it_likes_with_its_list():
    def greedy(pairs):
        return [overlap([pairs.pop(0)])[0] for _ in range(len(pairs))]

    assert np.allclose(everything(CallableModel(greedy).bind(A, B)), everything(CallableModel(overlap).bind(A, B)))


def test_a_function_of_two_texts_is_told_what_it_is_given():
    with pytest.raises(GmaskError, match=r"raised TypeError: .* argument: 'b'; it is given one list of pairs of texts"):
        CallableModel(lambda a, b: 0.5).bind(A, B)


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


def test_what_a_function_raises_is_told_in_one_line_with_its_cause():
    def flaky(pairs):
        raise RuntimeError("backend\n500")

    with pytest.raises(GmaskError, match=r"^flaky raised RuntimeError: backend 500$") as caught:
        CallableModel(flaky).bind(A, B)
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_what_a_function_is_stopped_with_passes():
    def stopped(pairs):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        CallableModel(stopped).bind(A, B)


def test_an_answer_that_changes_its_columns_is_refused():
    answers = iter([[[0.5, 0.5]] * 2, [[0.2, 0.3, 0.5]]])
    bound = CallableModel(lambda pairs: next(answers)).bind(A, B)
    with pytest.raises(GmaskError, match="3 columns, but 2 before"):
        bound(np.eye(len(bound.words))[:1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outputs": "odds"}, "auto, probabilities, logits, score"),
        ({"budget": 1}, "budget must be a whole number of at least 2, not 1"),
        ({"budget": "100"}, "not '100'"),
        ({"batch_size": 0}, "batch_size must be a whole number of at least 1, not 0"),
        ({"batch_size": 2.5}, "not 2.5"),
        ({"outputs": "score", "labels": ["a", "b"]}, "no labels"),
        ({"labels": ["a", "a"]}, "labels must differ from each other: a, a"),
        ({"labels": [1, "1"]}, "labels must differ"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(GmaskError, match=message):
        CallableModel(overlap, **options)


def test_gradients_are_refused():
    bound = CallableModel(overlap).bind(A, B)
    with pytest.raises(GmaskError, match="overlap gives no gradients"):
        bound.soft(torch.ones(1, len(bound.words)))


def topics(pairs):
    return [[0.9 if "guitar" in a else 0.1, 0.7 if "guitar" in b else 0.2, 0.1] for a, b in pairs]


def test_labels_with_a_probability_of_their_own_each():
    model = gmask.load(topics, labels=["music", "noise", "sport"], outputs="multilabel")
    assert np.allclose(everything(model.bind(A, B)), [[0.9, 0.7, 0.1]])
    for target, holds in ((None, True), ("noise", True), ("sport", False)):
        e = gmask.explain(model, A, B, method="leave-one-out", target=target)
        assert e.holds == holds
        assert e.target == (target or "music")
        assert gmask.Explanation.from_json(e.to_json()).holds == holds
    assert any("does not say “sport” (0.10, below 0.5)" in note for note in e.notes())
    e = gmask.explain(model, A, B, method="leave-one-out", target="noise")
    assert e.evidence.survives == (True, False)  # of 0.7 and 0.2, whatever the others are
    assert e.rests_on == 1
    assert not any("asked for" in note for note in e.notes())


def test_such_labels_are_told_how_to_be_loaded_and_what_is_none_is_refused():
    with pytest.raises(GmaskError, match='outputs="multilabel" if each label has a probability of its own'):
        gmask.load(topics).bind(A, B)
    with pytest.raises(GmaskError, match="outside"):
        gmask.load(lambda pairs: [[2.0, 0.5]] * len(pairs), outputs="multilabel").bind(A, B)
    with pytest.raises(GmaskError, match="a column a label"):
        gmask.load(overlap, outputs="multilabel").bind(A, B)


def test_a_number_asked_for_is_the_label_of_that_number():
    function = lambda pairs: np.tile([0.2, 0.3, 0.5], (len(pairs), 1))
    e = gmask.explain(gmask.load(function, labels=[1, 2, 3]), A, B, method="leave-one-out", target=1)
    assert (e.target, e.value) == ("1", 0.2)


def test_it_says_what_it_is():
    model = CallableModel(overlap, budget=50)
    assert repr(model) == "<CallableModel overlap: labels show in its first answer; at most 50 rows a pair>"
    before = model.identity
    model.bind(A, B)
    assert repr(model) == "<CallableModel overlap: low, high; at most 50 rows a pair>"
    assert repr(CallableModel(overlap, outputs="score")) == "<CallableModel overlap: a raw score>"
    assert model.identity == before == {"name": "overlap", "hash": model.hash, "labels": None, "outputs": "auto"}


@pytest.mark.parametrize("labels", ["ab", 2])
def test_labels_that_are_no_list_are_refused(labels):
    with pytest.raises(GmaskError, match="labels must be a list of names"):
        gmask.load(overlap, labels=labels)
