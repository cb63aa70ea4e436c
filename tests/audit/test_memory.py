"""An audit of many pairs takes no more memory than one of few, but for a line of numbers a pair."""

from __future__ import annotations

import multiprocessing
import re
from itertools import islice
from pathlib import Path

import pytest

import gmask
from gmask.audit import survey
from tests.audit.toys import box, pairs

STATUS = Path("/proc/self/status")


def work(folder, count, send):
    survey.KEPT = 50  # pairs that are kept; so few that both audits keep them all
    rows = islice((row for seed in range(count) for row in pairs(100, seed, put=("shortly",))), count)
    gmask.audit(box(lambda a, b: "shortly" in b), rows, output=folder, limit=None, method="leave-one-out", hosts=30)
    send.send(int(re.search(r"VmHWM:\s+(\d+)", STATUS.read_text())[1]) / 1024)


def resident(folder, count):
    """The most memory a process of its own takes for so many pairs, in MB."""
    receive, send = multiprocessing.Pipe()
    child = multiprocessing.get_context("spawn").Process(target=work, args=(folder, count, send))
    child.start()
    found = receive.recv()
    child.join()
    return found


@pytest.mark.slow
@pytest.mark.skipif(not STATUS.exists(), reason="only Linux tells how much memory a process took at most")
def test_memory_does_not_grow_with_the_pairs(tmp_path):
    assert resident(tmp_path / "many", 2_500) < resident(tmp_path / "few", 500) + 10
