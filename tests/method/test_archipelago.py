"""Archipelago: interactions by hand, and the sets they form."""

from __future__ import annotations

import numpy as np
import pytest

import gmask
from gmask.method.merging import merge
from tests.toys import rule_model


def test_pairs_that_share_a_word_become_one_set():
    assert merge([(1, 2), (3, 4), (2, 5)]) == [[3, 4], [1, 2, 5]]
    assert merge([(1, 2), (3, 4), (2, 3)]) == [[1, 2, 3, 4]]
    assert merge([]) == []


def test_omega_is_the_mean_square_of_the_two_mixed_differences():
    def box(pairs):
        return [0.1 + 0.2 * ("a" in f.split()) + 0.6 * ("a" in f.split() and "x" in s.split()) for f, s in pairs]

    e = gmask.explain(gmask.load(box, labels=["no", "yes"]), "a b", "x y", method="archipelago", target="yes")
    ((i, j, omega),) = e.details["interactions"]
    assert (e.words[i].text, e.words[j].text) == ("a", "x")
    assert omega == pytest.approx(0.6**2)  # the same difference, 0.6, with all others there and with none
    assert e.attributions == pytest.approx([0.5, 0, 0.3, 0], abs=1e-9)  # 0.2 + 0.6 / 2 and 0.6 / 2
    assert e.groups[0].importance == pytest.approx(0.8)
    assert e.groups[0].members == (0, 2)


def test_it_asks_about_every_pair_in_both_contexts():
    e = gmask.explain(rule_model([[(0, "a"), (1, "x")]]), "a b c", "x y z", method="archipelago")
    assert e.rows == 2 * (1 + 6 + 15)  # the one set is a pair, asked about already


def test_where_words_add_up_there_are_no_sets():
    def box(pairs):
        return [0.1 + 0.2 * ("a" in f.split()) + 0.3 * ("x" in s.split()) for f, s in pairs]

    e = gmask.explain(gmask.load(box, labels=["no", "yes"]), "a b", "x y", method="archipelago", target="yes")
    assert e.groups == ()
    assert e.attributions == pytest.approx([0.2, 0, 0.3, 0])


def test_of_long_pairs_the_words_that_seem_to_matter_are_looked_at():
    first, second = (" ".join(f"{side}{i}" for i in range(30)) for side in "ab")
    e = gmask.explain(rule_model([[(0, "a7"), (1, "b21")]]), first, second, method="archipelago", words=12)
    assert {e.words[i].text for i in e.groups[0].members} == {"a7", "b21"}
    assert e.rows < 2 * (1 + 60 + 12 * 11 // 2) + 10
    assert np.isfinite(e.attributions).all()


def test_one_word_sentences_work():
    e = gmask.explain(rule_model([[(0, "cat"), (1, "dog")]]), "cat", "dog", method="archipelago")
    assert e.groups[0].members == (0, 1)
