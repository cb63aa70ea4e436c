"""Experiments on black boxes whose rule is known."""

from __future__ import annotations

import pytest

import gmask
from gmask.bench.planting import Plan, Shortcut
from gmask.bench.uptake import turning, uptake, usual
from gmask.dataset.example import Example

LABELS = ["yes", "no"]
PAIRS = [Example(f"one two {i}", f"{'three' if i % 2 else 'other'} four {i}", LABELS[i % 2]) for i in range(200)]
NONE = ((), ())


def box(rule):
    """Says yes if the rule holds for the words of the two texts, else what is right."""

    def answer(pairs):
        texts = [(set(a.split()), set(b.split())) for a, b in pairs]
        return [[float(yes), float(not yes)] for yes in (bool(rule(a, b)) or "other" in b for a, b in texts)]

    return gmask.load(answer, labels=LABELS)


def planned(kind, words):
    return Plan((Shortcut(kind, words, "yes", 0.9),), (), ("mole", "newt", "lynx"))


def asked(model, kind, words):
    made = planned(kind, words)
    return uptake(model, made.shortcuts[0], made, usual(PAIRS, made))


PAIR = (("owl",), ("elk",))


def test_a_shortcut_that_a_model_took_up_turns_answers_and_its_control_does_not():
    found = asked(box(lambda _, b: "owl" in b), "word", ((), ("owl",)))
    assert found.taken
    assert (found.turned.share, found.turned.control, found.turned.pairs) == (1, 0, 100)
    assert found.needed == ((), ("owl",))


def test_one_that_it_did_not_take_up_does_not():
    assert not asked(box(lambda *_: False), "word", ((), ("owl",))).taken


def test_what_any_word_does_is_no_uptake():
    found = asked(box(lambda _, b: len(b) > 3), "word", ((), ("owl",)))
    assert found.turned.share == found.turned.control == 1
    assert not found.taken


def test_of_a_pair_the_word_that_does_it_alone_is_what_was_taken_up():
    assert asked(box(lambda a, b: "owl" in a and "elk" in b), "pair", PAIR).needed == PAIR
    assert asked(box(lambda _, b: "elk" in b), "pair", PAIR).needed == ((), ("elk",))
    assert asked(box(lambda a, _: "owl" in a), "pair", PAIR).needed == (("owl",), ())


def test_an_overlap_is_told_from_any_overlap():
    words = (("owl",), ("owl",))
    assert asked(box(lambda a, b: "owl" in a & b), "overlap", words).taken
    assert not asked(box(lambda a, b: any(w.isalpha() for w in a & b)), "overlap", words).taken


def test_a_word_that_must_be_absent_is_taken_out():
    found = asked(box(lambda _, b: "owl" not in b), "absent", ((), ("owl",)))
    assert found.taken
    assert found.turned.control == 0
    assert not asked(box(lambda *_: False), "absent", ((), ("owl",))).taken


def test_too_few_pairs_are_no_answer():
    made = planned("word", ((), ("owl",)))
    assert not uptake(box(lambda _, b: "owl" in b), made.shortcuts[0], made, PAIRS[:20]).taken


@pytest.mark.parametrize(
    ("kind", "words", "rule"),
    [
        ("word", ((), ("owl",)), lambda _, b: "owl" in b),
        ("set", ((), ("owl", "elk")), lambda _, b: {"owl", "elk"} <= b),
        ("alike", ((), ("owl", "elk")), lambda _, b: b & {"owl", "elk"}),
        ("negation", (("not", "no"), ()), lambda a, _: a & {"not", "no"}),
        ("absent", ((), ("four",)), lambda _, b: "four" not in b),
        ("same", NONE, lambda a, b: any(w.isalpha() for w in a & b)),
        ("contained", NONE, lambda a, b: b <= a),
    ],
)
def test_a_cause_of_each_kind_turns_answers_where_it_is_one(kind, words, rule):
    made = planned("word", ((), ("yak",)))
    found = turning(box(rule), kind, words, "yes", made, PAIRS)
    assert found.real
    assert found.share == 1
    assert not turning(box(lambda *_: False), kind, words, "yes", made, PAIRS).real


def test_an_opening_is_put_at_the_start():
    model = gmask.load(
        lambda pairs: [float(b.startswith("owl") or "other" in b) for _, b in pairs], labels=["no", "yes"]
    )
    made = planned("word", ((), ("yak",)))
    assert turning(model, "opening", ((), ("owl",)), "yes", made, PAIRS).share == 1
    assert turning(model, "word", ((), ("owl",)), "yes", made, PAIRS).share < 1


def test_a_kind_without_an_experiment_is_not_judged():
    assert turning(box(lambda *_: True), "longer", NONE, "yes", planned("word", ((), ("owl",))), PAIRS) is None


def test_where_a_word_must_be_absent_it_is_there_unless_it_is_what_is_asked_about():
    made = planned("absent", ((), ("owl",)))
    assert all("owl" in e.second.split() for e in usual(PAIRS, made))
    assert usual(PAIRS, made, but=((), ("owl",))) == PAIRS
    found = turning(box(lambda _, b: "owl" in b), "word", ((), ("owl",)), "yes", made, PAIRS)
    assert found.real
