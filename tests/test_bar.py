"""A line that shows how far it is, wherever it is shown."""

from __future__ import annotations

import sys

import gmask
from gmask.bar import bar
from tests.toys import rule_model


def test_a_line_is_written_over_and_gone_in_the_end(capsys):
    with bar(2, shown=True) as advance:
        advance()
        advance()
    told = capsys.readouterr().err
    assert told.startswith("\rexplaining: 1 of 2 pairs, ")
    assert "\rexplaining: 2 of 2 pairs, 0 s left" in told
    assert told.endswith(" \r")
    assert "\n" not in told


def test_nothing_is_shown_unless_it_is_asked_for(capsys):
    with bar(2, shown=False) as advance:
        advance()
    assert capsys.readouterr().err == ""


def test_a_notebook_needs_no_widgets(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    gmask.explain(rule_model([[(0, "a")]]), pairs=[("a b", "c d")] * 2, method="leave-one-out", progress=True)
    out, err = capsys.readouterr()
    assert "ipywidgets" not in out + err
    assert "2 of 2 pairs" in err
