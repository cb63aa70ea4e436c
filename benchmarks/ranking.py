"""Neighbours in a ranking: do the words that `r.why(i, over=j)` names turn their order, and those that LIME names?

    python benchmarks/ranking.py MODEL DATA RECORDS.jsonl [--pairs 50] [--words 20] [--skip 0] [--method gmask]

DATA has queries.tsv.gz and documents.tsv.gz (id, text) and relevance.tsv.gz (query, document), as the Cranfield
collection. For each query in the order of its file, after `--skip`, the first ten of its judged documents are ranked by
the raw score, each by its beginning: its title, of at most `--words` words. The first and the second, and the third and
the fourth, are neighbours. The difference of their scores is explained by `--method`, and by LIME with as many rows.

Then words are deleted from the texts, and the model is asked whether the order turns: without the words that `turn`
names; without as many of the first words of each method; without the first 1, 2, 3, 4 of them. Started again, it goes
on where it stopped. In the end it prints the shares of all pairs that are in RECORDS.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np

import gmask
from gmask.study.progress import say

RANKED = 10
NEIGHBOURS = ((0, 1), (2, 3))  # by their places, from 0
FIRST = 4  # words of a method that are deleted, one after the other
LEAST = 16  # samples of LIME


def table(path):
    """The rows of a file with one header line."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file][1:]


def title(text, words):
    """The beginning of a document, up to its first full stop."""
    return " ".join(text.partition(" . ")[0].split()[:words])


def rankings(model, data, words, skip):
    """A ranking a query, with at least four passages."""
    documents = dict(table(data / "documents.tsv.gz"))
    judged = {}
    for query, document, *_ in table(data / "relevance.tsv.gz"):
        if document in documents:
            judged.setdefault(query, []).append(document)
    for number, query in table(data / "queries.tsv.gz")[skip:]:
        texts = {title(documents[one], words): one for one in judged.get(number, ())}
        passages = [{"id": one, "text": text} for text, one in texts.items()][:RANKED]
        if len(passages) > max(map(max, NEIGHBOURS)):
            yield number, gmask.rank(model, query, passages)


def turned(model, e, gone):
    """Whether the order is another one, or none, once some words are deleted from the texts."""
    texts = []
    for side, text in enumerate(e.texts):
        signs = list(text)
        for word in (e.words[i] for i in gone if e.words[i].sentence == side):
            signs[word.start : word.end] = [""] * (word.end - word.start)
        texts.append("".join(signs))
    if not all(text.strip(" .,-") for text in texts):
        return False  # a text that is wholly gone is no answer
    (one,), (other,) = (model.bind(texts[0], text)(whole(model.bind(texts[0], text)))[0] for text in texts[1:])
    return bool((one - other) * e.score <= 0)


def whole(bound):
    return np.ones((1, len(bound.words)), bool)


def record(model, e, count):
    """What deleting words does, the first `count` of a method among them."""
    order = e.order()
    return {
        "score": e.score,
        "rows": e.rows,
        "seconds": e.seconds,
        "words": len(e.words),
        "turn": None if e.over.turn is None else [e.words[i].text for i in e.over.turn],
        "turn_turns": e.over.turn is not None and turned(model, e, e.over.turn),
        "as_many_turn": turned(model, e, order[:count]),
        "first_turn": [turned(model, e, order[: number + 1]) for number in range(FIRST)],
    }


def explained(model, r, number, places, method):
    """The record of a pair of neighbours."""
    one, other = (r.order[place] for place in places)
    ours = r.why(one, over=other, method=method)
    count = len(ours.over.turn or range(FIRST))
    ways = 4 if "+" in ours.removal else 2
    lime = r.why(one, over=other, method="lime", samples=max(LEAST, ours.rows // ways))
    found = {name: record(model, e, count) for name, e in (("ours", ours), ("lime", lime))}
    pair = [r.passages[i].id for i in (one, other)]
    return {"query": number, "pair": pair, "method": method, "count": count, "removal": ours.removal, **found}


def report(records):
    """The shares, and the words and rows they took."""
    say(f"{len(records)} pairs of neighbours; the order turns without ... (share of pairs)")
    for name, of in (("ours", records[0]["method"] if records else ""), ("lime", "lime")):
        own = [one[name] for one in records]
        sizes = [len(one["turn"]) for one in own if one["turn"]]
        said = {
            "the words of `turn`": np.mean([one["turn_turns"] for one in own]),
            "as many of its first words": np.mean([one["as_many_turn"] for one in own]),
            **{f"the first {v + 1}": np.mean([one["first_turn"][v] for one in own]) for v in range(FIRST)},
        }
        told = ", ".join(f"{text} {share:.2f}" for text, share in said.items())
        cost = f"{np.mean([one['rows'] for one in own]):.0f} rows, {np.mean([one['seconds'] for one in own]):.1f} s"
        print(f"{of}: {told}; {np.mean(sizes) if sizes else 0:.1f} words in `turn`; {cost}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("data", type=Path)
    parser.add_argument("records", type=Path)
    for name, default in (("--pairs", 50), ("--words", 20), ("--skip", 0)):
        parser.add_argument(name, type=int, default=default)
    parser.add_argument("--method", default="gmask")
    asked = parser.parse_args()

    records = []
    if asked.records.exists():
        records = [json.loads(line) for line in asked.records.read_text(encoding="utf-8").splitlines()]
    done = {(one["query"], *one["pair"]) for one in records}
    model = gmask.load(asked.model, outputs="score")
    for number, r in rankings(model, asked.data, asked.words, asked.skip):
        for places in NEIGHBOURS:
            if len(records) >= asked.pairs:
                break
            if (number, *(r.passages[r.order[place]].id for place in places)) in done:
                continue
            found = explained(model, r, number, places, asked.method)
            records.append(found)
            with asked.records.open("a", encoding="utf-8") as file:
                file.write(json.dumps(found) + "\n")
            say(f"{len(records)} of {asked.pairs}: query {number}, {found['ours']['turn']}")
        if len(records) >= asked.pairs:
            break
    report(records)


if __name__ == "__main__":
    main()
