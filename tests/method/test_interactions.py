"""Shapley interactions through shapiq, asked through the door."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import gmask
from gmask.bench.planted import find_planted
from gmask.multilinear import shapley, subsets
from tests.toys import rule_model, sentences

CALLS = []


def box(pairs):
    CALLS.append(len(pairs))
    return [0.9 if "cat" in a.split() and "dog" in b.split() else 0.1 for a, b in pairs]


def test_few_words_are_exact_and_shapiq_gets_its_answers_in_one_call():
    CALLS.clear()
    model = gmask.load(box, labels=["no", "yes"])
    e = gmask.explain(model, "the old cat sat", "my dog ran off", method="shapley-interactions")
    # The pair with all words and none, other texts, then all other subsets, of which the first might be told of before
    # the rest; either sentence beside other texts; at last the pair again, to see if it stands.
    (*ends, first, rest, texts, again) = CALLS
    assert (ends, first + rest, texts, again) == ([2, 3], 2**8 - 2, 2 * 3, 1)
    bound = model.bind("the old cat sat", "my dog ran off")
    assert e.attributions == pytest.approx(shapley(bound(subsets(8))[:, 1]), abs=1e-6)
    assert e.details["exact"] is True
    ((i, j, strength),) = e.details["interactions"]
    assert (e.words[i].text, e.words[j].text) == ("cat", "dog")
    assert strength == pytest.approx(0.8)


@pytest.mark.parametrize("rule", ["A and B", "(A and B) or (C and D)"])
def test_words_that_need_each_other_form_a_group_and_stand_ins_do_not(rule):
    found = find_planted("shapley-interactions", rule, count=10)
    assert found.as_groups >= 0.9
    assert found.on_top >= 0.9


def test_the_budget_is_kept_and_a_pair_explained_with_others_is_explained_the_same():
    a, b = sentences(np.random.default_rng(0), 10)
    c, d = sentences(np.random.default_rng(1), 10)
    model = rule_model([[(0, a[0]), (1, b[0])], [(0, c[0]), (1, d[0])]])
    pairs = [(" ".join(a), " ".join(b)), (" ".join(c), " ".join(d))]
    together = gmask.explain(model, pairs=pairs, method="shapley-interactions", samples=300)
    alone = [gmask.explain(model, *p, method="shapley-interactions", samples=300) for p in pairs]
    assert all(e.rows <= 300 for e in alone)
    assert [e.attributions for e in together] == [e.attributions for e in alone]


def test_of_long_pairs_the_words_that_seem_to_matter_are_looked_at():
    random = np.random.default_rng(0)
    first, second = (" ".join(f"w{i}" for i in random.permutation(40)[:25]) for _ in range(2))
    a, b = first.split()[3], second.split()[20]
    e = gmask.explain(rule_model([[(0, a), (1, b)]]), first, second, method="shapley-interactions", words=10)
    assert {e.words[i].text for i in e.groups[0].members} == {a, b}
    assert np.count_nonzero(np.round(e.attributions, 9)) <= 10


def test_without_shapiq_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "shapiq", None)
    with pytest.raises(gmask.GmaskError, match=r"pip install \"gmask\[methods\]\""):
        gmask.explain(rule_model([[(0, "a")]]), "a b", "c d", method="shapley-interactions")
