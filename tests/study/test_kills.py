"""Killed at any moment, and as often as one likes, a study ends with the same bytes."""

from __future__ import annotations

import multiprocessing
import os
import random
import re
import signal
import time

import pytest

import gmask
from gmask.model.callable import CallableModel
from gmask.study import batch
from tests.study import boxes

KILLS = 20


def evaluate(folder):
    gmask.evaluate(CallableModel(boxes.slow), boxes.some(50), methods=["leave-one-out", "keep-one"], output=folder)


def explain_all(folder):
    folder.mkdir(exist_ok=True)
    batch(CallableModel(boxes.slow), boxes.some(640), folder / "records.jsonl", method="random")


def size(file):
    return file.stat().st_size if file.exists() else 0


def names(folder):
    """The files of a folder, but for a temporary one of a process that was killed while it wrote it."""
    return sorted(p.name for p in folder.iterdir() if not re.fullmatch(r"\..*\.\d+\.tmp", p.name))


@pytest.mark.slow
@pytest.mark.parametrize("work", [evaluate, explain_all])
def test_twenty_kills_lose_nothing_and_double_nothing(tmp_path, work):
    gmask.methods()  # imported before the fork, so that a child is at work at once
    began = time.monotonic()
    work(tmp_path / "whole")
    length = time.monotonic() - began
    records = tmp_path / "killed" / "records.jsonl"
    fork, chance = multiprocessing.get_context("fork"), random.Random(0)
    for kill in range(KILLS):
        child = fork.Process(target=work, args=(tmp_path / "killed",))
        before = size(records)
        child.start()
        while kill % 2 and size(records) == before and child.is_alive():  # every other time it gets on first
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.02) * length)
        if not child.is_alive():
            pytest.fail(f"finished after {kill} kills; the work is too short for {KILLS}")
        os.kill(child.pid, signal.SIGKILL)
        child.join()
    assert 0 < size(records) < size(tmp_path / "whole" / "records.jsonl")
    work(tmp_path / "killed")
    whole, again = ((tmp_path / name / "records.jsonl").read_bytes() for name in ("whole", "killed"))
    assert again == whole
    assert names(tmp_path / "killed") == names(tmp_path / "whole")
