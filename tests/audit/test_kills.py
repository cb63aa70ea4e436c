"""Killed at ten random moments and started again, an audit ends with the same bytes."""

from __future__ import annotations

import multiprocessing
import os
import random
import re
import signal
import time

import pytest

import gmask
from tests.audit.toys import box, pairs

KILLS = 10


def work(folder):
    rows = pairs(100, put=("shortly",))
    gmask.audit(box(lambda a, b: "shortly" in b), rows, output=folder, method="leave-one-out", hosts=30)


def content(folder):
    """The files of a folder, but for a temporary one of a process that was killed while it wrote it."""
    return {p.name: p.read_bytes() for p in folder.iterdir() if not re.fullmatch(r"\..*\.tmp", p.name)}


def written(folder):
    """How much of the answers and the explanations is there."""
    return sum(p.stat().st_size for p in folder.glob("*.jsonl"))


@pytest.mark.slow
def test_ten_kills_change_nothing(tmp_path):
    work(tmp_path / "whole")
    whole, fork = written(tmp_path / "whole"), multiprocessing.get_context("fork")
    for share in sorted(random.Random(0).random() for _ in range(KILLS)):
        child = fork.Process(target=work, args=(tmp_path / "killed",))
        child.start()
        while child.is_alive() and written(tmp_path / "killed") < share * whole:
            time.sleep(0.001)
        assert child.is_alive()
        os.kill(child.pid, signal.SIGKILL)
        child.join()
    work(tmp_path / "killed")
    assert content(tmp_path / "killed") == content(tmp_path / "whole")
