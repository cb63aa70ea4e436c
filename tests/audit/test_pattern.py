"""What a pattern is, where it stands, and when an answer rests on it."""

from __future__ import annotations

import pytest

from gmask.audit.lexicon import is_negation, is_number, stem
from gmask.audit.pattern import Pattern
from tests.audit.toys import seen

HOLDS = [
    (Pattern("word", (), ("cat",)), ("a dog", "a cat"), ("a cat", "a dog")),
    (Pattern("pair", ("guitar",), ("banjo",)), ("a guitar", "a banjo"), ("a banjo", "a guitar")),
    (Pattern("overlap", ("cat",), ("cat",)), ("a cat", "one Cat"), ("a cat", "a dog")),
    (Pattern("set", (), ("big", "cat")), ("x", "a big old cat"), ("big", "a cat")),
    (Pattern("absent", (), ("cat",)), ("a cat", "a dog"), ("a dog", "a cat")),
    (Pattern("opening", (), ("cat",)), ("x", "Cat food"), ("cat", "a cat")),
    (Pattern("alike", (), ("cat", "cats")), ("x", "two cats"), ("two cats", "x")),
    (Pattern("negation", (), ("not",)), ("it is", "it is not"), ("it is not", "it is not")),
    (Pattern("numbers"), ("two men", "three men"), ("two men", "two men")),
    (Pattern("names"), ("I met Anna", "I met Paul"), ("I met Anna", "we met Anna")),
    (Pattern("same"), ("a cat", "cat food"), ("a cat", "the dog")),
    (Pattern("contained"), ("a big cat", "cat big"), ("a big cat", "a cat sleeps")),
    (Pattern("longer"), ("a cat", "the cat sleeps"), ("a big cat", "it sleeps")),
]


@pytest.mark.parametrize(("pattern", "there", "elsewhere"), HOLDS, ids=[p.kind for p, *_ in HOLDS])
def test_it_holds_where_it_should_and_only_there(pattern, there, elsewhere):
    assert pattern.holds(seen(*there).sides)
    assert not pattern.holds(seen(*elsewhere).sides)
    assert str(pattern)


def test_an_answer_rests_on_a_pair_only_if_it_rests_on_both_words():
    pattern = Pattern("pair", ("guitar",), ("banjo",))
    assert pattern.carries(seen("a guitar", "a banjo", resting=((1,), (1,))))
    assert not pattern.carries(seen("a guitar", "a banjo", resting=((1,), (0,))))


def test_an_answer_rests_on_a_set_only_if_it_rests_on_all_of_it():
    pattern = Pattern("set", (), ("big", "cat"))
    assert pattern.carries(seen("x", "big cat", resting=((), (0, 1))))
    assert not pattern.carries(seen("x", "big cat", resting=((), (1,))))


def test_of_a_missing_word_it_is_enough_that_it_is_missing():
    assert Pattern("absent", (), ("cat",)).carries(seen("a", "dog"))


def test_forms_of_a_word_share_a_stem_and_other_words_do_not():
    assert len({stem(w) for w in ("sleep", "sleeps", "sleeping")}) == 1
    assert len({stem(w) for w in ("run", "runs", "running")}) == 1
    assert stem("city") == stem("cities")
    assert stem("glass") != stem("glad")


def test_numbers_and_negations_are_known():
    assert all(map(is_number, ("two", "3", "10:30", "one")))
    assert not any(map(is_number, ("a", "b2", "often")))
    assert is_negation("isn’t")
    assert not is_negation("knot")
