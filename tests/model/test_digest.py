"""A function with other data in it is another model; the same one is the same in every process."""

from __future__ import annotations

import functools
import subprocess
import sys
import threading

import numpy as np
import pytest
import torch

from gmask.model.callable import CallableModel
from gmask.model.digest import digest


def closing(data):
    return lambda pairs: [0.5 + 0 * len(str(data))] * len(pairs)


def defaulting(data):
    def function(pairs, data=data):
        return [0.5] * len(pairs)

    return function


class Box:
    def __init__(self, data):
        self.data = data

    def __call__(self, pairs):
        return [0.5] * len(pairs)

    def method(self, pairs):
        return self(pairs)


def first(data, pairs):
    return [0.5] * len(pairs)


def layer(seed):
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())


MAKERS = [closing, defaulting, Box, lambda data: Box(data).method, lambda data: functools.partial(first, data)]
DATA = [
    (lambda: 1, lambda: 2),
    (lambda: "a", lambda: b"a"),
    (lambda: [1, 2], lambda: (1, 2)),
    (lambda: {"a": 1, "b": {2, 3}}, lambda: {"a": 1, "b": {2, 4}}),
    (lambda: np.ones(3), lambda: np.ones(3, dtype=np.float32)),
    (lambda: np.array(["a", None], dtype=object), lambda: np.array(["a", 1], dtype=object)),
    (lambda: torch.zeros(2, dtype=torch.bfloat16), lambda: torch.ones(2, dtype=torch.bfloat16)),
    (lambda: layer(0), lambda: layer(1)),
    (lambda: Box(np.zeros(2)), lambda: Box(np.ones(2))),
    (lambda: len, lambda: max),
]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(("one", "other"), DATA)
def test_a_function_with_other_data_in_it_is_another_model(make, one, other):
    hashes = [CallableModel(make(data()), name="box").hash for data in (one, one, other)]
    assert hashes[0] == hashes[1] != hashes[2]
    assert not any(name.endswith("-partly") for name in hashes)


@pytest.mark.parametrize("make", MAKERS)
def test_what_says_nothing_of_its_content_leaves_a_mark(make):
    one, other = (CallableModel(make(threading.Lock()), name="box").hash for _ in range(2))
    assert one == other
    assert one.endswith("-partly")
    assert CallableModel(make({"a": [threading.Lock()]}), name="box").hash.endswith("-partly")


def test_labels_and_outputs_are_part_of_it():
    options = [{}, {"labels": ["a", "b"]}, {"labels": ["b", "a"]}, {"outputs": "logits"}, {"outputs": "multilabel"}]
    assert len({CallableModel(closing(1), name="box", **o).hash for o in options}) == len(options)


def test_what_holds_itself_has_a_digest_too():
    box = Box(None)
    box.data = [box]
    deep = []
    for _ in range(1000):
        deep = [deep]
    assert digest(box)[1]
    assert not digest(deep)[1]


def test_it_is_the_same_in_every_process(tmp_path, monkeypatch):
    source = "def closing(data):\n    return lambda pairs: data\n"
    (tmp_path / "closing_module.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    from closing_module import closing as made

    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from closing_module import closing; "
        "from gmask.model.digest import digest; print(digest(closing({'a', 'b', 'c'}))[0])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == digest(made({"a", "b", "c"}))[0]
