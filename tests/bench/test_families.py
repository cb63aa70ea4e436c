"""The families of words that stand for one another."""

from __future__ import annotations

from collections import Counter

from gmask.bench.families import FAMILIES, family_words


def test_no_word_is_in_two_sets_and_there_are_many():
    words = [form for sets in FAMILIES.values() for s in sets for word in s.split() for form in word.split("/")]
    assert [word for word, count in Counter(words).items() if count > 1] == []
    assert len(words) == len(family_words()) > 250
    assert all(word == word.casefold() for word in words)


def test_a_word_stands_for_another_in_the_same_form():
    assert family_words()["dogs"][0] == "animals"
    assert "mice" in family_words()["dogs"][1]
    assert "mouse" not in family_words()["dogs"][1]
    assert family_words()["stood"] == ("opposites", ("sat",))


def test_every_word_has_another_that_stands_for_it():
    assert all(others and word not in others for word, (_, others) in family_words().items())
