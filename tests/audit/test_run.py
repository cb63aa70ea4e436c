"""An audit of black boxes whose causes are known."""

from __future__ import annotations

import json

import pytest

import gmask
from gmask.audit import Audit
from gmask.audit.figures import recount
from gmask.model.callable import CallableModel
from gmask.study import batch
from tests.audit.toys import LABELS, box, overlap, pairs

QUICK = {"method": "leave-one-out", "hosts": 40}


def shortly(first, second):
    return "shortly" in second


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audited")
    found = gmask.audit(box(shortly), pairs(160, put=("shortly", "rather")), output=folder, **QUICK)
    return found, folder


def test_a_planted_word_is_the_first_finding_and_a_decoy_is_none(audited):
    found, _ = audited
    first = found.findings[0]
    assert (first.first, first.second, first.label) == ((), ("shortly",), "same")
    assert first.turned == 1.0
    assert first.interval[0] > 0.8
    assert first.details["control"] == 0.0
    assert not any("rather" in (*f.first, *f.second) for f in found.findings)


def test_a_finding_counts_the_answers_that_rest_on_it(audited):
    first = audited[0].findings[0]
    there = sum("shortly" in p["text_pair"].split() for p in pairs(160, put=("shortly", "rather")))
    assert 0 < first.pairs <= there == len(first.details["there"])
    assert first.accuracy < 0.9
    assert first.details["others"] == 1.0
    for e in first.examples:
        (start, end), *_ = e["marks"][1]
        assert e["second"][start:end] == "shortly"


def test_errors_are_grouped_by_the_finding_they_rest_on(audited):
    found, _ = audited
    assert found.errors[0]["finding"] == 1
    assert sum(row["errors"] for row in found.errors) == found.data["counts"]["wrong"] > 0


def test_sides_are_counted_for_each_label(audited):
    rows = {(row["label"], row["text"]): row for row in audited[0].one_sided}
    assert set(rows) == {(label, text) for label in LABELS for text in ("first", "second")}
    assert rows["same", "second"]["alone"] > rows["same", "first"]["alone"]  # it is enough that `shortly` is there


def test_every_number_can_be_computed_again_and_a_wrong_one_is_told(audited):
    data = json.loads((audited[1] / "audit.json").read_text(encoding="utf-8"))
    assert recount(data) == []
    data["findings"][0]["turned"] -= 0.5
    data["errors"][0]["errors"] += 1
    data["counts"]["right"] += 1
    assert len(recount(data)) == 3


def test_numbers_are_what_the_trials_say_counted_by_hand(audited):
    finding = audited[0].data["findings"][0]
    after = [trial["after"] for trial in finding["trials"]]
    assert finding["turned"] == after.count("same") / len(after)
    assert all(trial["before"] == trial["gold"] == "different" for trial in finding["trials"])
    assert all("shortly" in trial["texts"][1] for trial in finding["trials"])


def test_suspicions_are_tested_on_the_other_half(audited):
    data = audited[0].data
    assert {t["number"] for f in data["findings"] for t in f["trials"]} <= set(data["pairs"]["fresh"])


def test_the_folder_has_all_there_is(audited):
    found, folder = audited
    names = {p.name for p in folder.iterdir()}
    assert {"audit.html", "audit.json", "findings.csv", "one_sided.csv", "errors.csv", "tested.csv"} <= names
    assert {"counterexamples.tsv", "shortcuts.tsv", "required.tsv"} <= names
    assert Audit.read(folder).data == json.loads(found.to_json())
    frame = found.to_frame()
    assert list(frame["pattern"]) == [f.pattern for f in found.findings]


def test_counterexamples_are_pairs_the_model_gets_wrong(audited):
    lines = (audited[1] / "counterexamples.tsv").read_text(encoding="utf-8").splitlines()
    rows = [dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:]]
    labelled = [row for row in rows if row["label"]]
    assert labelled
    assert all(row["label"] != row["answer"] for row in labelled)
    assert any("shortly" in row["sentence2"] for row in rows)


def test_started_again_nothing_is_asked_and_all_is_the_same(audited, monkeypatch):
    _, folder = audited
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    asked, forward = [], CallableModel._forward
    monkeypatch.setattr(CallableModel, "_forward", lambda self, q, told: asked.extend(q) or forward(self, q, told))
    gmask.audit(box(shortly), pairs(160, put=("shortly", "rather")), output=folder, **QUICK)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before
    assert len(asked) < 20  # a few, to see that it is the same model


def test_cut_short_anywhere_it_ends_with_the_same_bytes(audited, tmp_path):
    _, folder = audited
    for part in (0.3, 0.9):
        for name in ("explanations.jsonl", "answers.jsonl"):
            for file in (name, f"{name}.run.json"):
                (tmp_path / file).write_bytes((folder / file).read_bytes())
        answers = (folder / "answers.jsonl").read_bytes()
        (tmp_path / "answers.jsonl").write_bytes(answers[: int(part * len(answers))])
        gmask.audit(box(shortly), pairs(160, put=("shortly", "rather")), output=tmp_path, **QUICK)
        assert (tmp_path / "answers.jsonl").read_bytes() == answers
        assert (tmp_path / "audit.json").read_bytes() == (folder / "audit.json").read_bytes()


def test_explanations_of_a_former_batch_are_used(tmp_path):
    model, rows = box(shortly), pairs(60, put=("shortly",))
    batch(model, rows, tmp_path / "batch.jsonl", method="leave-one-out")
    found = gmask.audit(model, tmp_path / "batch.jsonl", output=tmp_path / "AUDIT", hosts=40)
    assert found.data["counts"] == {**found.data["counts"], "pairs": 60, "labelled": 60}
    assert not (tmp_path / "AUDIT" / "explanations.jsonl").exists()
    with pytest.raises(ValueError, match="another model"):
        gmask.audit(CallableModel(lambda asked: [0.4 for _ in asked], labels=LABELS), tmp_path / "batch.jsonl")


def test_where_nothing_can_be_explained_the_reason_is_told():
    def broken(asked):
        raise RuntimeError("no backend")

    with pytest.raises(ValueError, match="no backend"):
        gmask.audit(CallableModel(broken, labels=LABELS), pairs(4), **QUICK)


@pytest.mark.parametrize(
    ("kind", "rule", "put"),
    [
        ("pair", lambda a, b: "amber" in a and "nearly" in b, ("nearly",)),
        ("absent", lambda a, b: "nearly" not in b, ("nearly",)),
    ],
)
def test_planted_pairs_and_missing_words_are_found(kind, rule, put):
    rows = pairs(300, put=put, rate=0.5 if kind == "pair" else 0.7)
    found = gmask.audit(box(rule), rows, **QUICK)
    assert kind in [f.details["kind"] for f in found.findings[:2]]
    named = next(f for f in found.findings if f.details["kind"] == kind)
    assert "nearly" in named.second
    assert named.label == "same"


def test_a_fragile_model_has_no_causes():
    def fragile(asked):  # any text of another length than four words turns it
        return [0.95 if len(b.split()) != 4 else 0.05 for a, b in asked]

    found = gmask.audit(CallableModel(fragile, labels=LABELS), pairs(160), **QUICK)
    assert not [f for f in found.findings if not f.details["general"]]


def test_without_labels_findings_are_there_and_what_is_missing_is_said():
    rows = [(p["text"], p["text_pair"]) for p in pairs(160, put=("shortly",))]
    found = gmask.audit(box(shortly), rows, **QUICK)
    assert found.findings[0].second == ("shortly",)
    assert found.findings[0].accuracy is None
    assert found.errors == []
    assert "No pair has a label that the model knows" in found.notes[0]


def test_labels_that_are_not_those_of_the_model_are_said_not_to_be():
    found = gmask.audit(box(), [{**p, "label": "entailment"} for p in pairs(30)], **QUICK)
    assert "No pair has a label that the model knows (different, same)" in found.notes[0]


def test_too_few_pairs_are_said_to_be_too_few():
    found = gmask.audit(box(shortly), pairs(10, put=("shortly",)), **QUICK)
    assert found.findings == []
    assert any("too few" in note for note in found.notes)
    assert not any(row["holds"] for row in found.data["tested"])


def test_a_model_that_is_always_right_and_one_class_only_are_said():
    rows = [p for p in pairs(60) if p["label"] == "same"]
    found = gmask.audit(box(), rows, **QUICK)
    assert any("right on every pair" in note for note in found.notes)
    assert any("Every pair has the label same" in note for note in found.notes)
    assert any("says same of every pair" in note for note in found.notes)


def test_what_cannot_be_audited_is_refused_in_one_line():
    score = CallableModel(lambda asked: [3.0 + overlap(a, b) for a, b in asked], outputs="score")
    with pytest.raises(ValueError, match="score, not with labels"):
        gmask.audit(score, pairs(4), **QUICK)
    with pytest.raises(ValueError, match="no pair"):
        gmask.audit(box(), [], **QUICK)
    with pytest.raises(ValueError, match="at least one pair"):
        gmask.audit(box(), pairs(4), limit=0, **QUICK)


@pytest.mark.slow
def test_on_ray_an_audit_finds_the_same(audited, tmp_path):
    pytest.importorskip("ray")
    options = {**QUICK, "engine": "ray", "workers": 1, "threads": 1}
    rows = pairs(60, put=("shortly",))
    gmask.audit("python:tests.audit.toys:planted", rows, output=tmp_path / "ray", **options)
    gmask.audit("python:tests.audit.toys:planted", rows, output=tmp_path / "here", threads=1, **QUICK)
    files = ("explanations.jsonl", "answers.jsonl", "audit.json", "audit.html")
    assert all((tmp_path / "ray" / f).read_bytes() == (tmp_path / "here" / f).read_bytes() for f in files)
