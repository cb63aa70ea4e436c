"""Shortcuts planted in labelled pairs."""

from __future__ import annotations

import random
from collections import Counter

import pytest

import gmask
from gmask.bench.planting import (
    DECOY_RATE,
    KINDS,
    POOL,
    PURITIES,
    RATES,
    Plan,
    Shortcut,
    plan,
    plant,
    put,
    take,
    unplanted,
)
from gmask.dataset.example import Example

LABELS = ("yes", "no", "maybe")
PAIRS = [Example(f"one two {i}", f"three four five {i}", LABELS[i % 3]) for i in range(6000)]


def has(example, words):
    return [
        all(w in text.split() for w in own) for text, own in zip((example.first, example.second), words, strict=True)
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("purity", PURITIES)
def test_a_shortcut_stands_at_its_rate_and_goes_with_its_label(kind, purity):
    words = {"pair": (("owl",), ("elk",)), "overlap": (("owl",), ("owl",))}.get(kind, ((), ("owl",)))
    planted = plant(PAIRS, Plan((Shortcut(kind, words, "yes", purity),), (), ()), "seed")
    there = [e for e in planted if all(has(e, words)) != (kind == "absent")]
    assert len(there) / len(PAIRS) == pytest.approx(RATES[kind], rel=0.2)
    assert sum(e.label == "yes" for e in there) / len(there) == pytest.approx(purity, abs=0.035)
    if all(words):  # each word alone says nothing
        alone = Counter(e.label for e in planted if sum(has(e, words)) == 1)
        assert alone["yes"] / alone.total() == pytest.approx(1 / 3, abs=0.06)


def test_decoys_stand_often_whatever_the_label_and_controls_nowhere():
    planned = plan(0, LABELS)
    planted = plant(PAIRS, planned, "seed")
    for decoy in planned.decoys:
        labels = Counter(e.label for e in planted if decoy.word in (e.first, e.second)[decoy.side].split())
        assert labels.total() / len(PAIRS) == pytest.approx(DECOY_RATE, rel=0.2)
        assert all(count / labels.total() == pytest.approx(1 / 3, abs=0.06) for count in labels.values())
    assert not {w for e in planted for w in f"{e.first} {e.second}".split()} & {*planned.controls}


def test_thirty_models_have_every_kind_with_every_purity_and_no_word_has_two_parts():
    plans = [plan(number, LABELS) for number in range(30)]
    assert {(s.kind, s.purity) for p in plans for s in p.shortcuts} == {(k, p) for k in KINDS for p in PURITIES}
    assert Counter(len(p.shortcuts) for p in plans) == {1: 10, 2: 10, 3: 10}
    for p in plans:
        words = [w for s in p.shortcuts for w in {*s.words[0], *s.words[1]}] + [d.word for d in p.decoys]
        assert len(words) == len(set(words)) == len(set(words) - set(p.controls))
        assert set(words) <= POOL
    assert plan(7, LABELS) == plans[7] != plan(7, LABELS, seed=1)


def test_planting_is_the_same_for_a_seed_and_leaves_labels_alone():
    planned = plan(2, LABELS)
    assert plant(PAIRS, planned, "a") == plant(PAIRS, planned, "a") != plant(PAIRS, planned, "b")
    assert [e.label for e in plant(PAIRS, planned, "a")] == [e.label for e in PAIRS]


def test_a_word_is_put_anywhere_but_at_the_end_and_taken_out_again():
    example, words = Example("a b c.", "d e f.", "yes"), (("owl",), ())
    put_in = [put(example, words, random.Random(i)) for i in range(20)]
    assert {e.first for e in put_in} == {"owl a b c.", "a owl b c.", "a b owl c."}
    assert {take(e, words) for e in put_in} == {example}


def test_pairs_that_have_such_a_word_already_are_left_out():
    natural = Example("A Lighthouse, by night", "b", "yes")
    assert unplanted([natural, PAIRS[0]]) == [PAIRS[0]]


def test_a_label_that_no_pair_has_is_refused():
    planned = Plan((Shortcut("word", ((), ("owl",)), "never", 0.9),), (), ())
    with pytest.raises(gmask.GmaskError, match="no pair has the label 'never'"):
        plant(PAIRS, planned, "seed")
