"""What is said of a real reranker: are the notes true, and are the reasons of both texts?

    python benchmarks/reranker.py MODEL CRANFIELD [--pairs 30] [--words 80] [--method gmask]

MODEL is the folder of a reranker with one logit, CRANFIELD one with queries.tsv.gz, documents.tsv.gz and
relevance.tsv.gz. The pairs are relevant ones (a query, and a passage of at most so many words that people judged
relevant to it, no query twice) that the model scores above 0 before its sigmoid. Each is explained in raw scores. A
note that one text alone is enough is held against ten other queries, or passages, of the collection, none of which the
explanation saw: it is false if any of them gets less than half of the way from the reference to the score.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from passages import rows_of

import gmask
from gmask.study.progress import say

OTHERS = 10  # fresh texts that a note is held against
HALF = 0.5


def relevant(folder, words):
    """A query, and the first short passage that is relevant to it."""
    queries, documents = (
        {r["id"]: r["text"] for r in rows_of(folder / f"{name}.tsv.gz")} for name in ("queries", "documents")
    )
    seen = set()
    for row in rows_of(folder / "relevance.tsv.gz"):
        passage = documents.get(row["document"], "")
        if int(row["grade"]) > 0 and 0 < len(passage.split()) <= words and row["query"] not in seen:
            seen.add(row["query"])
            yield queries[row["query"]], passage


def score(model, pairs):
    """The raw score of each pair, all words there."""
    bounds = [model.bind(*pair) for pair in pairs]
    return np.array([out[0, 0] for out in model.answer([(b, np.ones((1, len(b.words)), bool)) for b in bounds])])


def is_false(model, e, pool):
    """Whether a note that a text alone is enough does not hold for other texts in the place of the other."""
    if e.rests_on is None:
        return False
    others = [pair[1 - e.rests_on] for pair in pool if e.first not in pair and e.second not in pair][-OTHERS:]
    fresh = score(model, [(e.first, other) if e.rests_on == 0 else (other, e.second) for other in others])
    halfway = e.evidence.nothing + HALF * (e.score - e.evidence.nothing)
    return bool((fresh < halfway).any())


def main():
    """Explain the pairs, one after another, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model")
    parser.add_argument("data", type=Path)
    parser.add_argument("--pairs", type=int, default=30)
    parser.add_argument("--words", type=int, default=80)
    parser.add_argument("--method", default="gmask")
    own = parser.parse_args()
    model = gmask.load(own.model, outputs="score")
    pool = list(relevant(own.data, own.words))
    chosen = [pair for pair, s in zip(pool, score(model, pool), strict=True) if s > 0][: own.pairs]
    explainer, found = gmask.Explainer(model, own.method), []
    for number, pair in enumerate(chosen, start=1):
        e = explainer(*pair)
        first = e.groups[0] if e.groups else None
        both = first is not None and all(first.words(e, side) for side in (0, 1))
        silent = any(note.startswith("No word speaks") for note in e.notes())
        nothing = 1 / (1 + np.exp(-e.evidence.nothing))
        found.append(
            (is_false(model, e, pool), silent, nothing, both, first.kept if first else np.nan, e.score, e.rows)
        )
        words = ", ".join(w.text for w in first.words(e)) if first else "none"
        say(f"{number} of {len(chosen)}: {e.score:.2f} against {e.evidence.nothing:.2f}; {words}")
    false, silent, nothing, both, kept, scores, rows = np.array(found, dtype=float).T
    print(f"{len(found)} relevant pairs of at most {own.words} words, scores {scores.mean():.2f} on average\n")
    print("| false notes of one text | “No word speaks” | p(reference): mean, highest | first reason in both | rows |")
    print("|---|---|---|---|---|")
    print(
        f"| {false.sum():.0f} | {silent.sum():.0f} | {nothing.mean():.4f}, {nothing.max():.4f} | {both.mean():.0%} "
        f"| {rows.mean():.0f} |\n\nThe first reason alone gets a score of {np.nanmean(kept):.2f}."
    )


if __name__ == "__main__":
    main()
