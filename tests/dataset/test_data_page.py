"""The page on data: its examples and its commands run, in the order in which they stand there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from gmask.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "data.md"


def test_examples_and_commands_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    commands = 0
    for language, text in re.findall(
        r"^```(python|sh)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    ):
        if language == "python":
            exec(compile(text, PAGE.name, "exec"), names)
            continue
        for line in text.splitlines():
            monkeypatch.setattr("sys.argv", shlex.split(line))
            with pytest.raises(SystemExit) as end:
                main()
            assert end.value.code == 0, capsys.readouterr().err
            commands += 1
    assert commands == 3
