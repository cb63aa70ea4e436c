from __future__ import annotations

from pathlib import Path

import pytest

import gmask
from gmask.errors import GmaskError
from gmask.method.base import create
from gmask.model.callable import CallableModel
from gmask.study import batch
from gmask.study.manifest import describe, kind_of, read_manifest, settle
from gmask.study.run import RunWriter
from tests.study import boxes


def records(folder):
    """The file of a run that has begun."""
    (folder / "r").write_text("a record\n")
    return folder / "r"


WANTED = {"model": {"hash": "abc"}, "seed": 0, "methods": {"lime": {"samples": 10}}}


def test_the_same_run_is_gone_on_with(tmp_path):
    settle(tmp_path / "run.json", WANTED, tmp_path / "r")
    settle(tmp_path / "run.json", WANTED, records(tmp_path))
    assert read_manifest(tmp_path / "run.json")["model"] == {"hash": "abc"}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"model": {"hash": "xyz"}}, 'begun with model hash "abc", not with "xyz"'),
        ({"seed": 1}, "begun with seed 0, not with 1"),
        ({"methods": {"lime": {"samples": 20}}}, "begun with methods lime samples 10, not with 20"),
        ({"methods": {"shap": {}}}, "begun with methods lime"),
        ({"removal": "mask"}, 'begun with removal null, not with "mask"'),
        ({"model": {"hash": "abc", "labels": ["x"]}, "seed": 1}, "begun with seed 0, not with 1"),
    ],
)
def test_another_run_is_refused_and_told_apart(tmp_path, change, told):
    settle(tmp_path / "run.json", WANTED, tmp_path / "r")
    with pytest.raises(GmaskError, match=told):
        settle(tmp_path / "run.json", {**WANTED, **change}, records(tmp_path))


def test_the_same_methods_in_another_order_are_refused_because_records_are_numbered_by_it(tmp_path):
    methods = {"lime": {"samples": 10}, "random": {}}
    settle(tmp_path / "run.json", {**WANTED, "methods": methods}, tmp_path / "r")
    with pytest.raises(GmaskError, match="begun with the order lime, random, not with random, lime"):
        settle(tmp_path / "run.json", {**WANTED, "methods": dict(reversed(methods.items()))}, records(tmp_path))


def test_a_damaged_manifest_is_told(tmp_path):
    path = tmp_path / "run.json"
    settle(path, WANTED, tmp_path / "r")
    path.write_text(path.read_text()[:20])
    with pytest.raises(GmaskError, match=r"run.json is damaged"):
        settle(path, WANTED, records(tmp_path))
    path.write_text("[]")
    with pytest.raises(GmaskError, match="is no manifest"):
        read_manifest(path)
    path.unlink()
    with pytest.raises(GmaskError, match="is no run"):
        read_manifest(path)


def test_a_file_a_method_was_fitted_with_is_part_of_the_run(tmp_path):
    file = tmp_path / "l2x.safetensors"
    file.write_bytes(b"one")
    model = CallableModel(boxes.words)
    one = describe(create("l2x", selector=str(file)), model)
    file.write_bytes(b"another")
    assert describe(create("l2x", selector=str(file)), model) != one
    model.folder = tmp_path
    assert "l2x.safetensors" in describe(create("l2x"), model)["files"]


def test_a_model_has_a_kind():
    assert kind_of(gmask.load(boxes.words)) == "callable"


def test_a_function_that_was_changed_is_another_model():
    def one(pairs):
        return [0.5] * len(pairs)

    def other(pairs):
        return [0.6] * len(pairs)

    hashes = {CallableModel(function, name="box").hash for function in (one, other)}
    assert len(hashes) == 2


def test_a_file_that_is_no_run_is_left_alone(tmp_path):
    mine = tmp_path / "mine.jsonl"
    mine.write_text('{"dear": "to me"}\n')
    with pytest.raises(GmaskError, match=r"is there already, but not mine.jsonl.run.json"):
        batch(CallableModel(boxes.words), boxes.some(2), mine, method="random")
    assert mine.read_text() == '{"dear": "to me"}\n'
    assert list(tmp_path.iterdir()) == [mine]


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(GmaskError, match=r"cannot write .*records.jsonl: "):
        gmask.evaluate(CallableModel(boxes.words), boxes.some(1), methods=["random"], output=tmp_path / "file" / "run")


def test_a_run_without_a_record_may_be_begun_anew(tmp_path):
    settle(tmp_path / "run.json", WANTED, tmp_path / "r")
    settle(tmp_path / "run.json", {**WANTED, "seed": 1}, tmp_path / "r")
    assert read_manifest(tmp_path / "run.json")["seed"] == 1


def test_a_process_that_is_refused_leaves_the_manifest_of_the_one_that_writes(tmp_path):
    with RunWriter(tmp_path, WANTED, pytest.fail):
        with pytest.raises(GmaskError, match="is being written by another process"):
            RunWriter(tmp_path, {**WANTED, "seed": 1}, pytest.fail)
        assert read_manifest(tmp_path / "run.json")["seed"] == 0


def test_what_only_one_manifest_knows_of_the_model_is_not_held_against_it(tmp_path):
    settle(tmp_path / "run.json", WANTED, tmp_path / "r")
    settle(tmp_path / "run.json", {**WANTED, "model": {"hash": "abc", "labels": ["x"]}}, records(tmp_path))


def test_a_full_disk_while_times_are_written_is_one_clear_line(tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "times.jsonl").symlink_to("/dev/full")
    with pytest.raises(GmaskError, match=r"cannot write .*times.jsonl: No space left on device; started again"):
        gmask.evaluate(
            CallableModel(boxes.words), boxes.some(1), methods="random", metrics="aopc", output=tmp_path / "run"
        )
