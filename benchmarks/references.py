"""What paraphrase models say of nothing, and how often an answer is said to rest on one text.

    python benchmarks/references.py DATA [--pairs 200] [--models paraphrase,paraphrase-dattn] [--cells quora,mrpc]

DATA has the folders quora and mrpc. For each model, corpus and label the model gives: the mean probability of that
label for the pair, for two empty texts, and for the reference that is chosen; the share of answers that are still
given when the first, or the second, text is emptied (once called one-sided for that); the share that is called
one-sided now; and the share that really survives, in every exchange of the first, or of the second, text for others.
Pairs are of the test split, in an order drawn at random. Nothing is searched for, so a pair costs a few rows.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from gmask.dataset.corpora import load as load_corpus
from gmask.explainer import Explainer
from gmask.model import load
from gmask.study.progress import say

HEADS = ("pairs", "all words", "two empty texts", "reference", "an emptied text", "called one-sided", "survives")


def seen(model, pairs):
    """For each label, a row of numbers for every pair that is given it."""
    explain, found = Explainer(model, "random"), {}
    for number, (first, second) in enumerate(pairs):
        e = explain(first, second)
        label = model.labels.index(e.label)
        (empty,) = model.bind(first, second, removal="drop")(np.zeros((1, len(e.words)), bool))
        found.setdefault(e.label, []).append(
            (
                e.probability,
                empty[label],
                e.evidence.nothing,
                max(e.evidence.emptied) >= 0.5,
                e.rests_on is not None,
                max(e.evidence.survival) == 1,
            )
        )
        say(f"{number + 1} of {len(pairs)}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--pairs", type=int, default=200, help="of each label that people gave")
    parser.add_argument("--models", default="paraphrase,paraphrase-dattn")
    parser.add_argument("--cells", default="quora,mrpc")
    given = parser.parse_args()
    print(f"| model, data | says | {' | '.join(HEADS)} |\n|---|---|{'---|' * len(HEADS)}")
    for name in given.models.split(","):
        model = load(name)
        for cell in given.cells.split(","):
            examples = load_corpus(str(given.data / cell), "test")
            drawn = [examples[i] for i in np.random.default_rng(0).permutation(len(examples))]
            labels = sorted({x.label for x in drawn})
            chosen = [x for label in labels for x in [y for y in drawn if y.label == label][: given.pairs]]
            for label, rows in sorted(seen(model, [(x.first, x.second) for x in chosen]).items()):
                told = " | ".join(f"{v:.2f}" for v in np.mean(rows, axis=0))
                print(f"| {name}, {cell} | {label} | {len(rows)} | {told} |", flush=True)


if __name__ == "__main__":
    main()
