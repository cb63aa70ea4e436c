from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from gmask.notes import notes
from tests.explanations import guitar, single_words

GUIDE = Path(__file__).parents[2] / "docs" / "reading.md"


def test_the_examples_of_the_guide_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for example in re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(example, "reading.md", "exec"), {})
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".html", ".json", ".pdf", ".png", ".svg", ".tex", ".txt"]
    assert "[guitar]" in capsys.readouterr().out


def test_the_guide_quotes_the_notes_as_they_are():
    guide = GUIDE.read_text(encoding="utf-8")
    weak = guitar().evidence
    habit = {"nothing": 0.92, "removed": (0.95,) * 10, "emptied": (0.95, 0.95)}
    for change in (habit, {"kept": (0.3,) * 10}, {"removed": (0.9,) * 10}):
        fields = {"nothing": 0.1, **change}
        (note,) = notes(replace(single_words(), evidence=replace(weak, **fields)))
        assert note.split(":")[0] in guide
