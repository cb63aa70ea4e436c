"""What methods cost: counted, tabled, and raced."""

from __future__ import annotations

import pytest

import gmask
from gmask.bench.methods import (
    Cost,
    aopc,
    compare_methods,
    compare_originals,
    costs_table,
    ladder,
    race,
    race_table,
    usable,
)
from gmask.metric.aopc import Aopc
from gmask.metric.base import Answers, Case
from tests.model.families import tiny
from tests.toys import rule_model

PAIRS = [("the old cat sat", "my dog ran off"), ("a cat", "one dog more")]


@pytest.fixture
def box():
    return rule_model([[(0, "cat"), (1, "dog")]])


def test_costs_count_the_rows_of_each_method(box):
    loo, random = compare_methods(box, PAIRS, ["leave-one-out", "random"])
    assert (loo.name, loo.rows, loo.gradient_rows) == ("leave-one-out", (9 + 6) / 2, 0)
    assert random.rows == 1
    assert loo.seconds > 0
    assert loo.aopc > random.aopc


@pytest.mark.parametrize("pair", [*PAIRS, ("one two three four five six cat", "seven eight dog nine ten eleven")])
def test_aopc_is_that_of_the_metric(box, pair):
    e = gmask.explain(box, *pair, method="kernelshap")
    case, metric = Case(e), Aopc()
    values = box.bind(*pair)(metric.rows(case))[:, 1]
    assert aopc(e) == pytest.approx(metric.measure(case, Answers(values, values > 0.5))[0])


def test_methods_that_cannot_serve_a_model_are_left_out_and_said(box):
    said = []
    names = usable(box, PAIRS[0], None, said.append)
    assert {"lime", "gmask", "random"} <= set(names)
    assert not {"iba", "integrated-gradients", "attention-rollout", "l2x"} & set(names)
    assert any(line.startswith("without iba: iba needs gradients") for line in said)
    with pytest.raises(gmask.GmaskError, match="no selector"):
        usable(box, PAIRS[0], ["l2x"], said.append)


@pytest.mark.slow
def test_the_packages_run_on_the_same_model_with_as_many_samples():
    model = gmask.load(tiny("bert"))
    pairs = [("A man playing an electric guitar on stage.", "A man playing banjo on the floor.")]
    compared = compare_originals(model, pairs, samples=40)
    assert [(p.name, c.name) for p, c in compared] == [
        ("lime", "lime"),
        ("shap", "kernelshap"),
        ("captum", "kernelshap"),
    ]
    for package, ours in compared:
        assert 40 <= package.rows <= 45  # some ask about the pair itself as well
        assert ours.rows <= 40
        assert package.seconds > 0
    assert "times faster" in costs_table([], compared)


def test_a_race_runs_every_rung(box):
    costs = race(box, PAIRS[:1], ["lime", "leave-one-out"])
    assert [c.settings for c in costs] == [*ladder("lime"), {}]


def test_the_race_table_has_the_cheapest_setting_that_reaches_a_level_and_says_never():
    costs = [
        Cost("a", {"samples": 10}, 1.0, 10, 0, 0.3),
        Cost("a", {"samples": 99}, 5.0, 99, 0, 0.5),
        Cost("b", {}, 2.0, 20, 0, 0.41),
    ]
    table = race_table(costs, levels=(0.5, 0.8, 1.0)).splitlines()
    assert table[0] == "| method | AOPC 0.250 (50%) | AOPC 0.400 (80%) | AOPC 0.500 (100%) | best AOPC |"
    assert table[2] == "| a | 1.000 (samples=10) | 5.000 (samples=99) | 5.000 (samples=99) | 0.500 |"
    assert table[3] == "| b | 2.000 | 2.000 | never | 0.410 |"


def test_the_costs_table_is_ordered_by_time():
    table = costs_table([Cost("slow", {}, 2.0, 5, 0, 0.5), Cost("fast", {}, 1.0, 5, 3, 0.25)], [])
    assert table.splitlines()[2:] == ["| fast | 1.000 | 5 | 3 | 0.250 |", "| slow | 2.000 | 5 | 0 | 0.500 |"]
