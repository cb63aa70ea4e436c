from __future__ import annotations

import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_info

import gmask
from gmask.errors import GmaskError
from gmask.model.callable import CallableModel
from gmask.study.threads import fixed_threads, usual_threads
from tests.study import boxes


def test_threads_are_fixed_and_then_as_before():
    before = torch.get_num_threads()
    with fixed_threads(1):
        assert torch.get_num_threads() == 1
        np.ones((2, 2)) @ np.ones((2, 2))
        assert {pool["num_threads"] for pool in threadpool_info()} == {1}
    assert torch.get_num_threads() == before


@pytest.mark.parametrize(("said", "wanted"), [("3", 3), ("0", None), ("2,1", None), ("", None)])
def test_the_environment_says_how_many(monkeypatch, said, wanted):
    monkeypatch.setattr("gmask.study.threads.os.cpu_count", lambda: 64)
    monkeypatch.setenv("OMP_NUM_THREADS", said)
    assert usual_threads() == (wanted or 4)


def test_a_run_keeps_its_number_of_threads(tmp_path):
    model = CallableModel(boxes.words)
    gmask.evaluate(model, boxes.some(1), methods=["random"], output=tmp_path / "run", threads=1)
    with pytest.raises(GmaskError, match="begun with threads 1, not with 2"):
        gmask.evaluate(model, boxes.some(1), methods=["random"], output=tmp_path / "run", threads=2)
