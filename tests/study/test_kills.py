"""Killed at any moment, and as often as one likes, a study ends with the same bytes."""

from __future__ import annotations

import multiprocessing
import os
import random
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


@pytest.mark.slow
@pytest.mark.parametrize("work", [evaluate, explain_all])
def test_twenty_kills_lose_nothing_and_double_nothing(tmp_path, work):
    gmask.methods()  # imported before the fork, so that a child is at work at once
    began = time.monotonic()
    work(tmp_path / "whole")
    length = time.monotonic() - began
    fork, chance, killed, grown = multiprocessing.get_context("fork"), random.Random(0), 0, set()
    while killed < KILLS:
        child = fork.Process(target=work, args=(tmp_path / "killed",))
        child.start()
        time.sleep(chance.uniform(0.02, 0.1) * length)
        if not child.is_alive():
            pytest.fail(f"finished after {killed} kills; the work is too short for {KILLS}")
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        killed += 1
        records = tmp_path / "killed" / "records.jsonl"
        grown.add(records.stat().st_size if records.exists() else 0)
    assert len(grown) > KILLS / 3  # it went on in between
    work(tmp_path / "killed")
    whole, again = ((tmp_path / name / "records.jsonl").read_bytes() for name in ("whole", "killed"))
    assert again == whole
    assert sorted(p.name for p in (tmp_path / "killed").iterdir()) == sorted(
        p.name for p in (tmp_path / "whole").iterdir()
    )
