from __future__ import annotations

import pytest
from typer.testing import CliRunner

import gmask
from gmask.cli.app import app
from gmask.errors import GmaskError
from gmask.model.callable import CallableModel
from tests.study import boxes


def call(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


def test_a_report_of_runs_and_the_list_of_its_files(tmp_path):
    for name, method in (("one", "leave-one-out"), ("other", "random")):
        gmask.evaluate(CallableModel(boxes.words), boxes.some(3), methods=[method], output=tmp_path / name)
    told = call("report", tmp_path / "one", tmp_path / "other", "-o", tmp_path / "report", "--examples", 1)
    assert told.exit_code == 0
    assert f"gmask: wrote {tmp_path / 'report'} (" in told.stderr
    assert str(tmp_path / "report" / "report.html") in told.stdout.split()
    text = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert "| words | leave-one-out |" in text
    assert "| words | random |" in text


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path):
    gmask.evaluate(CallableModel(boxes.words), boxes.some(3), methods=["random"], output=tmp_path / "run")
    (tmp_path / "report").touch()
    with pytest.raises(GmaskError, match=r"cannot write .*report.html: .*report is a file"):
        call("report", tmp_path / "run", "-o", tmp_path / "report")


def test_a_folder_that_is_no_run_is_told(tmp_path):
    with pytest.raises(GmaskError, match=r"is no run: there is no run.json in it"):
        call("report", tmp_path, "-o", tmp_path / "report")


def test_what_could_not_be_measured_is_said_in_words(tmp_path):
    gmask.evaluate(CallableModel(boxes.words), boxes.some(3), methods=["random"], output=tmp_path / "run")
    call("report", tmp_path / "run", "-o", tmp_path / "report")
    text = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert "## What could not be measured" in text
    assert "auprc, iou_f1, token_f1 could not be measured on any of these pairs, for want of words that people" in text
