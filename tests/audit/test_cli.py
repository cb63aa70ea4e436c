"""The commands, as people give them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.audit.toys import pairs


def run(*arguments):
    command = [sys.executable, "-m", "gmask", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )


@pytest.mark.slow
def test_audit_and_check_say_what_they_found_by_their_exit_codes(tmp_path):
    rows = [f"{p['text']}\t{p['text_pair']}\t{p['label']}" for p in pairs(120, put=("shortly",))]
    data = tmp_path / "data.tsv"
    data.write_text("\n".join(["sentence1\tsentence2\tlabel", *rows]) + "\n", encoding="utf-8")
    output = tmp_path / "AUDIT"
    box = "python:tests.audit.toys:"
    found = run("audit", "--model", f"{box}planted", "--data", data, "-m", "leave-one-out", "-o", output)
    assert found.returncode == 0, found.stderr
    assert "“shortly” in the second text" in found.stdout
    assert run("check", output).returncode == 0
    assert run("check", output, "--model", f"{box}planted").returncode == 1
    assert (output / "check.xml").exists()
    assert run("check", output, "--model", f"{box}clean").returncode == 0
    wrong = run("check", tmp_path, "--model", f"{box}clean")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
