"""The example of the docs: a method is one file and one test file."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import gmask
import gmask.method
from gmask.cli import main
from gmask.method.base import Method

PAGE = Path(__file__).parents[2] / "docs" / "methods.md"


@pytest.fixture
def example(tmp_path, monkeypatch):
    method, test = re.findall(r"^```py\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (tmp_path / "greedy.py").write_text(method, encoding="utf-8")
    monkeypatch.setattr(gmask.method, "__path__", [*gmask.method.__path__, str(tmp_path)])
    yield method, test
    Method.registry.pop("greedy", None)
    sys.modules.pop("gmask.method.greedy", None)


def test_the_example_is_complete_in_40_lines_and_its_own_test_passes(example):
    method, test = example
    assert len((method + test).splitlines()) <= 40
    assert "greedy" in gmask.methods()
    names = {}
    exec(compile(test, "test_greedy.py", "exec"), names)
    names["test_what_hurts_most_goes_first"]()


def test_its_settings_reach_the_command_line_by_themselves(example, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["gmask", "methods", "greedy"])
    with pytest.raises(SystemExit):
        main()
    assert "how many words to put in order [default: 10]" in capsys.readouterr().out


def test_the_page_names_every_method():
    page = PAGE.read_text(encoding="utf-8")
    assert [m for m in gmask.methods() if f"`{m}`" not in page] == []
