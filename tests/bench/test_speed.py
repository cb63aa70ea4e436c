"""What an explanation costs, measured: another version beside this one, a cold start, the first answer, growth."""

from __future__ import annotations

from pathlib import Path

import pytest

import gmask
from gmask.bench import speed
from gmask.errors import GmaskError

HERE = Path(gmask.__file__).parents[2]
PAIRS = [("A cat is asleep.", "A cat sleeps."), ("A man plays the guitar.", "A man plays the banjo on stage.")]


def test_a_version_beside_itself_finds_the_same_in_as_many_rows():
    this, other = speed.compare_versions("nli-dattn", PAIRS, HERE, threads=1)
    assert this.rows == other.rows > 0
    assert min(this.processor, other.processor) > 0
    for name in speed.METRICS:
        assert this.figures[name].tolist() == other.figures[name].tolist()
    assert f"| {HERE.name} |" in speed.versions_table([this, other])
    with pytest.raises(GmaskError, match="has no src/gmask"):
        speed.compare_versions("nli-dattn", PAIRS, HERE / "src", threads=1)


def test_steps_of_a_cold_start_cost_more_and_more():
    (found,) = speed.cold_start("nli-dattn", None, rounds=1).values()
    assert list(found) == list(speed.STEPS)
    assert found["import gmask"] < found["import torch"] < found["gmask explain"]


def test_the_first_that_is_told_has_its_share_and_lists_keep_a_model_busy():
    model = gmask.load("nli")
    rows, seconds, area = speed.stream_shares(model, PAIRS[:1])
    assert 0 < rows < 0.5
    assert 0 < seconds < 1
    assert area < 1.5
    full, plain = speed.throughput(model, PAIRS[:1])
    assert 0 < full < 1.5
    assert plain > 0
