from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

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
    assert f"wrote {tmp_path / 'out.jsonl'} (5 pairs explained)" in told.stderr
    assert told.stdout == ""
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


@pytest.mark.parametrize("how", [["-m", "KernelSHAP:samples=30"], ["--method", "kernelshap", "-p", "samples=30"]])
def test_settings_are_written_behind_the_name_or_with_p(tmp_path, how):
    source = boxes.write_tsv(tmp_path / "pairs.tsv", boxes.some(2))
    assert call("batch", source, "-o", tmp_path / "out.jsonl", "--model", WORDS, *how).exit_code == 0
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert {(line["method"], line["settings"]["samples"]) for line in lines} == {("kernelshap", 30)}


FOREVER = """
import time

def box(pairs):
    open("asked", "w").close()
    time.sleep(0.05)
    return [0.5] * len(pairs)
"""


@pytest.fixture
def interruptible():
    """What is started can be interrupted, also where the tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("command", ["batch", "evaluate"])
def test_ctrl_c_says_that_the_same_command_goes_on(tmp_path, command):
    (tmp_path / "forever.py").write_text(FOREVER)
    boxes.write_tsv(tmp_path / "pairs.tsv", boxes.some(2000))
    where = {"batch": ["pairs.tsv"], "evaluate": ["--data", "pairs.tsv", "--metrics", "aopc"]}[command]
    arguments = [command, *where, "-o", "out", "-m", "random", "--model", "python:forever:box"]
    child = subprocess.Popen(
        [sys.executable, "-m", "gmask", *arguments], cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=os.environ
    )
    while not (tmp_path / "asked").exists() and child.poll() is None:
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, told = child.communicate(timeout=60)
    assert child.returncode == 130
    assert told.splitlines()[-1] == "gmask: stopped; the same command goes on here"
    assert "Traceback" not in told


def test_sentences_can_be_asked_about_and_are_never_mixed_with_words(tmp_path):
    source, out = boxes.write_tsv(tmp_path / "pairs.tsv", [("One. Two.", "Three four.")]), tmp_path / "out.jsonl"
    arguments = ["batch", source, "-o", out, "--model", WORDS, "--method", "leave-one-out"]
    call(*arguments, "--units", "sentences")
    assert [w["text"] for w in json.loads(out.read_text())["words"]] == ["One.", "Two.", "Three four."]
    with pytest.raises(GmaskError, match="units"):
        call(*arguments)
