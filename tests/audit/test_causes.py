"""When several words are one cause, and when one of them is; what is told beside it."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

import gmask
from gmask.audit.asking import Answer
from gmask.audit.causes import settle
from gmask.audit.figures import recount
from gmask.audit.pattern import Pattern
from gmask.audit.proof import Proof, Trial
from gmask.audit.seen import text_of
from gmask.view.audit import to_page
from tests.audit.toys import box, pairs, seen

PAIR = Pattern("pair", ("amber",), ("nearly",))
AMBER, NEARLY = PAIR.single


def proof(pattern, turned, *controls, hosts=50, label=1):
    """A test in which a pattern and its controls turned so many answers."""

    def answer(number, count):
        return Answer(int(number < count), (0.5, 0.5))

    trials = [
        Trial(seen(f"a {n}", f"b {n}", number=n), ("a", "b"), (("a", "c"),) * len(controls), answer(n, turned), own)
        for n in range(hosts)
        for own in [tuple(answer(n, count) for count in controls)]
    ]
    return replace(Proof(pattern, label, tuple(trials)).tested(), q=0.001)


def resting(pattern, count):
    """Pairs whose answer rests on the words of a pattern."""
    first, second = "amber" if pattern.first else "gold", "nearly" if pattern.second else "just"
    return [seen(f"a {first}", f"b {second}", 1, resting=((1,), (1,)))] * count


def told(proofs, rests):
    return {c.pattern: [p.pattern for p in c.parts] for c in settle(proofs, rests)}


def test_two_words_that_do_more_than_either_are_one_cause_with_the_words_as_parts():
    proofs = [proof(PAIR, 48, 10, 30, 0), proof(AMBER, 30, 0), proof(NEARLY, 10, 0)]
    assert told(proofs, resting(PAIR, 10) + resting(AMBER, 5) + resting(NEARLY, 5)) == {PAIR: [AMBER, NEARLY]}


def test_a_word_that_does_most_and_stands_mostly_alone_is_the_cause():
    proofs = [proof(PAIR, 48, 10, 30, 0), proof(AMBER, 30, 0)]
    assert told(proofs, resting(PAIR, 1) + resting(AMBER, 20)) == {AMBER: []}


def test_a_word_that_does_all_is_the_cause():
    assert told([proof(PAIR, 48, 10, 46, 0), proof(AMBER, 46, 0)], resting(PAIR, 10)) == {AMBER: []}


def test_a_word_that_does_nearly_all_is_the_cause_though_both_stand_together():
    proofs = [proof(PAIR, 48, 10, 40, 0), proof(AMBER, 40, 0)]
    assert told(proofs, resting(PAIR, 10) + resting(AMBER, 5)) == {AMBER: []}


def test_a_word_that_does_less_but_stands_mostly_alone_is_told_beside_the_two():
    proofs = [proof(PAIR, 48, 0, 15, 0), proof(AMBER, 15, 0)]
    assert told(proofs, resting(PAIR, 3) + resting(AMBER, 20)) == {PAIR: [], AMBER: []}


def test_what_two_words_do_is_held_against_neither_and_what_each_does_is_known():
    two = proof(PAIR, 48, 10, 30, 5)
    assert (two.effect, two.gain) == pytest.approx((0.36, 0.86))
    assert two.alone == (0.6, 0.2)
    assert proof(AMBER, 48, 10).gain == proof(AMBER, 48, 10).effect
    assert proof(AMBER, 48, 10).alone == ()


def half(words):
    """Holds for half of all texts, whatever they are."""
    return hashlib.md5(" ".join(words).encode(), usedforsecurity=False).digest()[0] < 128


@pytest.fixture(scope="module")
def audited():
    """`amber` with `nearly` turns all answers, `amber` alone half of them."""

    def says(first, second):
        return "amber" in first and ("nearly" in second or half(w for w in second if w != "nearly"))

    rows = pairs(400, put=("nearly",), rate=0.5)
    return gmask.audit(box(says), rows, method="leave-one-out", hosts=60)


def test_the_card_and_the_text_say_what_each_word_does_alone(audited):
    number, finding = next((i, f) for i, f in enumerate(audited.findings, 1) if f.details["kind"] == "pair")
    assert (finding.first, finding.second, finding.label) == (("amber",), ("nearly",), "same")
    amber, nearly, neither = finding.details["alone"]
    assert (amber["word"], amber["text"], nearly["word"], nearly["text"]) == ("amber", "first", "nearly", "second")
    trials = finding.details["trials"]
    by_hand = sum(t["controls"][1]["after"] == "same" for t in trials) / len(trials)
    assert all("amber" in text_of(t["controls"][1]["texts"][0]).words for t in trials)
    assert amber["turned"] == pytest.approx(by_hand, abs=1e-4)
    assert 0.3 < amber["turned"] < 0.7 < finding.turned
    assert nearly["turned"] < 0.2
    assert neither["turned"] == 0
    alone = f"“amber” in the first alone {amber['turned']:.0%}, “nearly” in the second alone {nearly['turned']:.0%}"
    assert alone in str(audited)
    page = to_page(audited.data)
    assert f"“amber” alone, in the first text, turned {100 * amber['turned']:.0f}" in page
    assert "Neither of them turned 0" in page
    assert not [f for f in audited.findings if f.details["kind"] == "word" and f.first == ("amber",)]
    assert number <= 2


def test_what_each_word_does_alone_can_be_computed_again(audited):
    assert recount(audited.data) == []
    next(f for f in audited.data["findings"] if f["alone"])["alone"][0]["turned"] += 0.1
    assert len(recount(audited.data)) == 1
