"""The study of the package, on a few pairs of a black box."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.study import boxes

ROOT = Path(__file__).parent.parent.parent
STUDY = ROOT / "benchmarks" / "study.py"


@pytest.fixture
def study(monkeypatch):
    """The script, with two small pieces, a black box for a model, and no data sets but two."""
    spec = importlib.util.spec_from_file_location("the_study", STUDY)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "the_study", module)
    spec.loader.exec_module(module)
    small(module)
    return module


def small(module):
    module.CELLS = ["dattn-quora", "bert-quora", "dattn-mrpc", "bert-mrpc"]
    module.PIECES = {"gmask": module.Piece(("leave-one-out", "random")), "slow": module.Piece(("keep-one",), 1 / 2)}
    module.WAYS = dict.fromkeys(module.KINDS, ("same", "delete", "blank"))
    module.model_of = lambda *_: "python:tests.study.boxes:slow"
    module.accuracy = lambda *_: {"right": 1, "pairs": 2}


@pytest.fixture
def data(tmp_path):
    for name in ("quora", "mrpc"):
        (tmp_path / "data" / name).mkdir(parents=True)
        rows = [f"{name} {a}\t{b}\tnot paraphrase" for a, b in boxes.some(30)]
        text = "\n".join(["sentence1\tsentence2\tlabel", *rows]) + "\n"
        (tmp_path / "data" / name / "test.tsv").write_text(text, encoding="utf-8")
    return tmp_path / "data"


def counts(runs):
    """How many records each run has."""
    return {
        f"{p.parent.parent.name} {p.parent.name}": len(p.read_bytes().splitlines())
        for p in runs.glob("*/*/records.jsonl")
    }


def test_all_cells_are_done_and_reported_and_the_same_command_adds_to_them(study, data, tmp_path):
    told = {"data": data, "runs": tmp_path / "runs", "folder": tmp_path / "report", "skip": 5, "only": ""}
    told |= {"pieces": "gmask,slow", "cells": ",".join(study.CELLS), "workers": 2, "minutes": 60}
    study.main(pairs=2, **told)
    assert counts(tmp_path / "runs") == {
        **dict.fromkeys(("gmask dattn-quora", "gmask dattn-mrpc"), 12),
        **dict.fromkeys(("gmask bert-quora", "gmask bert-mrpc"), 4),
        **dict.fromkeys(("slow dattn-quora", "slow dattn-mrpc"), 3),
        **dict.fromkeys(("slow bert-quora", "slow bert-mrpc"), 1),
    }
    assert (tmp_path / "report" / "runs-dattn.tar.xz").exists()
    assert (tmp_path / "report" / "aopc-ways.csv").read_text().startswith("model,data,method,blank,delete,mean")
    manifest = json.loads((tmp_path / "runs" / "gmask" / "bert-mrpc" / "run.json").read_text())
    assert manifest["data"]["skip"] == 5
    assert manifest["threads"] == 1
    study.main(pairs=4, **told)
    assert counts(tmp_path / "runs")["gmask bert-mrpc"] == 8


def test_it_goes_round_the_cells(study):
    found = list(study.jobs(("gmask", "slow"), study.CELLS, 120))
    for number in range(1, study.ROUNDS + 1):
        own = found[(number - 1) * 8 : number * 8]
        assert {(job.piece, job.cell) for job in own} == {(p, c) for p in study.PIECES for c in study.CELLS}
        assert {job.pairs for job in own if job.cell == "bert-mrpc" and job.piece == "gmask"} == {10 * number}
        assert {job.pairs for job in own if job.cell == "dattn-mrpc" and job.piece == "slow"} == {15 * number}


def test_when_time_is_up_it_reports_what_is_there_and_goes_on_later(study, data, tmp_path):
    todo = list(study.jobs(tuple(study.PIECES), study.CELLS, 6))
    assert not study.run(list(todo), data, tmp_path / "runs", 0, 2, time.monotonic() + 0.5)
    assert study.run(list(todo), data, tmp_path / "runs", 0, 2, time.monotonic() + 600)
    assert counts(tmp_path / "runs")["gmask dattn-quora"] == 36
    (tmp_path / "straight").mkdir()
    assert study.run(list(todo), data, tmp_path / "straight", 0, 1, time.monotonic() + 600)
    for path in (tmp_path / "straight").glob("*/*/records.jsonl"):
        there = tmp_path / "runs" / path.relative_to(tmp_path / "straight")
        assert there.read_bytes() == path.read_bytes()


def test_a_run_that_cannot_go_on_is_told_and_the_others_do(study, data, tmp_path, capfd):
    study.PIECES["slow"] = study.Piece(("l2x",))
    assert study.run(
        list(study.jobs(tuple(study.PIECES), study.CELLS, 1)), data, tmp_path, 0, 2, time.monotonic() + 600
    )
    assert counts(tmp_path) == {f"gmask {cell}": 6 if cell.startswith("dattn") else 2 for cell in study.CELLS}
    assert "slow bert-mrpc: left out: " in capfd.readouterr().err


def test_killed_it_leaves_nothing_running_and_goes_on(study, data, tmp_path):
    code = (
        "import importlib.util, sys, math, pathlib\n"
        f"spec = importlib.util.spec_from_file_location('the_study', {str(STUDY)!r})\n"
        "study = sys.modules['the_study'] = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(study)\n"
        "from tests.study.test_study import small\n"
        "small(study)\n"
        f"data, runs = pathlib.Path({str(data)!r}), pathlib.Path({str(tmp_path / 'runs')!r})\n"
        "study.run(list(study.jobs(tuple(study.PIECES), study.CELLS, 6)), data, runs, 0, 2, math.inf)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, start_new_session=True)
    until = time.monotonic() + 60
    while not counts(tmp_path / "runs") and time.monotonic() < until:
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    until = time.monotonic() + 20
    while alive(process.pid) and time.monotonic() < until:
        time.sleep(0.1)
    assert not alive(process.pid)
    todo = list(study.jobs(tuple(study.PIECES), study.CELLS, 6))
    assert study.run(todo, data, tmp_path / "runs", 0, 2, time.monotonic() + 600)
    assert counts(tmp_path / "runs")["gmask dattn-quora"] == 36


def alive(group):
    """Whether any process of a group is there."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_an_unknown_piece_is_told(study, tmp_path):
    with pytest.raises(SystemExit, match="unknown: others; pieces: gmask, slow; cells: dattn-quora"):
        study.main(tmp_path, tmp_path, tmp_path, pieces="gmask,others", cells="bert-mrpc", only="")
