"""What people changed, as a known cause."""

from __future__ import annotations

import gmask
from gmask.bench.edits import edits
from gmask.dataset.example import Example


def rules(pairs):
    """Contradiction if a cat is in the one text and a dog in the other, neutral if someone is said to be happy."""
    outputs = []
    for first, second in pairs:
        one, other = set(first.casefold().split()), set(second.casefold().split())
        label = 2 if "dog" in one and "cat" in other else 1 if "happy" in other else 0
        outputs.append([float(label == i) for i in range(3)])
    return outputs


MODEL = gmask.load(rules, labels=["entailment", "neutral", "contradiction"])
PREMISE = "A big dog sleeps ."


def causes(*pairs):
    [found] = edits(MODEL, [[Example(first, second, label) for first, second, label in pairs]])
    return [
        (
            c.first,
            c.second,
            c.label,
            [w.text for i, w in enumerate(MODEL.bind(c.first, c.second).words) if i in c.changed],
        )
        for c in found
    ]


def test_the_words_that_differ_are_the_cause_of_both_answers():
    dog, cat = (PREMISE, "A dog sleeps", "entailment"), (PREMISE, "a CAT sleeps.", "contradiction")
    assert causes(dog, cat) == [(*cat, ["CAT"]), (*dog, ["dog"])]


def test_an_added_word_is_the_cause_of_the_pair_it_is_in_only():
    plain, happy = (PREMISE, "A dog sleeps", "entailment"), (PREMISE, "A happy dog sleeps", "neutral")
    assert causes(plain, happy) == [(*happy, ["happy"])]


def test_the_first_sentence_may_be_the_one_that_differs():
    one, other = ("A bird sleeps", "A cat", "entailment"), ("A dog sleeps", "A cat", "contradiction")
    assert causes(one, other) == [(*other, ["dog"]), (*one, ["bird"])]


def test_no_cause_where_the_model_does_not_follow_or_the_labels_are_the_same():
    assert not causes((PREMISE, "A dog sleeps", "neutral"), (PREMISE, "A cat sleeps", "contradiction"))
    assert not causes((PREMISE, "A dog sleeps", "entailment"), (PREMISE, "A pig sleeps", "entailment"))


def test_no_cause_where_both_sentences_or_three_words_differ():
    assert not causes((PREMISE, "A dog sleeps", "entailment"), ("A dog", "A cat sleeps", "contradiction"))
    assert not causes((PREMISE, "A dog sleeps", "entailment"), (PREMISE, "A cat lies there", "contradiction"))
    assert len(causes((PREMISE, "A dog sleeps", "entailment"), (PREMISE, "A cat lies", "contradiction"))) == 2


def test_fewest_words_come_first_and_a_kind_says_which_sentence_differs():
    dog, cat = (PREMISE, "A dog sleeps", "entailment"), (PREMISE, "A cat sleeps", "contradiction")
    two, bird = (PREMISE, "A happy cow sleeps", "neutral"), ("A big bird sleeps .", "A cat sleeps", "entailment")
    assert [len(words) for *_, words in causes(dog, two, cat)] == [1, 1, 1, 1, 2, 2]
    [found] = edits(MODEL, [[Example(*cat), Example(*bird)]])
    assert [c.kind for c in found] == ["first sentence", "first sentence"]
