from __future__ import annotations

import re
from pathlib import Path

from gmask.notes import notes
from tests.explanations import guitar

GUIDE = Path(__file__).parents[2] / "docs" / "reading.md"


def test_the_examples_of_the_guide_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for example in re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(example, "reading.md", "exec"), {})
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".html", ".json", ".png", ".svg", ".tex", ".txt"]
    assert "[guitar]" in capsys.readouterr().out


def test_the_guide_quotes_the_notes_as_they_are():
    guide = GUIDE.read_text(encoding="utf-8")
    weak = guitar().evidence
    for change in ({"nothing": 0.62}, {"kept": (0.3,) * 10}, {"removed": (0.9,) * 10}):
        fields = {**weak.__dict__, "nothing": 0.1, **change}
        (note,) = notes(guitar(evidence=type(weak)(**fields)))
        assert note.split(":")[0] in guide
