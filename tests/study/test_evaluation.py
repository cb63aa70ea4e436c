from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import gmask
from gmask.dataset.example import Example
from gmask.errors import GmaskError
from gmask.method.loo import LeaveOneOut, Random
from gmask.model.callable import CallableModel
from gmask.reference import COUNT
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


def removed(box, pairs):
    """What a box was asked about besides whole pairs, by which a run is known to be of the same model.

    Whole texts of the first pairs are left out as well: they stand in for those of the pairs after them.
    """
    firsts = [first for first, _ in pairs[:COUNT]]
    return [pair for pair in box.seen if pair not in [("", ""), *pairs] and pair[0] not in firsts]


def test_a_finished_run_explains_nothing_again(tmp_path):
    run(tmp_path / "run")
    before, box = (tmp_path / "run" / "records.jsonl").read_bytes(), boxes.Box()
    r = run(tmp_path / "run", box=box)
    assert removed(box, boxes.some(8)) == []
    assert len(box.seen) <= 9
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
    asked = removed(box, boxes.some(8))
    assert {first.split()[0] for first, _ in asked if first.startswith("p")} == {"p3"}
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


class Weighted:
    """A thing that is called, with a weight that nobody sees from outside."""

    def __init__(self, weight):
        self.weight = weight

    def __call__(self, pairs):
        return [self.weight * p + (1 - self.weight) * 0.5 for p in boxes.words(pairs)]


def closure(weight):
    return lambda pairs: [weight * p + (1 - weight) * 0.5 for p in boxes.words(pairs)]


@pytest.mark.parametrize("make", [Weighted, closure])
@pytest.mark.parametrize("count", [4, 9])
def test_a_run_is_not_gone_on_with_other_weights_under_the_same_name(tmp_path, monkeypatch, make, count):
    monkeypatch.setattr(CallableModel, "hash", "the same")
    options = {"methods": "random", "metrics": "aopc", "output": tmp_path / "run"}
    gmask.evaluate(CallableModel(make(0.9), name="box"), boxes.some(4), **options)
    with pytest.raises(
        GmaskError, match=r"records.jsonl was begun with another model: of 'p0 .* results are never mixed"
    ):
        gmask.evaluate(CallableModel(make(-0.9), name="box"), boxes.some(count), **options)
    again = gmask.evaluate(CallableModel(make(0.9), name="box"), boxes.some(count), **options)
    assert again["random"]["pairs"] == count


def test_a_model_that_answers_by_chance_may_go_on(tmp_path):
    random = np.random.default_rng(0)
    options = {"methods": "random", "metrics": "aopc", "output": tmp_path / "run"}
    box = CallableModel(lambda pairs: random.random(len(pairs)), name="box")
    gmask.evaluate(box, boxes.some(2), **options)
    assert gmask.evaluate(box, boxes.some(3), **options)["random"]["pairs"] == 3


def test_labels_are_part_of_a_run_and_old_runs_that_do_not_say_them_go_on(tmp_path, monkeypatch):
    assert model().hash != CallableModel(boxes.Box(), labels=["same", "different"]).hash
    monkeypatch.setattr(CallableModel, "hash", "the same")
    run(tmp_path / "run", 2)
    path = tmp_path / "run" / "run.json"
    manifest = json.loads(path.read_text())
    assert manifest["model"]["labels"] == boxes.words.labels
    assert manifest["model"]["outputs"] == "auto"  # as it was given
    options = {"methods": METHODS, "output": tmp_path / "run"}
    other = CallableModel(boxes.Box(), labels=["same", "different"])
    with pytest.raises(GmaskError, match="begun with model labels"):
        gmask.evaluate(other, boxes.some(2), **options)
    manifest["model"] = {name: manifest["model"][name] for name in ("name", "hash", "kind")}
    path.write_text(json.dumps(manifest))
    with pytest.raises(GmaskError, match="begun with another model"):
        gmask.evaluate(other, boxes.some(2), **options)
    assert run(tmp_path / "run", 3)["random"]["pairs"] == 3


def test_a_shorter_run_leaves_what_was_set_aside(tmp_path, capsys):
    run(tmp_path / "run", 40, methods=["random"], metrics=["aopc"])
    path = tmp_path / "run" / "records.jsonl"
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[whole.index(b'"n":20,') + 30] ^= 4
    path.write_bytes(damaged)
    assert run(tmp_path / "run", 5, methods=["random"], metrics=["aopc"])["random"]["pairs"] == 5
    assert "39 of 40 records are kept" in capsys.readouterr().err
    box = boxes.Box()
    run(tmp_path / "run", 40, box, methods=["random"], metrics=["aopc"])
    assert {first.split()[0] for first, _ in removed(box, boxes.some(40)) if first.startswith("p")} == {"p20"}
    assert path.read_bytes() == whole
    assert not list(path.parent.glob("*.aside-*"))


def test_an_outage_is_not_for_ever(tmp_path, capsys):
    down = tmp_path / "down"  # the pairs for which the service does not answer; it is the same service all along

    def service(pairs):
        if {word for a, _ in pairs for word in a.split()} & {*down.read_text().split()}:
            raise ConnectionError("no route to host")
        return boxes.words(pairs)

    def go(name):
        pairs = [*boxes.some(3), ("...", "a"), *boxes.some(8)[3:]]  # one cannot be explained, whatever the model does
        options = {"methods": ["random", "leave-one-out"], "metrics": ["aopc"], "output": tmp_path / name}
        return gmask.evaluate(CallableModel(service, labels=boxes.words.labels), pairs, **options)

    down.write_text("p3 p5 p6 p7")
    assert go("run")["random"]["failed"] == 5
    assert "the model failed on 8 records, which are made again when this is started again" in capsys.readouterr().err
    down.write_text("")
    assert go("run")["random"]["failed"] == 1
    assert "the model failed on 8 of 18 records, which are made again" in capsys.readouterr().err
    go("whole")
    assert (tmp_path / "run" / "records.jsonl").read_bytes() == (tmp_path / "whole" / "records.jsonl").read_bytes()
    down.write_text("p0")
    with pytest.raises(GmaskError, match="raised ConnectionError: no route to host"):  # it cannot even be known again
        go("run")


@pytest.mark.parametrize("answer", [None, [float("nan")], [2.0], ["502"], [[0.2, 0.3, 0.5]], []], ids=str)
def test_what_is_no_answer_is_asked_about_again_as_an_error_is(tmp_path, answer):
    down = tmp_path / "down"
    down.touch()

    def service(pairs):
        if down.exists() and any("p3" in a.split() for a, _ in pairs):
            return answer and answer * len(pairs)
        return boxes.words(pairs)

    def go(name):
        options = {"methods": "random", "metrics": "aopc", "output": tmp_path / name}
        return gmask.evaluate(CallableModel(service, labels=boxes.words.labels), boxes.some(5), **options)

    assert go("run")["random"]["failed"] == 1
    down.unlink()
    assert go("run")["random"]["failed"] == 0
    go("whole")
    assert (tmp_path / "run" / "records.jsonl").read_bytes() == (tmp_path / "whole" / "records.jsonl").read_bytes()


def test_what_a_model_fails_on_is_said_to_be_its_fault(tmp_path):
    gmask.evaluate(
        model(boxes.flaky), [*boxes.some(1), ("bad p", "a b"), ("...", "a")], methods="random", output=tmp_path / "run"
    )
    lines = [json.loads(line) for line in (tmp_path / "run" / "records.jsonl").read_text().splitlines()]
    assert [("error" in line, line.get("again")) for line in lines] == [(False, None), (True, True), (True, None)]


def test_results_print_as_a_table():
    r = gmask.evaluate(model(), boxes.some(3), methods=["random"])
    assert "| random |" in str(r)
    assert "| method | AOPC |" in str(r)
    assert (
        "auprc, iou_f1, token_f1 could not be measured on any of these pairs, for want of words that people marked."
        in str(r)
    )


def test_the_metrics_asked_for_are_printed():
    r = gmask.evaluate(model(), boxes.some(3), methods=["random"], metrics=["log_odds", "token_f1"])
    assert "| method | Log-odds |" in str(r)
    assert "token_f1 could not be measured" in str(r)


def test_a_metric_some_methods_have_not_is_told_for_those():
    methods = ["random", "gmask:preset=fast"]
    r = gmask.evaluate(model(), boxes.some(3), methods=methods, metrics=["group_stability"])
    assert r.lacking() == ["group_stability could not be measured on any of these pairs for random, for want of groups"]


def test_a_misspelt_name_lists_the_valid_ones():
    r = gmask.evaluate(model(), boxes.some(3), methods=["random"], metrics=["aopc", "token_f1"])
    with pytest.raises(KeyError, match="unknown method 'randm'; valid: random"):
        r["randm"]
    with pytest.raises(KeyError, match=r"unknown figure of random 'apoc'; valid: pairs, failed, aopc$"):
        r["random"]["apoc"]
    with pytest.raises(KeyError, match="token_f1 could not be measured on any of these pairs for random, for want of"):
        r["random"]["token_f1"]
    assert "apoc" not in r["random"]
    assert r["random"].get("token_f1") is None


def test_results_become_a_frame_or_rows(monkeypatch):
    r = gmask.evaluate(model(), boxes.some(3), methods=["random"], metrics=["aopc", "post_hoc_accuracy"])
    frame = r.to_frame()
    assert list(frame.columns) == ["method", "metric", "part", "value", "low", "high", "pairs", "failed"]
    assert len(frame) == 11
    monkeypatch.setitem(sys.modules, "pandas", None)
    rows = r.to_frame()
    assert rows[0]["value"] == r["random"]["aopc"] == frame["value"][0]


def test_methods_and_choices_are_written_in_any_case():
    r = gmask.evaluate(model(), boxes.some(2), methods=["Random", "GMASK:preset=FAST"], metrics="aopc")
    assert list(r) == ["random", "gmask:preset=fast"]


def test_a_mapping_may_have_a_label_and_an_id():
    pair = {"premise": "a b", "hypothesis": "a c", "label": "same", "id": 7}
    (record,) = gmask.evaluate(model(), [pair], methods="random", metrics="aopc").records("random")
    assert (record.gold, record.id) == ("same", "7")


def test_one_explanation_is_measured_with_words_removed_in_several_ways(tmp_path):
    box, told = boxes.Box(), {"methods": ["leave-one-out", "random"], "metrics": ["aopc", "degradation", "rows"]}
    r = gmask.evaluate(model(box), boxes.some(5), **told, measured=["same", "delete", "blank"], output=tmp_path / "run")
    for method in r:
        assert r[method]["aopc"] == r[method]["aopc@delete"] != r[method]["aopc@blank"]
        for name in ("aopc", "degradation"):
            mean = (r[method][f"{name}@delete"] + r[method][f"{name}@blank"]) / 2
            assert r[method][f"{name}@mean"] == pytest.approx(mean)
            assert len(r[method][f"{name}@mean_interval"]) == 2
    assert "rows@mean" not in r.metrics()
    assert r.compare("leave-one-out", "random", "aopc@mean").difference == pytest.approx(
        r["leave-one-out"]["aopc@mean"] - r["random"]["aopc@mean"]
    )
    (alone,) = gmask.evaluate(model(), boxes.some(5), **{**told, "methods": "random"}, measured="blank").values()
    assert alone["aopc@blank"] == r["random"]["aopc@blank"]
    assert "aopc@mean" not in alone
    manifest = json.loads((tmp_path / "run" / "run.json").read_text())
    assert manifest["metrics"] == [
        *("aopc", "aopc@delete", "aopc@blank"),
        *("degradation", "degradation@delete", "degradation@blank", "rows"),
    ]


@pytest.mark.parametrize("options", [{"measured": "zero"}, {"measured": ["same", "zero"]}, {"metrics": ["aopc@zero"]}])
def test_a_way_of_removing_words_that_the_model_has_not_is_told_at_once(options):
    with pytest.raises(GmaskError, match=r"unknown removal for .*: 'zero'; valid: delete, blank"):
        gmask.evaluate(model(), boxes.some(1), **options)


@pytest.mark.parametrize("measured", [["blank", ""], [None]])
def test_a_way_of_removing_words_without_a_name_is_told(measured):
    with pytest.raises(GmaskError, match=r"unknown way for metrics to remove words: .*; valid: same, delete, blank"):
        gmask.evaluate(model(), boxes.some(1), measured=measured)


@pytest.mark.parametrize(
    "options",
    [
        {"metrics": ["aopc@BLANK", "aopc@blank", "aopc@Same"]},
        {"metrics": "aopc", "measured": ["Same", "BLANK", "blank"]},
    ],
)
def test_ways_of_removing_words_are_known_in_any_case_and_measured_once(options):
    (found,) = gmask.evaluate(model(), boxes.some(1), methods="random", **options).values()
    assert set(found) == {"aopc", "aopc_interval", "aopc@blank", "aopc@blank_interval", "pairs", "failed"}
