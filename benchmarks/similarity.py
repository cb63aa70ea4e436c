"""Encoders of texts: planted rules, and real models on real pairs, with what an explanation costs.

    python benchmarks/similarity.py planted
    python benchmarks/similarity.py pairs MODEL PAIRS.tsv.gz [--pooling cls] [--count 20] [--least 3]
    python benchmarks/similarity.py passages MODEL CRANFIELD [--pooling cls] [--count 20]

MODEL is a folder: of a SentenceTransformer, or, with a pooling, of a Hugging Face encoder.
"""

from __future__ import annotations

import argparse
import csv
import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import gmask
from gmask.bench.encoders import RULES, exact, explained
from gmask.model.held import hold

TOP = 6  # top words that are kept, and removed, one after another
UNDER = ("drop", "delete", "mask")
SEED = 11


def table(file: Path) -> list[list[str]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]


def sentence_pairs(file: Path, least: float) -> list[tuple[str, str]]:
    return [(row[0], row[1]) for row in table(file) if float(row[2]) >= least]


def passage_pairs(folder: Path) -> list[tuple[str, str]]:
    documents, queries = (
        dict(row[:2] for row in table(folder / f"{name}.tsv.gz")) for name in ("documents", "queries")
    )
    judged = table(folder / "relevance.tsv.gz")
    return [(queries[q], documents[d]) for q, d, grade in judged if grade in "12" and q in queries and d in documents]


def planted(count: int) -> None:
    print("| rule | pairs | reasons exact | encodings of either text, at most |\n|---|---|---|---|")
    for rule in RULES:
        found = list(explained(rule, count, seed=SEED))
        share = np.mean([exact(case, e) for case, e in found])
        print(f"| {rule} | {count} | {share:.0%} | {max(max(e.details['encodings']) for _, e in found)} |", flush=True)


def faithful(model: gmask.PairModel, explanations: Sequence[gmask.Explanation], removal: str) -> tuple[float, float]:
    """How much of the way from nothing to the score top words alone go, and how much is lost without them."""
    kept, lost = [], []
    for e in explanations:
        bound = hold(model.bind(e.first, e.second, removal=removal), e.reference)
        rows = np.argsort(e.order()) <= np.arange(TOP)[:, None]
        only, without = np.split(bound(np.concatenate([rows, ~rows]))[:, 0], 2)
        way = e.value - e.evidence.nothing
        kept.append((only - e.evidence.nothing).mean() / way)
        lost.append((e.value - without).mean() / way)
    return float(np.mean(kept)), float(np.mean(lost))


def told(e: gmask.Explanation) -> Iterator[str]:
    yield f"{e.first}\n{e.second}\nscore {e.value:.3f}, unrelated {e.evidence.nothing:.3f}"
    for group in e.groups:
        sides = [" ".join(e.words[i].text for i in group.members if e.words[i].sentence == side) for side in (0, 1)]
        yield f"  {{{' | '.join(sides)}}} alone {group.kept:.2f}, without it {group.removed:.2f}"


def real(model: gmask.PairModel, pairs: list[tuple[str, str]], methods: Sequence[str], shown: int) -> None:
    found = {method: [gmask.explain(model, *pair, method=method) for pair in pairs] for method in methods}
    for e in found[methods[0]][:shown]:
        print(*told(e), sep="\n", end="\n\n")
    print(f"| method | {' | '.join(f'kept, removed under {way}' for way in UNDER)} | encodings, mean and most |")
    print(f"|---|{'---|' * len(UNDER)}---|")
    for method, explanations in found.items():
        shares = ["{:.2f}, {:.2f}".format(*faithful(model, explanations, way)) for way in UNDER]
        made = np.array([e.details["encodings"] for e in explanations])
        costs = f"{made.mean(axis=0).round(0).tolist()}, {made.max()}"
        print(f"| {method} | {' | '.join(shares)} | {costs} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("planted", "pairs", "passages"))
    parser.add_argument("model", nargs="?")
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--pooling")
    parser.add_argument("--count", type=int)
    parser.add_argument("--least", type=float, default=3, help="gold similarity of sentence pairs")
    parser.add_argument("--methods", default="gmask", help="with commas")
    parser.add_argument("--shown", type=int, default=6)
    given = parser.parse_args()
    if given.what == "planted":
        return planted(given.count or 100)
    pairs = sentence_pairs(given.data, given.least) if given.what == "pairs" else passage_pairs(given.data)
    chosen = np.random.default_rng(SEED).permutation(len(pairs))[: given.count or 20]
    model = gmask.load(given.model, **({"pooling": given.pooling} if given.pooling else {}))
    return real(model, [pairs[i] for i in chosen], given.methods.split(","), given.shown)


if __name__ == "__main__":
    main()
