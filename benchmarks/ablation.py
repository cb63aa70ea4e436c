"""The default GMASK with each ingredient switched off in turn: the paper's measures on dev pairs, and planted groups.

    python benchmarks/ablation.py DATA [PAIRS [CASES]]

DATA has the folders snli, quora and mrpc. On two decomposable-attention models; prints a table in Markdown.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from unittest.mock import patch

import numpy as np
from rich.progress import track

import gmask
from gmask.bench.boxes import KINDS
from gmask.bench.groups import recover, recovery
from gmask.dataset.corpora import load
from gmask.method import gmask as method
from gmask.method import reasons

CELLS = [("nli-dattn", "snli"), ("paraphrase-dattn", "quora"), ("paraphrase-dattn", "mrpc")]
METRICS = ["aopc", "post_hoc_accuracy", "degradation"]

# What is left out: settings of the method, and names in its modules with what stands in their place.
ABLATIONS = {
    "nothing: the default": ("gmask", []),
    "random rows (`screening=0`)": ("gmask:screening=0", []),
    "candidates given the others": ("gmask", [(method, "three_in_five", lambda k: k)]),
    "the mean over supersets: A(G) = −log p(G)": ("gmask", [(reasons, "superset_means", lambda table: table)]),
    "*short*: a reason need not carry": ("gmask", [(reasons, "CARRIES", 0.0)]),
    "*necessity* (`necessity=0`)": ("gmask:necessity=0", []),
    "*brevity* (`brevity=0`)": ("gmask:brevity=0", []),
    "*idle* (`spare=0`)": ("gmask:spare=0", []),
    "evening out of attributions": ("gmask", [(method, "EVEN", 1e-9)]),
    "the best order of equals": ("gmask", [(method, "best_order", lambda gain: np.arange(len(gain).bit_length() - 1))]),
    "two candidates (`k=6`)": ("gmask:k=6", []),
    "four candidates (`k=4`)": ("gmask:k=4", []),
}


def pairs_of(folder, data, count):
    """Dev pairs, drawn at random."""
    examples = load(f"{folder}/{data}", "dev")
    chosen = np.random.default_rng(0).choice(len(examples), count, replace=False)
    return [(examples[i].first, examples[i].second) for i in chosen]


def line(name, folder, pairs, cases):
    """One row of the table: the default without something."""
    written, patches = ABLATIONS[name]
    with ExitStack() as stack:
        for module, attribute, stand_in in patches:
            stack.enter_context(patch.object(module, attribute, stand_in))
        found = []
        for model, data in CELLS:
            results = gmask.evaluate(model, pairs_of(folder, data, pairs), methods=[written], metrics=METRICS)[written]
            found.append([float(np.mean(results[metric])) for metric in METRICS])
        planted = [recovery(*pair).rand for kind in KINDS for pair in recover(written, kind, cases)]
    figures = np.array(found).T  # [metric, cell]
    cells = [" ".join(f"{value:.3f}" for value in row) for row in figures]
    return f"| {name} | {' | '.join(cells)} | {np.mean(planted):.3f} |"


def main():
    folder = sys.argv[1]
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    cases = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    print("| without | AOPC (SNLI, Quora, MRPC) | post-hoc accuracy | degradation | planted groups |")
    print("|---|---|---|---|---|", flush=True)
    for name in track(list(ABLATIONS), "ablations"):
        print(line(name, folder, pairs, cases), flush=True)


if __name__ == "__main__":
    main()
