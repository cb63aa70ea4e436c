"""The page on models: its table says what the cards of the built-in models say."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_accuracy_table_is_that_of_the_cards():
    made = runpy.run_path(str(DOCS / "make_models.py"))
    text = (DOCS / "models.md").read_text(encoding="utf-8")
    assert text == made["page"](text), "run docs/make_models.py"


def test_the_bars_are_met():
    made = runpy.run_path(str(DOCS / "make_models.py"))
    rows = {line.split("`")[1]: line.split("**")[1::2] for line in made["table"]().splitlines() if "`" in line}
    scores = {name: [float(score) for score in found] for name, found in rows.items()}
    bars = {"nli": [85], "nli-dattn": [75], "paraphrase": [85, 75], "paraphrase-dattn": [76]}
    bars["paraphrase-mrpc-dattn"] = [68.3]
    for name, found in scores.items():
        assert all(score >= bar for score, bar in zip(found, bars[name], strict=False)), name
