"""What is told of a pair on the way to its explanation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gmask
from gmask.evidence import BRIEF
from gmask.known import FIRST
from gmask.method.base import Answer
from gmask.method.loo import LeaveOneOut
from tests.toys import rule_model

A = "a cat sat on the old red mat today with my very own hat and a long green scarf"
B = "my dog ran up the long steep road to town while it rained on all of us"
RULE = [[(0, "cat"), (1, "dog")]]


def bare(e):
    return replace(e, seconds=None)


@pytest.mark.parametrize("model", [rule_model(RULE), "nli"], ids=["black box", "nli"])
def test_the_last_is_what_the_explainer_says_and_those_before_say_that_they_are_not(model):
    explainer = gmask.Explainer(gmask.load(model), budget=300) if model == "nli" else gmask.Explainer(model)
    first, second = (A[:20], B[:20]) if model == "nli" else (A, B)
    *before, last = explainer.stream(first, second)
    assert bare(last) == bare(explainer(first, second))
    assert before
    assert "unfinished" not in last.details
    rows = [e.details["unfinished"] for e in before]
    assert rows == sorted(rows) == [e.rows for e in before]
    assert rows[0] < last.rows / 2
    assert rows[-1] <= last.rows


def test_the_first_comes_after_few_rows_and_is_a_whole_explanation():
    *before, last = gmask.Explainer(rule_model(RULE)).stream(A, B)
    e = before[0]
    assert e.rows <= max(FIRST, len(e.words) + 1)
    assert (e.value, e.label, e.words, e.evidence.nothing) == (
        last.value,
        last.label,
        last.words,
        last.evidence.nothing,
    )
    assert {w.text for w in e.top(2)} == {"cat", "dog"}
    assert len(e.evidence.kept) == BRIEF
    assert e.evidence.kept[1] == e.value
    assert gmask.Explanation.from_json(e.to_json()) == e
    assert "not final" in e.notes()[0]
    assert "not final" in e.to_text()
    assert not any("not final" in note for note in last.notes())


def test_of_sentences_what_is_told_is_of_sentences_too():
    explainer = gmask.Explainer(rule_model(RULE), units="sentences", reference="empty")
    texts = " . ".join(A.split()), " . ".join(B.split())  # 17 sentences each
    *before, last = explainer.stream(*texts)
    assert before
    assert {e.words for e in before} == {last.words}
    assert bare(last) == bare(explainer(*texts))


def test_what_is_told_is_known_better_and_better():
    random = np.random.default_rng(0)
    weights = dict(zip((A + " " + B).split(), random.normal(size=64), strict=False))
    model = gmask.load(
        lambda pairs: [1 / (1 + np.exp(-sum(weights.get(w, 0) for w in f"{a} {b}".split()))) for a, b in pairs],
        labels=["no", "yes"],
    )
    told = list(gmask.Explainer(model, reference="empty").stream(A, B))
    final = np.array(told[-1].attributions)
    agreement = [np.corrcoef(np.argsort(np.argsort(e.attributions)), np.argsort(np.argsort(final)))[0, 1] for e in told]
    assert len(told) > 2
    assert agreement[-2] > 0.5


def test_a_budget_is_not_spent_on_what_is_told_on_the_way():
    model = gmask.load(lambda pairs: [float("cat" in a) for a, _ in pairs], labels=["no", "yes"], budget=400)
    assert len(list(gmask.Explainer(model).stream(A, B))) == 1


def test_a_method_may_say_itself_what_it_knows(monkeypatch):
    def so_far(_self, task, rows, values, whole):
        assert rows.shape == (len(values), task.n)
        assert whole == 0.95
        return Answer(np.arange(task.n, dtype=float), [(1.0, np.ones(task.n))])

    monkeypatch.setattr(LeaveOneOut, "so_far", so_far)
    first, last = gmask.Explainer(rule_model(RULE), "leave-one-out").stream(A, B)
    assert first.order()[0] == len(first.words) - 1
    assert len(first.groups) == 1
    assert not last.groups
