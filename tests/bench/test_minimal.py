"""Sentences with one word exchanged."""

from __future__ import annotations

import pytest

import gmask
from gmask.bench.families import family_words
from gmask.bench.minimal import exchanges, minimal_pairs, verdicts


def strict(pairs):
    """Texts are paraphrases if they have the same words, whatever the colours."""
    colours = {"red", *family_words()["red"][1]}
    bags = [[sorted(set(text.casefold().split()) - colours) for text in pair] for pair in pairs]
    return [float(a == b) for a, b in bags]


MODEL = gmask.load(strict, labels=["not_paraphrase", "Paraphrase"])


def test_one_word_is_exchanged_for_one_of_its_family_in_its_form():
    sentence = "Two dogs chase the red ball ."
    made = list(exchanges(sentence))
    assert [family for _, _, family in made] == ["numbers", "animals", "colours"]
    for changed, start, family in made:
        [(one, other)] = [(a, b) for a, b in zip(sentence.split(), changed.split(), strict=True) if a != b]
        assert other.casefold() in family_words()[one.casefold()][1]
        assert family_words()[other.casefold()][0] == family
        assert sentence.index(one) == start
        assert one[0].isupper() == other[0].isupper()
    assert list(exchanges(sentence)) == made


def test_a_word_that_is_there_twice_stays_and_no_stand_in_is_there_already():
    assert not list(exchanges("a husband and a wife , no other wife"))
    assert not list(exchanges("inside and outside"))


@pytest.mark.parametrize("number", range(5))
def test_a_stand_in_fits_the_article_before_it(number):
    [(changed, _, _)] = exchanges(f"she saw an elephant in cage{number} .")
    assert changed.split()[3] == "ant"
    assert not list(exchanges(f"for an hour of work{number}"))


def test_the_model_decides_which_exchanges_count_and_both_words_are_the_cause():
    [causes] = minimal_pairs(MODEL, ["no family here", "a red car and a dog", "a red car and a dog"])
    assert [c.kind for c in causes] == ["vehicles", "animals"]
    for cause in causes:
        assert cause.label == "not_paraphrase"
        words = MODEL.bind(cause.first, cause.second).words
        first, second = (words[i] for i in cause.changed)
        assert (first.sentence, second.sentence) == (0, 1)
        assert {first.text, second.text} == set(cause.first.split()) ^ set(cause.second.split())


def test_a_sentence_that_is_not_taken_to_mean_itself_gives_no_cause():
    never = gmask.load(lambda pairs: [0.1] * len(pairs), labels=["not paraphrase", "paraphrase"])
    assert list(minimal_pairs(never, ["a red car"])) == [[]]


def test_labels_are_known_by_name():
    assert verdicts(MODEL) == ("Paraphrase", "not_paraphrase")
    assert verdicts(gmask.load("nli-dattn")) == ("entailment", "contradiction")
    with pytest.raises(gmask.GmaskError, match=r"must know the labels 'entailment' and .*; it knows a, b"):
        verdicts(gmask.load(strict, labels=["a", "b"]))
