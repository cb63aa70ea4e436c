"""An audit as tables, and counter-examples for a training or a test set."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["counterexamples", "finding_rows", "tables"]

COUNTER = 20  # counter-examples a finding

_CHANGED = ("number", "first", "second", "gold", "before", "label", "became", "finding")
_COLUMNS = ("sentence1", "sentence2", "label", "answer", "finding", "what")


def finding_rows(findings: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A row a finding."""
    return [
        {
            "finding": number,
            "pattern": f["pattern"],
            "kind": f["kind"],
            "first": " ".join(f["first"]),
            "second": " ".join(f["second"]),
            "label": f["label"],
            "pairs": f["pairs"],
            "there": len(f["there"]),
            "accuracy": f["accuracy"],
            "others": f["others"],
            "turned": f["turned"],
            "low": f["interval"][0],
            "high": f["interval"][1],
            "control": f["control"],
            "hosts": f["hosts"],
            "p": f["p"],
            "q": f["q"],
        }
        for number, f in enumerate(findings, start=1)
    ]


def tables(data: Mapping[str, Any]) -> dict[str, str]:
    """CSV texts by name."""
    flat = ("cause", "finding", "errors", "share")
    found = {
        "findings": finding_rows(data["findings"]),
        "tested": [{name: _cell(row[name]) for name in row if name != "counts"} for row in data["tested"]],
        "one_sided": [{name: _cell(value) for name, value in row.items()} for row in data["one_sided"]],
        "errors": [{name: row[name] for name in flat} for row in data["errors"]],
        "changes": [{name: row[name] for name in _CHANGED} for row in data.get("changes", ())],
    }
    return {name: _csv(rows) for name, rows in found.items() if rows}


def counterexamples(data: Mapping[str, Any]) -> str:
    """A TSV of pairs that a cause leads the model astray in: real ones with their right label, then changed ones.

    A changed pair has a label where the change preserves it; else somebody has to give it one.
    """
    text = io.StringIO()
    writer = csv.writer(
        text, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, escapechar=None, quotechar=None
    )
    writer.writerow(_COLUMNS)
    for number, finding in enumerate(data["findings"], start=1):
        for first, second, label, answer, what in _counter(finding):
            texts = (" ".join(t.split()) for t in (first, second))  # a tab or a line break ends a field
            writer.writerow([*texts, label or "", answer, number, what])
    return text.getvalue()


def _counter(finding: Mapping[str, Any]) -> Iterator[tuple[str, str, str | None, str, str]]:
    for e in finding["examples"][:COUNTER]:
        if e["gold"] is not None and e["gold"] != e["label"]:
            yield e["first"], e["second"], e["gold"], e["label"], "a pair of the data"
    turned = [trial for trial in finding["trials"] if trial["after"] == finding["label"]]
    for trial in turned[:COUNTER]:
        yield *trial["texts"], _preserved(finding, trial), trial["after"], f"was {trial['before']}"


def _preserved(finding: Mapping[str, Any], trial: Mapping[str, Any]) -> str | None:
    """The same word put into both texts says nothing new of one against the other."""
    return trial["gold"] if finding["kind"] in ("overlap", "same") else None


def _cell(value: Any) -> Any:
    """What a table can show."""
    return " ".join(map(str, value)) if isinstance(value, list) else value


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
