"""The default GMASK with each ingredient switched off in turn: the paper's measures on dev pairs, and planted groups.

    python benchmarks/ablation.py DATA [--pairs 60] [--cases 20] [--bert] [--only TEXT]

DATA has the folders snli, quora, qqp and mrpc. On two decomposable-attention models, or with --bert on BERT
and questions; prints a table in Markdown.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated
from unittest.mock import patch

import numpy as np
import typer
from rich.progress import track

import gmask
from gmask.bench.boxes import KINDS
from gmask.bench.groups import recover, recovery
from gmask.dataset.corpora import load
from gmask.method import gmask as method
from gmask.method import reasons, screening

CELLS = [("nli-dattn", "snli"), ("paraphrase-dattn", "quora"), ("paraphrase-dattn", "mrpc")]
BERT = [("paraphrase", "quora"), ("paraphrase", "qqp")]
METRICS = ["aopc", "post_hoc_accuracy", "degradation"]

# What is left out: settings of the method, and names in its modules with what stands in their place.
ABLATIONS = {
    "nothing: the default": ("gmask", []),
    "random rows (`screening=0`)": ("gmask:screening=0", []),
    "firmness: removals read as probabilities": ("gmask", [(screening, "firmness", lambda p: p)]),
    "only what stands out alone": ("gmask", [(screening, "_standing_out", lambda values: values)]),
    "candidates given the others": ("gmask", [(method, "three_in_five", lambda k: k)]),
    "the mean over supersets: A(G) = −log p(G)": ("gmask", [(reasons, "superset_means", lambda table: table)]),
    "*short*: a reason need not carry": ("gmask", [(reasons, "CARRIES", 0.0)]),
    "*necessity* (`necessity=0`)": ("gmask:necessity=0", []),
    "*brevity* (`brevity=0`)": ("gmask:brevity=0", []),
    "*idle* (`spare=0`)": ("gmask:spare=0", []),
    "preference: the best order as it is": ("gmask", [(method, "PREFERENCE", 0.0)]),
    "the best order: theta as it is": ("gmask", [(method, "PREFERENCE", 1e6)]),
    "two candidates (`k=6`)": ("gmask:k=6", []),
    "four candidates (`k=4`)": ("gmask:k=4", []),
}


def pairs_of(folder, data, count):
    """Dev pairs, drawn at random."""
    examples = load(f"{folder}/{data}", "dev")
    chosen = np.random.default_rng(0).choice(len(examples), count, replace=False)
    return [(examples[i].first, examples[i].second) for i in chosen]


def line(name, folder, cells, pairs, cases):
    """One row of the table: the default without something."""
    written, patches = ABLATIONS[name]
    with ExitStack() as stack:
        for module, attribute, stand_in in patches:
            stack.enter_context(patch.object(module, attribute, stand_in))
        found = []
        for model, data in cells:
            results = gmask.evaluate(model, pairs_of(folder, data, pairs), methods=[written], metrics=METRICS)[written]
            found.append([float(np.mean(results[metric])) for metric in METRICS])
        planted = [recovery(*pair).rand for kind in KINDS for pair in recover(written, kind, cases)]
    figures = np.array(found).T  # [metric, cell]
    shown = [" ".join(f"{value:.3f}" for value in row) for row in figures]
    return f"| {name} | {' | '.join(shown)} | {np.mean(planted):.3f} |"


def main(
    data: Path,
    pairs: Annotated[int, typer.Option(help="Dev pairs a data set.")] = 60,
    cases: Annotated[int, typer.Option(help="Planted boxes of each kind.")] = 20,
    bert: Annotated[bool, typer.Option(help="On BERT, which takes a hundred times as long.")] = False,
    only: Annotated[str, typer.Option(help="Only lines with this in their name, and the default.")] = "",
) -> None:
    """Print the table."""
    cells = BERT if bert else CELLS
    print(f"| without | AOPC ({', '.join(d for _, d in cells)}) | post-hoc accuracy | degradation | planted groups |")
    print("|---|---|---|---|---|", flush=True)
    names = [name for name in ABLATIONS if only in name or name.startswith("nothing")]
    for name in track(names, "ablations"):
        print(line(name, data, cells, pairs, cases), flush=True)


if __name__ == "__main__":
    typer.run(main)
