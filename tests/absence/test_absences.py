"""Each way for words to be gone, mixtures of them, and how one more is added."""

from typing import ClassVar

import numpy as np
import pytest

import gmask
from gmask.absence.base import Rewriting, absences, find
from gmask.absence.blank import Blank
from gmask.absence.delete import Delete
from gmask.absence.swap import Swap
from gmask.errors import GmaskError

FIRST, SECOND = "A man plays the guitar.", "The man sleeps."


@pytest.fixture(scope="module")
def model():
    return gmask.load("nli-dattn")


def lengths(pairs):
    return [min(1.0, (len(a) + len(b)) / 100) for a, b in pairs]


def test_every_way_is_known_by_its_name_and_says_what_it_does():
    assert {"blank", "delete", "drop", "mask", "swap", "zero"} <= set(absences())
    for name in absences():
        assert find(name).name == name
        assert find(name).summary


def test_names_that_are_none_list_the_valid_ones():
    with pytest.raises(GmaskError, match="unknown removal 'drip'; valid: blank, delete, drop"):
        find("drip")
    with pytest.raises(GmaskError, match="the same way twice"):
        find("drop+drop")


def test_the_answer_under_a_mixture_is_the_mean_of_its_parts(model):
    rows = np.random.default_rng(0).random((20, len(model.bind(FIRST, SECOND).words))) < 0.6
    parts = [model.bind(FIRST, SECOND, removal=name)(rows) for name in ("drop", "zero", "delete")]
    mixed = model.bind(FIRST, SECOND, removal="drop+zero+delete")
    assert mixed(rows) == pytest.approx(np.mean(parts, axis=0))
    assert mixed.removal == "drop+zero+delete"


def test_the_whole_pair_is_asked_once_in_a_mixture(model):
    mixed = model.bind(FIRST, SECOND, removal="drop+zero")
    whole = np.ones(len(mixed.words), bool)
    assert len(mixed.made_of(whole)) == 1
    whole[0] = False
    assert len(mixed.made_of(whole)) == 2


def test_a_mixture_is_refused_where_a_part_is_unknown_to_the_model(model):
    with pytest.raises(GmaskError, match=r"removal for nli-dattn: 'drop\+mask'"):
        model.bind(FIRST, SECOND, removal="drop+mask")


def test_what_stands_where_a_word_is_gone():
    bound = gmask.load(lengths).bind(FIRST, SECOND)
    kept = np.array([w.text not in ("guitar", "sleeps") for w in bound.words])
    assert Delete().texts(bound, kept) == ("A man plays the .", "The man .")
    assert Blank().texts(bound, kept) == ("A man plays the ….", "The man ….")
    first, second = Swap().texts(bound, kept)
    assert first.startswith("A man plays the ")
    assert "guitar" not in first
    assert second.startswith("The man ")
    assert "sleeps" not in second
    assert Swap().texts(bound, kept) == (first, second)


def test_gradient_methods_learn_by_the_slope_of_a_mixture(model):
    assert model.check_slope("drop+delete") == "zero"
    with pytest.raises(GmaskError, match="no slope"):
        model.check_slope("delete+blank")


def test_one_more_way_is_one_class():
    class Shout(Rewriting):
        """Words that go are shouted."""

        name: ClassVar[str] = "shout"
        summary: ClassVar[str] = "are shouted"

        def texts(self, bound, kept):
            return tuple(text.upper() for text in bound.texts)

    try:
        box = gmask.load(lambda pairs: [float(a.isupper()) for a, _ in pairs], labels=["quiet", "loud"])
        box.removals = (*box.removals, "shout")
        bound = box.bind("a b", "c", removal="shout")
        assert bound([[False, True, True]])[0].tolist() == [0.0, 1.0]
        assert bound([[True, True, True]])[0].tolist() == [1.0, 0.0]
    finally:
        del Rewriting.registry["shout"]
