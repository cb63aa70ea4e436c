"""Findings and reasons as tests of another version of a model."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

import gmask
from gmask.audit.check import REQUIRED, SHORTCUTS, check
from gmask.model.callable import CallableModel
from tests.audit.toys import LABELS, box, pairs

DATA = pairs(160, put=("shortly",))


def shortly(first, second):
    return "shortly" in second


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    output = tmp_path_factory.mktemp("audit")
    gmask.audit(box(shortly), DATA, output=output, against=box(), method="leave-one-out", hosts=40)
    return output


def test_a_shortcut_that_is_there_fails_and_one_that_is_gone_passes(folder):
    failed = check(folder, box(shortly)).failed
    assert [(case.kind, case.number) for case in failed] == [("shortcut", 1)]
    assert check(folder, box()).failed == []


def test_a_finding_whose_line_is_deleted_may_stay(folder, tmp_path):
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    lines = (tmp_path / SHORTCUTS).read_text(encoding="utf-8").splitlines()
    (tmp_path / SHORTCUTS).write_text(lines[0] + "\n", encoding="utf-8")
    assert check(tmp_path, box(shortly)).failed == []
    (tmp_path / SHORTCUTS).write_text(f"{lines[0]}\n99\tx\ty\n", encoding="utf-8")
    with pytest.raises(ValueError, match="99"):
        check(tmp_path, box(shortly))


def test_a_required_reason_that_is_lost_fails(tmp_path):
    def amber(asked):
        return [0.95 if "amber" in a.split() and "amber" in b.split() else 0.05 for a, b in asked]

    rows = [{**p, "label": LABELS[amber([(p["text"], p["text_pair"])])[0] > 0.5]} for p in DATA]
    model = CallableModel(amber, labels=LABELS)
    found = gmask.audit(model, rows, output=tmp_path, method="leave-one-out", hosts=40)
    reasons = [reason for reason in found.data["reasons"] if reason["label"] == "same"]
    assert reasons
    assert all((r["first"], r["second"]) == (["amber"], ["amber"]) for r in reasons)
    (tmp_path / SHORTCUTS).unlink()
    assert not [case for case in check(tmp_path, model).failed if case.kind == "reason"]
    lost = check(tmp_path, CallableModel(lambda asked: [0.05 for _ in asked], labels=LABELS), junit=tmp_path / "x.xml")
    assert [case.kind for case in lost.failed] == ["reason"] * len(reasons)
    assert int(ET.parse(tmp_path / "x.xml").getroot()[0].get("failures")) == len(reasons)
    (tmp_path / REQUIRED).write_text("reason\tlabel\twords\n", encoding="utf-8")
    assert check(tmp_path, model).cases[0].kind == "shortcut"


def test_the_junit_file_has_a_case_a_test(folder, tmp_path):
    checked = check(folder, box(shortly), junit=tmp_path / "check.xml")
    suite = ET.parse(tmp_path / "check.xml").getroot()[0]
    assert int(suite.get("tests")) == len(checked.cases) == len(suite)
    assert int(suite.get("failures")) == 1


def test_a_model_with_other_labels_is_refused(folder):
    with pytest.raises(ValueError, match="label"):
        check(folder, CallableModel(lambda asked: [0.5 for _ in asked], labels=["no", "yes"]))


def test_against_another_version_the_changed_answers_have_their_reasons(folder):
    found = gmask.audit.Audit.read(folder)
    changed = {row["number"]: row for row in found.changes}
    expected = [i for i, p in enumerate(DATA) if "shortly" in p["text_pair"] and p["label"] == "different"]
    assert sorted(changed) == expected
    assert all(row["became"] == "wrong" and row["before"] == "different" for row in changed.values())
    assert all("shortly" in row["words"][1] for row in changed.values() if row["finding"] == 1)
    assert found.findings[0].details["against"]["turned"] == 0.0
