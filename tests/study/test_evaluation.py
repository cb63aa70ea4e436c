from __future__ import annotations

import json

import numpy as np
import pytest

import gmask
from gmask.dataset.example import Example
from gmask.errors import GmaskError
from gmask.method.loo import LeaveOneOut, Random
from gmask.model.callable import CallableModel
from gmask.study.run import Run
from tests.study import boxes

METHODS = ["leave-one-out", "random", "kernelshap:samples=40"]


def model(box=None, **options):
    return CallableModel(box or boxes.Box(), labels=boxes.words.labels, **options)


def test_figures_with_intervals_by_method():
    r = gmask.evaluate(model(), boxes.some(12), methods=METHODS, seed=0)
    assert list(r) == METHODS
    for method in METHODS:
        found = r[method]
        assert isinstance(found["aopc"], float)
        assert isinstance(found["degradation"], float)
        assert len(found["post_hoc_accuracy"]) == 10
        low, high = found["aopc_interval"]
        assert low <= found["aopc"] <= high
        assert all(
            low <= v <= high
            for v, (low, high) in zip(found["post_hoc_accuracy"], found["post_hoc_accuracy_interval"], strict=True)
        )
        assert found["pairs"] == 12
        assert found["failed"] == 0
        assert found["seconds"] > 0
    assert r["leave-one-out"]["aopc"] > r["random"]["aopc"]
    assert r["random"]["rows"] == 1
    with pytest.raises(KeyError):
        r["shap"]


def test_pairs_come_in_every_form():
    for pair in (("a b", "a c"), {"premise": "a b", "hypothesis": "a c"}, Example("a b", "a c", "same", "7")):
        r = gmask.evaluate(model(), [pair], methods=["random"])
        (record,) = r.records("random")
        assert (record.explanation.first, record.explanation.second) == ("a b", "a c")
    assert (record.gold, record.id) == ("same", "7")


def test_a_method_may_come_with_its_settings():
    r = gmask.evaluate(model(), boxes.some(2), methods=["kernelshap:samples=30", LeaveOneOut()])
    assert list(r) == ["kernelshap:samples=30", "leave-one-out"]
    assert r.records("kernelshap:samples=30")[0].explanation.settings["samples"] == 30


def test_two_methods_are_compared_on_the_same_pairs():
    r = gmask.evaluate(model(), boxes.some(20), methods=["leave-one-out", "random"])
    found = r.compare("leave-one-out", "random", "aopc")
    assert found.difference == pytest.approx(r["leave-one-out"]["aopc"] - r["random"]["aopc"])
    assert found.pairs == 20
    assert found.p < 0.05
    with pytest.raises(GmaskError, match="unknown method 'shap'; valid: leave-one-out, random"):
        r.compare("shap", "random", "aopc")
    with pytest.raises(GmaskError, match="never measured by token_f1"):
        r.compare("leave-one-out", "random", "token_f1")


def test_rows_are_asked_once_a_pair_and_counted_for_every_method():
    methods, box = ["leave-one-out", "keep-one"], boxes.Box()
    pairs = [("amber birch cedar", "delta ember fjord grove"), ("heron indigo", "jasper kelp lotus")]
    both = gmask.evaluate(model(box), pairs, methods=methods)
    asked = [pair for pair in box.seen if pair not in [("", ""), *pairs]]
    assert len(asked) == len(set(asked)) > 20
    assert [box.seen.count(pair) for pair in pairs] == [2, 2]  # again, to see whether the model keeps to its answer
    for method in methods:
        by_itself = gmask.evaluate(model(), pairs, methods=[method])
        assert both[method]["rows"] == by_itself[method]["rows"] > 1


def test_alone_methods_share_nothing_and_find_the_same():
    pairs = boxes.some(3)
    shared, alone = (
        (gmask.evaluate(model(box), pairs, methods=METHODS, alone=a), box)
        for a, box in ((False, boxes.Box()), (True, boxes.Box()))
    )
    assert len(alone[1].seen) > len(shared[1].seen)
    for method in METHODS:
        for one, other in zip(shared[0].records(method), alone[0].records(method), strict=True):
            assert one.without_time() == other.without_time()


def test_a_budget_is_each_methods_own():
    r = gmask.evaluate(model(budget=60), boxes.some(2), methods=["leave-one-out", "keep-one", "kernelshap:samples=20"])
    assert all(r[method]["failed"] == 0 for method in r)


def test_a_budget_is_each_variants_own_too():
    r = gmask.evaluate(
        model(budget=60), boxes.some(2), methods=["kernelshap:samples=20"], metrics=["aopc", "seed_stability"]
    )
    assert (r["kernelshap:samples=20"]["pairs"], r["kernelshap:samples=20"]["failed"]) == (2, 0)


def test_a_pair_that_cannot_be_explained_is_counted_and_the_others_go_on():
    r = gmask.evaluate(model(), [("a b", "a c"), ("...", "a"), ("a d", "a e")], methods=["random"])
    assert (r["random"]["pairs"], r["random"]["failed"]) == (2, 1)
    assert "only punctuation" in r.records("random")[1].error


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"methods": ["shap"]}, "unknown method 'shap'"),
        ({"methods": []}, "at least one method"),
        ({"methods": ["random", "random"]}, "given twice"),
        ({"methods": ["kernelshap:sample=3"]}, "unknown option of kernelshap 'sample'"),
        ({"methods": ["iba"]}, "iba needs gradients"),
        ({"metrics": ["apoc"]}, "unknown metric 'apoc'"),
        ({"removal": "zero"}, "unknown removal for Box: 'zero'; valid: delete"),
        ({"engine": "spark"}, "unknown engine 'spark'; valid: local, ray"),
        ({"address": "somewhere"}, "the local engine has no address"),
    ],
)
def test_mistakes_are_told_before_anything_is_done(tmp_path, options, told):
    with pytest.raises(GmaskError, match=told):
        gmask.evaluate(model(), boxes.some(1), output=tmp_path / "run", **{"methods": ["random"], **options})
    assert not (tmp_path / "run").exists()
    with pytest.raises(GmaskError, match="no pair"):
        gmask.evaluate(model(), [], methods=["random"])


def run(folder, count=8, box=None, **options):
    return gmask.evaluate(model(box), boxes.some(count), **{"methods": METHODS, "output": folder, **options})


def test_a_run_holds_a_record_for_each_pair_and_method_and_what_it_is_of(tmp_path):
    results = run(tmp_path / "run")
    lines = (tmp_path / "run" / "records.jsonl").read_text(encoding="utf-8").splitlines()
    assert [(r["pair"], r["method"]) for r in map(json.loads, lines)] == [(p, m) for p in range(8) for m in METHODS]
    manifest = json.loads((tmp_path / "run" / "run.json").read_text())
    assert manifest["model"]["hash"] == model().hash
    assert manifest["methods"]["kernelshap:samples=40"]["samples"] == 40
    assert (manifest["seed"], manifest["removal"]) == (0, "delete")
    assert "numpy" in manifest["versions"]
    there = list(Run(tmp_path / "run", pytest.fail).records())
    assert [r.explanation for r in there if r.method == "random"] == [r.explanation for r in results.records("random")]
    assert all(record.seconds > 0 for record in there)


def test_a_finished_run_asks_nothing_again(tmp_path):
    run(tmp_path / "run")
    before, box = (tmp_path / "run" / "records.jsonl").read_bytes(), boxes.Box()
    r = run(tmp_path / "run", box=box)
    assert box.seen == []
    assert r["random"]["pairs"] == 8
    assert (tmp_path / "run" / "records.jsonl").read_bytes() == before


@pytest.mark.parametrize("lines", [0, 1, 7, 23])
@pytest.mark.parametrize("rest", [0, 40])
def test_cut_anywhere_it_ends_up_with_the_same_bytes(tmp_path, capsys, lines, rest):
    run(tmp_path / "whole")
    whole = (tmp_path / "whole" / "records.jsonl").read_bytes()
    run(tmp_path / "cut", 1)
    parts = whole.splitlines(keepends=True)
    (tmp_path / "cut" / "records.jsonl").write_bytes(b"".join(parts[:lines]) + parts[lines][:rest])
    run(tmp_path / "cut")
    assert (tmp_path / "cut" / "records.jsonl").read_bytes() == whole
    assert ("is cut short" in capsys.readouterr().err) == bool(rest)


def test_damage_in_the_middle_is_said_and_the_rest_is_kept(tmp_path, capsys):
    run(tmp_path / "run")
    path = tmp_path / "run" / "records.jsonl"
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[whole.index(b'"n":10,') + 30] ^= 4
    path.write_bytes(damaged)
    found = list(Run(tmp_path / "run", print).records())
    assert len(found) == 23
    assert "line 11 does not match its checksum" in capsys.readouterr().out
    box = boxes.Box()
    run(tmp_path / "run", box=box)
    assert {first.split()[0] for first, _ in box.seen if first.startswith("p")} == {"p3"}
    assert path.read_bytes() == whole
    assert "23 of 24 records are kept" in capsys.readouterr().err


def test_more_pairs_go_on_with_a_run_and_fewer_take_a_part_of_it(tmp_path):
    run(tmp_path / "whole")
    run(tmp_path / "run", 3)
    more = run(tmp_path / "run")
    assert (tmp_path / "run" / "records.jsonl").read_bytes() == (tmp_path / "whole" / "records.jsonl").read_bytes()
    assert more["random"]["pairs"] == 8
    assert run(tmp_path / "run", 3)["random"]["pairs"] == 3


def test_runs_of_something_else_are_refused(tmp_path):
    run(tmp_path / "run", 2)
    for options, told in (
        ({"seed": 1}, "begun with seed 0"),
        ({"methods": ["random"]}, "begun with methods leave-one-out"),
        ({"metrics": ["aopc"]}, "begun with metrics"),
        ({"alone": True}, "begun with alone false"),
    ):
        with pytest.raises(GmaskError, match=told):
            run(tmp_path / "run", 2, **options)
    with pytest.raises(GmaskError, match="begun with model"):
        gmask.evaluate(CallableModel(boxes.slow), boxes.some(2), methods=METHODS, output=tmp_path / "run")
    with pytest.raises(GmaskError, match=r"record 0 of .* is of the pair 'p0 "):
        gmask.evaluate(model(), boxes.some(3)[1:], methods=METHODS, output=tmp_path / "run")


def test_a_pair_a_black_box_fails_on_is_recorded_and_the_others_go_on():
    r = gmask.evaluate(model(boxes.flaky), [*boxes.some(2), ("bad p", "a b")], methods=["leave-one-out"])
    assert (r["leave-one-out"]["pairs"], r["leave-one-out"]["failed"]) == (2, 1)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("gmask:preset=paper:solver=sampling", "gmask with these settings needs gradients"),
        ("imask:solver=gradient", "imask with these settings needs gradients"),
        ("l2x", "there is no selector for Box"),
        ("l2x:selector=nowhere", "no such file: nowhere"),
    ],
)
def test_a_method_that_can_explain_no_pair_is_refused_at_once(method, message):
    with pytest.raises(GmaskError, match=message):
        gmask.evaluate(model(), boxes.some(2), methods=["random", method])


@pytest.mark.parametrize("method", ["random", Random()])
def test_one_method_and_one_metric_need_no_list(method):
    r = gmask.evaluate(model(), boxes.some(2), methods=method, metrics="aopc")
    assert list(r) == ["random"]
    assert r.metrics() == ["aopc"]


def test_pairs_are_taken_as_arrays_too():
    pairs = boxes.some(2)
    r = gmask.evaluate(model(), np.array(pairs), methods="random")
    assert [(e.explanation.first, e.explanation.second) for e in r.records("random")] == pairs
    found = gmask.explain(model(), pairs=np.array(pairs, dtype=object), method="random")
    assert [(e.first, e.second) for e in found] == pairs
    with pytest.raises(GmaskError, match="a pair is two texts"):
        gmask.evaluate(model(), np.array([["a", "b", "c"]]), methods="random")
