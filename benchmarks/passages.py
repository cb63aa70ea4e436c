"""What an explanation of a long text costs, and how faithful it is: two versions, or two choices of units, in turn.

    python benchmarks/passages.py MODEL CRANFIELD --words 150 --pairs 10 --than OLD/src

MODEL is the folder of a reranker, CRANFIELD one with queries.tsv.gz, documents.tsv.gz and relevance.tsv.gz. Queries
with odd numbers are for choosing, those with even numbers (`--held-out`) for reporting. `--than` names the source
folder of another version, which explains as it does by default; without it, the other is this version with
`units="words"`. The two take turns, pair by pair, each in a process of its own. A token is counted where it enters the
feed-forward part of the model's first layer. Faithful is how far the score falls, on average, as the top 1 to 10 words
go, with the words dropped, masked, deleted and exchanged for others; in units of the score.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MEASURED = ("drop", "mask", "delete", "swap")
TOP = 10  # words that go
NEAR = 0.2  # how far a passage's length may be from the one asked for
HERE = Path(__file__).resolve().parents[1] / "src"


def rows_of(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a table."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


def pairs(folder: Path, words: int, *, held_out: bool) -> Iterator[tuple[str, str]]:
    """A query, and a relevant passage of about so many words; no passage twice."""
    queries, documents = (
        {r["id"]: r["text"] for r in rows_of(folder / f"{n}.tsv.gz")} for n in ("queries", "documents")
    )
    seen = set()
    for row in rows_of(folder / "relevance.tsv.gz"):
        query, name = row["query"], row["document"]
        passage = documents.get(name, "")
        near = abs(len(passage.split()) - words) <= NEAR * words
        if int(row["grade"]) > 0 and near and (int(query) % 2 == 0) == held_out and name not in seen:
            seen.add(name)
            yield queries[query], passage


def work(model: str, options: dict[str, Any]) -> None:
    """Explain the pairs of standard input, a line each: for a version that may be another one than this."""
    import torch
    from torch.nn.modules.module import register_module_forward_hook

    import gmask

    counted, first_layer = 0, None

    def count(module: torch.nn.Module, _: Any, output: Any) -> None:
        nonlocal counted, first_layer
        if type(module).__name__.endswith("Intermediate"):
            first_layer = first_layer or module
            counted += output.shape[:-1].numel() * (module is first_layer)

    register_module_forward_hook(count)
    explainer = gmask.Explainer(gmask.load(model, outputs="score"), **options)
    for line in sys.stdin:
        first, second = json.loads(line)
        counted, began, busy = 0, time.perf_counter(), time.process_time()
        e = explainer(first, second)
        told = {
            "rows": e.rows,
            "tokens": counted,
            "seconds": time.perf_counter() - began,
            "processor": time.process_time() - busy,
            "top": [(e.words[i].sentence, e.words[i].start) for i in e.order()[:TOP]],
            "notes": e.notes(),
        }
        print(json.dumps(told), flush=True)


def started(model: str, source: Path, options: dict[str, Any]) -> subprocess.Popen[str]:
    """A process that explains, with the version of a source folder."""
    command = [sys.executable, __file__, model, "-", "--work", json.dumps(options)]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(source)}
    )


def falls(bounds: list[Any], top: list[list[int]]) -> list[float]:
    """How far the score falls on average as the top words go, in each way of removing words."""
    import numpy as np

    found = []
    for bound in bounds:
        places = {(w.sentence, w.start): i for i, w in enumerate(bound.words)}
        order = [places[(side, start)] for side, start in top if (side, start) in places]
        rows = np.ones((len(order) + 1, len(bound.words)), bool)
        for count in range(1, len(order) + 1):
            rows[count, order[:count]] = False
        scores = bound(rows)[:, 0]
        found.append(float((scores[0] - scores[1:]).mean()))
    return found


def main() -> None:
    """Explain in turn, measure, and print a line a pair and the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("data", type=Path)
    parser.add_argument("--words", type=int, default=150)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--than", type=Path, help="the source folder of another version")
    parser.add_argument("--options", default="{}", help="of this version's explainer, as JSON")
    parser.add_argument("--output", type=Path, help="a line of JSON a pair")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work is not None:
        work(given.model, json.loads(given.work))
        return

    import numpy as np

    import gmask

    before = started(given.model, given.than or HERE, {} if given.than else {"units": "words"})
    after = started(given.model, HERE, json.loads(given.options))
    model, found = gmask.load(given.model, outputs="score"), []
    for number, (query, passage) in enumerate(pairs(given.data, given.words, held_out=given.held_out)):
        if number == given.pairs:
            break
        told = []
        for worker in (before, after):
            assert worker.stdin is not None
            assert worker.stdout is not None
            print(json.dumps([query, passage]), file=worker.stdin, flush=True)
            told.append(json.loads(worker.stdout.readline()))
        bounds = [model.bind(query, passage, removal=removal) for removal in MEASURED]
        for each in told:
            each["falls"] = falls(bounds, each["top"])
        found.append(told)
        if given.output:
            with given.output.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"query": query, "passage": passage, "before": told[0], "after": told[1]}) + "\n")
        print(
            number,
            len(passage.split()),
            *(f"{e['rows']}/{e['tokens']}/{np.mean(e['falls']):.2f}" for e in told),
            flush=True,
        )
    for name in ("rows", "tokens", "seconds", "processor"):
        old, new = (sum(told[i][name] for told in found) for i in (0, 1))
        print(f"{name:10} {old / len(found):12.1f} {new / len(found):12.1f} {new / old:8.3f}")
    for i, removal in enumerate(MEASURED):
        old, new = (np.array([told[j]["falls"][i] for told in found]) for j in (0, 1))
        print(f"{removal:10} {old.mean():12.2f} {new.mean():12.2f} {(new - old).mean():+8.2f}")


if __name__ == "__main__":
    main()
