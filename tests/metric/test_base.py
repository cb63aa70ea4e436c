from __future__ import annotations

import numpy as np
import pytest

import gmask
from gmask.metric.base import Case, Metric, create, everyway, usual
from gmask.model.callable import CallableModel


def test_metrics_are_listed_by_name():
    names = gmask.metrics()
    assert {"aopc", "post_hoc_accuracy", "degradation", "token_f1", "seed_stability", "seconds", "rows"} <= set(names)
    assert names == sorted(names)


def test_every_metric_says_what_it_is():
    for name in gmask.metrics():
        metric = create(name)
        assert metric.title
        assert metric.summary
        assert metric.better in ("higher", "lower")
        assert metric.range[0] < metric.range[1]


def test_an_unknown_metric_is_told_with_the_known_ones():
    with pytest.raises(gmask.GmaskError, match="unknown metric 'apoc'; valid: alignment, aopc"):
        create("apoc")


def test_a_metric_may_remove_words_in_a_way_of_its_own():
    metric = create("AOPC@zero")
    assert (metric.full_name, metric.full_title, metric.under) == ("aopc@zero", "AOPC (zero)", "zero")
    assert create("aopc").full_name == "aopc"
    with pytest.raises(gmask.GmaskError, match="seconds asks about no rows, so it is the same however words are"):
        create("seconds@zero")


def test_what_asks_about_rows_is_measured_in_every_way_and_the_rest_once():
    assert everyway(["aopc", "Rows", "sufficiency@zero"], ["same", "mask"]) == [
        *("aopc", "aopc@mask"),
        *("rows", "sufficiency@zero"),
    ]


def test_costly_metrics_are_left_out_unless_asked_for():
    costly = {"seed_stability", "change_stability", "group_stability", "normalised_aopc"}
    assert set(gmask.metrics()) - set(usual(aligned=True)) == costly


def test_what_was_measured_before_there_were_alignments_still_is_where_there_are_none():
    assert set(usual(aligned=True)) - set(usual()) == {"alignment"}


def test_rows_without_and_with_only_the_top_words():
    model = CallableModel(lambda pairs: [0.9 if "key" in b else 0.1 for _, b in pairs])
    case = Case(gmask.explain(model, "one two", "key four", method="leave-one-out"))
    assert case.without_top([0, 1, 9]).tolist() == [[True] * 4, [True, True, False, True], [False] * 4]
    assert case.only_top([0, 1, 9]).tolist() == [[False] * 4, [False, False, True, False], [True] * 4]
    assert case.without_top([]).shape == (0, 4)


def test_a_metric_of_ones_own_is_measured_by_name():
    class Loudness(Metric):
        name = "loudness"
        title = summary = "the probability itself"

        def rows(self, case):
            return np.ones((1, case.n), bool)

        def measure(self, case, answers):
            return [float(answers.values[0])]

    try:
        r = gmask.evaluate(
            CallableModel(lambda pairs: [0.75] * len(pairs)), [("a", "b")], methods=["random"], metrics=["loudness"]
        )
        assert r["random"]["loudness"] == 0.75
        assert "aopc" not in r["random"]
    finally:
        del Metric.registry["loudness"]
