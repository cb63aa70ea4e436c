from __future__ import annotations

import re
import socket
import subprocess
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from gmask.cli.serve import _listen, _named, _offered
from gmask.errors import GmaskError
from gmask.model.base import PairModel
from gmask.model.zoo import BUILTIN, builtin_models

MODEL = """
def overlap(pairs):
    return [float(bool(set(a.split()) & set(b.split()))) for a, b in pairs]
"""


def start(folder, *arguments: str) -> subprocess.Popen:
    (folder / "mine.py").write_text(MODEL)
    command = [sys.executable, "-m", "gmask", "serve", *arguments]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def served(tmp_path):
    process = start(tmp_path, "--model", "overlap=python:mine:overlap", "--port", "0")
    line = process.stdout.readline()
    yield process, line, int(re.search(r":(\d+)/", line)[1])
    process.terminate()
    process.communicate(timeout=60)


@pytest.mark.slow
def test_the_page_is_served_on_this_machine_alone(served):
    process, line, port = served
    assert line.startswith("gmask: http://127.0.0.1:")
    assert "offers overlap, nli" in line
    with urlopen(f"http://127.0.0.1:{port}/", timeout=60) as response:
        assert b"<option>overlap</option>" in response.read()
    with pytest.raises(ConnectionRefusedError):  # another address of the same machine
        socket.create_connection(("127.0.0.2", port), timeout=10)
    with pytest.raises(HTTPError, match="400"):
        urlopen(Request(f"http://127.0.0.1:{port}/", headers={"Host": "evil.example"}), timeout=60)
    process.terminate()
    assert process.wait(60) in (0, -15)


def test_another_address_is_listened_on_when_told():
    with _listen("127.0.0.2", 0) as listening:
        assert listening.getsockname()[0] == "127.0.0.2"


def test_a_port_that_is_taken_is_one_line():
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(GmaskError, match=r"cannot listen on 127.0.0.1"),
    ):
        _listen("127.0.0.1", taken.getsockname()[1])


def test_an_address_of_another_machine_is_one_line():
    with pytest.raises(GmaskError, match=r"cannot listen on 203.0.113.7"):
        _listen("203.0.113.7", 0)


def test_given_models_come_first_and_those_built_in_are_loaded_when_used(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    models = _offered(["here=python:mine:overlap"])
    assert list(models) == ["here", *builtin_models()]
    assert isinstance(models["here"], PairModel)
    assert not any(isinstance(models[name], PairModel) for name in builtin_models())


def test_what_stands_behind_a_name_is_no_name():
    for given in ("judge#template=qwen3-reranker", "http://127.0.0.1:1/score?labels=a", "owner/judge#answers=no%3Dno"):
        assert _named(given)[1] == given


def test_a_model_that_cannot_be_loaded_is_one_line_at_the_start(tmp_path):
    for given, said in {
        "nothing": "unknown model",
        "python:json:nothing": "no function",
        str(tmp_path): "config",
    }.items():
        with pytest.raises(GmaskError, match=said):
            _offered([given])


def test_two_models_need_two_names():
    with pytest.raises(GmaskError, match="two models are called 'nli-dattn'"):
        _offered(["nli-dattn", "nli-dattn"])


def test_a_folder_may_have_an_equals_sign_in_its_path(tmp_path):
    folder = tmp_path / "lr=0.1"
    folder.symlink_to(BUILTIN / "nli-dattn")
    for given, name in ((f"{folder}", "lr=0.1"), (f"mine={folder}", "mine")):
        models = _offered([given])
        assert isinstance(models[name], PairModel)
