from __future__ import annotations

import shutil

import pytest
from typer.testing import CliRunner

import gmask
from gmask.cli.app import app
from gmask.errors import GmaskError
from gmask.model.callable import CallableModel
from gmask.study.report import write_report
from tests.study import boxes

METHODS = ["leave-one-out", "random"]


def call(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


def study(output, pairs=6):
    return gmask.evaluate(CallableModel(boxes.words), boxes.some(pairs), methods=METHODS, output=output)


@pytest.fixture
def shared(tmp_path):
    study(tmp_path / "run")
    (tmp_path / "run" / "accuracy.json").write_text('{"right": 4, "pairs": 6}\n', encoding="utf-8")
    told = call("share", tmp_path / "run", "-o", tmp_path / "shared")
    assert told.stdout == f"{tmp_path / 'shared'}: 12 records\n"
    return tmp_path / "shared"


def test_no_word_of_the_texts_is_left(shared):
    texts = (shared / "records.jsonl").read_text(encoding="utf-8")
    assert not any(word in texts for pair in boxes.some(6) for text in pair for word in text.split())
    assert '"explanation"' not in texts


def test_it_makes_the_same_tables(tmp_path, shared):
    for name in ("run", "shared"):
        write_report([tmp_path / name], tmp_path / f"report-{name}")
    for table in ("aopc.csv", "degradation.csv", "seconds.csv", "accuracy.csv"):
        assert (tmp_path / "report-run" / table).read_text() == (tmp_path / "report-shared" / table).read_text()


def test_it_can_be_gone_on_with_and_be_put_beside_runs_of_the_same_pairs(tmp_path, shared):
    shutil.copytree(shared, tmp_path / "again")
    whole, went_on = study(tmp_path / "whole", 9), study(shared, 9)
    for method in METHODS:
        assert went_on[method]["aopc"] == whole[method]["aopc"]
        assert went_on[method]["pairs"] == 9
    assert call("share", shared, "-o", tmp_path / "again").stdout.endswith("18 records\n")


def test_it_goes_on_with_its_own_pairs_only(shared):
    with pytest.raises(GmaskError, match="is of another pair, not 'other' / 'texts'; results are never mixed"):
        gmask.evaluate(CallableModel(boxes.words), [("other", "texts")], methods=METHODS, output=shared)


def test_no_copy_is_made_where_texts_would_stay(tmp_path, shared):
    run = tmp_path / "run"
    before = (run / "records.jsonl").read_bytes()
    with pytest.raises(GmaskError, match=r"run/\.\./run is the run itself, whose texts would stay; give another -o"):
        call("share", run, "-o", run / ".." / "run")
    shutil.copytree(run, tmp_path / "full")
    for name in ("records.jsonl", "records.jsonl.aside-1"):  # as a ledger sets damaged ones aside
        (tmp_path / "full" / "records.jsonl").rename(tmp_path / "full" / name)
        with pytest.raises(GmaskError, match="full holds records with explanations, whose texts would stay"):
            call("share", run, "-o", tmp_path / "full")
    assert (run / "records.jsonl").read_bytes() == before
    assert call("share", run, "-o", shared).stdout.endswith("12 records\n")
