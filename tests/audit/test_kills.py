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
    rows = pairs(160, put=("shortly",))
    gmask.audit(box(lambda a, b: "shortly" in b), rows, output=folder, method="leave-one-out", hosts=40)


def content(folder):
    """The files of a folder, but for a temporary one of a process that was killed while it wrote it."""
    return {p.name: p.read_bytes() for p in folder.iterdir() if not re.fullmatch(r"\..*\.\d+(\.\d+)?\.tmp", p.name)}


@pytest.mark.slow
def test_ten_kills_change_nothing(tmp_path):
    work(tmp_path / "warm")  # imports and caches, which a child has from the start
    began = time.monotonic()
    work(tmp_path / "whole")
    length = time.monotonic() - began
    fork, chance = multiprocessing.get_context("fork"), random.Random(0)
    begun = 0
    for _ in range(KILLS):
        child = fork.Process(target=work, args=(tmp_path / "killed",))
        child.start()
        time.sleep(chance.uniform(0.05, 0.6) * length)
        begun += child.is_alive()
        if child.is_alive():
            os.kill(child.pid, signal.SIGKILL)
        child.join()
    work(tmp_path / "killed")
    assert begun >= KILLS // 2
    assert content(tmp_path / "killed") == content(tmp_path / "whole")
