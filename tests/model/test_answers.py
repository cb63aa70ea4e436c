"""Answers that are kept: they outlive their process, and a file that is none is told of."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from gmask.errors import GmaskError
from gmask.model.answers import Answers


def test_answers_outlive_a_killed_process(tmp_path):
    code = (
        "import os, signal, sys; from gmask.model.answers import Answers\n"
        "Answers(sys.argv[1]).keep({b'q': [0.1, 2.0]}); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path], check=False, env=dict(os.environ))
    assert done.returncode == -signal.SIGKILL
    assert Answers(tmp_path).known([b"q", b"other"]) == {b"q": [0.1, 2.0]}


def test_threads_share_them():
    answers = Answers()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: answers.keep({bytes([i]): [float(i)]}), range(100)))
    assert answers.known(bytes([i]) for i in range(101)) == {bytes([i]): [float(i)] for i in range(100)}


def test_without_a_folder_they_end_with_their_object():
    answers = Answers()
    answers.keep({b"q": [1.0]})
    assert Answers().known([b"q"]) == {}
    assert pickle.loads(pickle.dumps(answers)).known([b"q"]) == {}


def test_a_folder_goes_along_to_other_processes(tmp_path):
    answers = Answers(tmp_path)
    answers.keep({b"q": [1.0]})
    assert pickle.loads(pickle.dumps(answers)).known([b"q"]) == {b"q": [1.0]}


def test_a_file_that_holds_no_answers_is_told_of(tmp_path):
    (tmp_path / "answers.sqlite").write_bytes(b"something else" * 100)
    with pytest.raises(GmaskError, match=f"cannot use the answers kept in {tmp_path} .*; give another folder"):
        Answers(tmp_path).known([b"q"])
    with pytest.raises(GmaskError, match="cannot write"):
        Answers(tmp_path / "answers.sqlite").known([b"q"])
