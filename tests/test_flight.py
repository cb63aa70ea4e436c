"""Pairs in flight share batches, one that ends makes room for the next, and none learns of another."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import gmask
from gmask.dataset.example import Example
from gmask.errors import GmaskError
from gmask.flight import AHEAD, TOGETHER
from tests.toys import rule_model

RULE = [[(0, "cat"), (1, "dog")]]
SHORT = ("a cat", "my dog")
LONG = ("a cat sat on the old red mat", "my dog ran up the long steep road")


def asked_a_round(model):
    """Told of every call, by how many pairs it asks about."""
    calls, answer = [], model.answer

    def counted(requests, **options):
        calls.append(len({bound.texts for bound, _ in requests}))
        return answer(requests, **options)

    model.answer = counted
    return calls


def test_a_pair_that_ends_makes_room_for_the_next():
    model = rule_model(RULE)
    model.budget = 10_000  # so that nothing is asked again in the end
    calls = asked_a_round(model)
    pairs = [(f"{LONG[0]} {i}", LONG[1]) if i % 4 == 0 else (f"cat {i}", "dog") for i in range(3 * TOGETHER)]
    assert len(gmask.explain(model, pairs=pairs, reference="empty", partners=0)) == len(pairs)
    busy = calls[: -calls[::-1].index(TOGETHER)]  # until the last round that was full
    assert busy.count(TOGETHER) > 0.9 * len(busy)


def test_numbers_do_not_depend_on_who_else_is_asked_about():
    model = rule_model(RULE)
    pairs = [SHORT, LONG, ("no cat", "one dog here"), LONG[::-1]] * 6
    together = gmask.explain(model, pairs=pairs)
    for pair, e in zip(pairs, together, strict=True):
        assert replace(gmask.explain(model, *pair), seconds=None) == replace(e, seconds=None)


def test_they_come_in_their_order_while_few_are_begun():
    begun = []

    def endless():
        for i in count():
            begun.append(i)
            yield Example(*(LONG if i == 0 else (f"cat {i}", "dog")))

    coming = gmask.Explainer(rule_model(RULE), "leave-one-out").outcomes(endless())
    for i in range(3 * AHEAD):
        e = next(coming)
        assert (e.first == LONG[0]) == (i == 0)
        assert len(begun) <= i + 1 + AHEAD


def test_an_error_of_one_pair_is_its_own_and_asks_nobody_again():
    asked = []

    def box(pairs):
        asked.extend(pairs)
        if any("mouse" in a for a, _ in pairs):
            raise RuntimeError("a mouse")
        return [0.9 if "cat" in a else 0.1 for a, _ in pairs]

    explainer = gmask.Explainer(gmask.load(box, labels=["no", "yes"]), "leave-one-out", reference="empty")
    given = [Example(*SHORT), Example("a mouse", "b"), GmaskError("no pair"), Example(*LONG)]
    first, mouse, bad, last = explainer.outcomes(given)
    assert (first.first, last.first) == (SHORT[0], LONG[0])
    assert "a mouse" in str(mouse)
    assert str(bad) == "no pair"
    assert sum(pair == SHORT for pair in asked) <= 3  # in the call that failed, by itself, and once more at the end
