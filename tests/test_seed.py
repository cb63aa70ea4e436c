"""Seeds: one check, wherever one can be given."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import gmask
from gmask.cli.app import app
from gmask.errors import GmaskError
from gmask.seed import LARGEST, check_seed
from gmask.study import batch
from tests.study import boxes

NO_SEEDS = [-1, 1.5, "x", None, LARGEST + 1]


@pytest.mark.parametrize("seed", [0, LARGEST, np.int64(3)])
def test_whole_numbers_are_seeds(seed):
    assert type(check_seed(seed)) is int
    assert check_seed(seed) == seed


@pytest.mark.parametrize("seed", NO_SEEDS)
def test_anything_else_is_refused_by_everybody(seed, tmp_path):
    model = gmask.load(boxes.words)
    for call in (
        lambda: gmask.explain(model, "a b", "a c", seed=seed),
        lambda: gmask.evaluate(model, boxes.some(1), seed=seed),
        lambda: batch(model, boxes.some(1), tmp_path / "out.jsonl", seed=seed),
    ):
        with pytest.raises(GmaskError, match=r"a seed is a whole number from 0 to 2\^63 - 1, not "):
            call()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        ["explain", "a", "b"],
        ["batch", "pairs.tsv", "-o", "out.jsonl"],
        ["evaluate", "--data", "pairs.tsv", "-o", "run"],
        ["bench", "methods"],
        ["bench", "solver"],
        ["bench", "planted"],
        ["bench", "groups"],
        ["fit", "iba", "--model", "nli", "--data", "pairs.tsv", "-o", "iba.safetensors"],
    ],
)
def test_every_command_refuses_it(command):
    with pytest.raises(GmaskError, match="a seed is a whole number"):
        CliRunner().invoke(app, [*command, "--seed", "-1"], catch_exceptions=False)
