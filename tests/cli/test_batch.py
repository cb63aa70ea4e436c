from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from gmask.cli.app import app
from gmask.errors import GmaskError
from tests.study import boxes

WORDS = "python:tests.study.boxes:words"


def call(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


def test_a_file_is_explained(tmp_path):
    source = boxes.write_tsv(tmp_path / "pairs.tsv", boxes.some(5))
    told = call("batch", source, "-o", tmp_path / "out.jsonl", "--model", WORDS, "--method", "kernelshap:samples=30")
    assert told.exit_code == 0
    assert "5 pairs explained" in told.stderr
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert {line["settings"]["samples"] for line in lines} == {30}


def test_bad_rows_are_said(tmp_path):
    source = tmp_path / "pairs.csv"
    source.write_text('premise,hypothesis\na b,a c\n"broken\nd,"?!"\n')
    source.write_text("premise,hypothesis\na b,a c\nonly one\nd,?!\n")
    arguments = ["batch", source, "-o", tmp_path / "out.jsonl", "--model", WORDS, "--method", "random"]
    with pytest.raises(GmaskError, match=r"pairs.csv, line 3"):
        call(*arguments)
    told = call(*arguments, "--skip-bad")
    assert "1 pairs explained, 1 could not be (their lines say why), 1 rows were no pairs" in told.stderr


def test_mistakes_end_with_one_line_and_code_2(tmp_path):
    code = "from gmask.cli import main; main()"
    arguments = ["batch", str(tmp_path / "no.tsv"), "-o", str(tmp_path / "out.jsonl"), "--model", WORDS]
    told = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert told.stderr.count("\n") == 1
    assert told.stderr.startswith("gmask: no such file")
