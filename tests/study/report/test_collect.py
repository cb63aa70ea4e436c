from __future__ import annotations

import json
import shutil

import pytest

from gmask.errors import GmaskError
from gmask.study.report.collect import collect


def test_runs_of_the_same_model_and_data_are_one_cell(runs):
    cells = collect(runs, pytest.fail)
    assert [cell.title for cell in cells] == ["DAttn on e-SNLI", "BERT on e-SNLI", "BERT on MRPC"]
    mrpc = cells[2]
    assert len(mrpc.manifests) == 3
    assert mrpc.accuracy == {"right": 3, "pairs": 4}
    assert list(mrpc.alone) == ["leave-one-out", "random"]
    assert mrpc.results["random"]["pairs"] == 6
    assert mrpc.results["leave-one-out"]["seed_stability"] == 1.0
    assert mrpc.results.compare("gmask", "random", "aopc").pairs == 6
    assert cells[0].alone is None


def test_a_model_is_told_apart_by_its_windows(tmp_path, runs):
    folders = [tmp_path / way for way in ("best", "mean")]
    for folder in folders:
        shutil.copytree(next(r for r in runs if r.name == "bert-mrpc"), folder)
        manifest = json.loads((folder / "run.json").read_text())
        manifest["model"] |= {"windows": folder.name, "hash": folder.name}
        (folder / "run.json").write_text(json.dumps(manifest))
    one, other = collect(folders, pytest.fail)
    assert "windows best" in one.title
    assert "windows mean" in other.title


def test_pairs_are_known_by_their_texts(runs):
    mrpc = collect([r for r in runs if r.name in ("bert-mrpc", "stability")], pytest.fail)[0]
    records = mrpc.results.records("random")
    assert len({(r.explanation.first, r.explanation.second) for r in records}) == len(records) == 6
    assert sum("seed_stability" in r.measured for r in records) == 3


def test_a_folder_that_is_no_run_is_told(tmp_path, runs):
    with pytest.raises(GmaskError, match="no such run"):
        collect([tmp_path / "nothing"], pytest.fail)
    with pytest.raises(GmaskError, match="is no run"):
        collect([tmp_path], pytest.fail)
    (tmp_path / "run.json").write_bytes((runs[0] / "run.json").read_bytes())
    with pytest.raises(GmaskError, match="there is no record in"):
        collect([tmp_path], pytest.fail)


def test_a_manifest_of_nothing_is_told(tmp_path):
    (tmp_path / "run.json").write_text('{"format": 1, "seed": 0}')
    with pytest.raises(
        GmaskError, match=r"run.json is no manifest of `gmask evaluate`: it lacks model, data, methods,"
    ):
        collect([tmp_path], pytest.fail)


def test_what_cannot_be_read_is_said_and_the_rest_is_used(tmp_path, runs):
    run = next(r for r in runs if r.name == "bert-esnli")
    for name in ("run.json", "times.jsonl"):
        (tmp_path / name).write_bytes((run / name).read_bytes())
    (tmp_path / "records.jsonl").write_bytes((run / "records.jsonl").read_bytes()[:-100])
    said = []
    cells = collect([tmp_path], said.append)
    assert len(said) == 1
    assert "line 30 is cut short" in said[0]
    assert cells[0].results["best-order"]["pairs"] == 5
    assert cells[0].results["gmask"]["pairs"] == 6


def test_the_same_name_for_other_settings_is_refused(tmp_path, runs):
    run = next(r for r in runs if r.name == "stability")
    manifest = json.loads((run / "run.json").read_text())
    manifest["methods"]["random"]["samples"] = 50
    (tmp_path / "run.json").write_text(json.dumps(manifest))
    (tmp_path / "records.jsonl").write_bytes((run / "records.jsonl").read_bytes())
    with pytest.raises(GmaskError, match=r"random has samples None in .* and 50 in .*; report them apart"):
        collect([*runs, tmp_path], pytest.fail)


@pytest.mark.parametrize("content", ["{", "[1]", '{"right": 3}', '{"right": null, "pairs": 4}'])
def test_a_damaged_accuracy_is_told(tmp_path, runs, content):
    shutil.copytree(runs[0], tmp_path / "run")
    (tmp_path / "run" / "accuracy.json").write_text(content)
    with pytest.raises(GmaskError, match=r"accuracy.json is damaged; remove it"):
        collect([tmp_path / "run"], pytest.fail)


def test_a_run_that_did_not_name_how_its_metrics_removed_words_is_read(tmp_path, runs):
    shutil.copytree(next(r for r in runs if r.name == "bert-mrpc"), tmp_path / "run")
    manifest = json.loads((tmp_path / "run" / "run.json").read_text())
    (tmp_path / "run" / "run.json").write_text(json.dumps({**manifest, "measured": "zero"}))
    results = collect([tmp_path / "run"], pytest.fail)[0].results
    assert "aopc" not in results.metrics()
    assert {"aopc@zero", "degradation@zero", "rows", "token_f1"} <= set(results.metrics())
    assert "aopc@zero" in results.asked["gmask"]
