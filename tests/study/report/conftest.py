from __future__ import annotations

import json

import pytest

import gmask
from gmask.dataset.example import Example
from gmask.model.callable import CallableModel
from tests.study import boxes

METHODS = ["gmask", "gmask:preset=paper:restarts=2", "leave-one-out", "random", "best-order"]


def as_paper(folder, kind, data):
    """Make a run of toys look like one of the paper's models."""
    path = folder / "run.json"
    manifest = json.loads(path.read_text())
    manifest["model"].update(kind=kind, hash=kind)
    manifest["data"] = {"name": data, "file": f"{data}.tsv", "split": "test"}
    path.write_text(json.dumps(manifest))


def examples(count):
    marked = (((1,), (0, 1)),)
    return [Example(a, b, "same", str(i), marked) for i, (a, b) in enumerate(boxes.some(count))]


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """Runs of two models on two data sets, one of them timed alone and one of stability."""
    folder = tmp_path_factory.mktemp("runs")
    for kind, data in (("dattn", "esnli"), ("bert", "esnli"), ("bert", "mrpc")):
        run = folder / f"{kind}-{data}"
        gmask.evaluate(CallableModel(boxes.words), examples(6), methods=METHODS, output=run)
        as_paper(run, kind, data)
    (folder / "bert-mrpc" / "accuracy.json").write_text('{"right": 3, "pairs": 4}')
    more = {"methods": ["leave-one-out", "random"]}
    gmask.evaluate(CallableModel(boxes.words), examples(3), alone=True, output=folder / "alone", **more)
    as_paper(folder / "alone", "bert", "mrpc")
    gmask.evaluate(
        CallableModel(boxes.words), examples(3), metrics=["seed_stability"], output=folder / "stability", **more
    )
    as_paper(folder / "stability", "bert", "mrpc")
    return sorted(folder.iterdir())
