"""Write the accuracy table of models.md from the cards of the built-in models."""

from __future__ import annotations

import re
from pathlib import Path

from gmask.model.zoo import BUILTIN

PAGE = Path(__file__).parent / "models.md"
MARKS = ("<!-- accuracy: written by make_models.py -->", "<!-- end of accuracy -->")
COLUMNS = {  # as in the paper, and the beginnings of the titles in the cards
    "e-SNLI (= SNLI)": "Stanford Natural Language Inference",
    "Quora": "Quora question pairs",
    "QQP": "Quora Question Pairs (GLUE)",
    "MRPC": "Microsoft Research Paraphrase Corpus",
}
PAPER = {
    "DAttn, in the paper": ("86.62 (549K)", "86.78 (384K)", "85.00 (364K)", "68.30 (3,668)"),
    "BERT-base, in the paper": ("90.38 (549K)", "90.48 (384K)", "89.00 (364K)", "83.70 (3,668)"),
}
# No model was trained on QQP, so no card has a score for it: measured on the test split of the stand-in (see the page).
STAND_IN = {"paraphrase": "86.70 (0)", "paraphrase-dattn": "76.90 (0)"}
OURS = {
    "`nli-dattn`": "DAttn, in the paper",
    "`paraphrase-dattn`": "DAttn, in the paper",
    "`paraphrase-mrpc-dattn`": "DAttn, in the paper",
    "`nli` (MiniLM, 6 layers)": "BERT-base, in the paper",
    "`paraphrase` (MiniLM, 6 layers)": "BERT-base, in the paper",
}


def table() -> str:
    """The built-in models that are there, each kind below the paper's row for it."""
    lines = [f"| model | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|"]
    for paper, figures in PAPER.items():
        lines.append(f"| {paper} | {' | '.join(figures)} |")
        for name, kind in OURS.items():
            model = name.split("`")[1]
            card = BUILTIN / model / "README.md"
            if kind == paper and card.exists():
                scores = _scores(card.read_text(encoding="utf-8"))
                scores["QQP"] = STAND_IN.get(model, "")
                lines.append(f"| {name} | {' | '.join(scores.values())} |")
    return "\n".join(lines)


def _scores(card: str) -> dict[str, str]:
    found = {}
    for column, title in COLUMNS.items():
        score = re.search(rf"^\| {re.escape(title)}[^|]*\| test \| [\d,]+ \| ([\d.]+) % \|$", card, re.MULTILINE)
        pairs = re.search(rf"^\| {re.escape(title)}[^|]*\| ([\d,]+) \| [^|]+\|$", card, re.MULTILINE)
        found[column] = f"**{score[1]}** ({pairs[1]})" if score and pairs else ""
    return found


def page(text: str) -> str:
    """The page with the table as it should be."""
    before, _, rest = text.partition(MARKS[0])
    return f"{before}{MARKS[0]}\n{table()}\n{MARKS[1]}{rest.partition(MARKS[1])[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
