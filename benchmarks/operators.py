"""Explained in one way of removing words, measured in every way: does what a method finds hold elsewhere?

    python benchmarks/operators.py DATA RECORDS [--kind dattn|bert] [--pairs 100] [--split dev] [--skip 0]
        [--methods gmask,lime] [--removals ""] [--cells snli,mrpc]

DATA has the folders snli, quora, qqp and mrpc. Each method explains each pair once for each of `--removals` (commas
between; the empty one is the model's usual way; a mixture is written drop+mask), and each explanation is measured with
words removed by `drop`, `zero`, `mask` and `delete`; for DAttn, which knows no mask and where `drop` is `delete`, by
`drop`, `zero` and `blank`. RECORDS is a folder with a file for each cell; started again, it goes on where it stopped.
In the end it prints a table of all that is in RECORDS, in Markdown, and which differences between the first method and
each other are not chance (95 %, paired bootstrap).
"""

from __future__ import annotations

import argparse
import json
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gmask.dataset.corpora import load as load_corpus
from gmask.dataset.example import Example
from gmask.explainer import Explainer
from gmask.metric.base import Metric, create
from gmask.metric.bootstrap import compare
from gmask.model import load
from gmask.study.measuring import measure
from gmask.study.progress import say

METRICS = [create(name) for name in ("aopc", "post_hoc_accuracy", "degradation")]
OPERATORS = {"bert": ("drop", "zero", "mask", "delete"), "dattn": ("drop", "zero", "blank")}
CELLS = {"snli": "nli", "quora": "paraphrase", "qqp": "paraphrase", "mrpc": "paraphrase"}


def drawn(folder, split, count, skip):
    """Pairs of a split, in an order drawn at random."""
    examples = load_corpus(str(folder), split)
    order = np.random.default_rng(0).permutation(len(examples))
    return [examples[i] for i in order[skip : skip + count]]


def record(explainers, model, operators, example):
    """What each method's explanation of a pair gives every metric under each operator."""
    bounds = {name: model.bind(example.first, example.second, removal=name) for name in operators}
    plain = Example(example.first, example.second)
    found = {}
    for name, explainer in explainers.items():
        e = explainer.explain_bound([model.bind(example.first, example.second, removal=explainer.removal)])[0]
        figures = {}
        for operator, bound in bounds.items():
            measured = measure(explainer, bound, e, plain, METRICS, {})
            figures[operator] = {m: [round(v, 5) for v in own] for m, own in measured.items()}
        found[name] = {"rows": e.rows, "measured": figures}
    return found


def run(cell, kind, data, output, split, count, skip, methods, removals):
    """The records of a cell, made or read."""
    model = load(CELLS[cell] + ("-dattn" if kind == "dattn" else ""))
    examples = drawn(data / cell, split, count, skip)
    path = output / f"{kind}-{cell}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    there = {(r["pair"], r["method"]) for r in map(json.loads, lines)}
    explainers = {
        f"{name} ({way or 'default'})": Explainer(model, name, removal=way or None)
        for way in removals
        for name in methods
    }
    with path.open("a", encoding="utf-8") as file:
        for number, example in enumerate(examples):
            left = {name: e for name, e in explainers.items() if (skip + number, name) not in there}
            for name, figures in record(left, model, OPERATORS[kind], example).items():
                file.write(json.dumps({"pair": skip + number, "method": name, **figures}) + "\n")
            file.flush()
            say(f"{kind} {cell}: {number + 1} of {len(examples)}")


def tables(output):
    """What is in the records: a table a cell, a line a method."""
    for path in sorted(output.glob("*.jsonl")):
        by = {}
        for r in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            by.setdefault(r["method"], {})[r["pair"]] = r
        pairs = sorted(set.intersection(*(set(own) for own in by.values())))
        ways = list(next(iter(next(iter(by.values())).values()))["measured"])
        print(f"\n{path.stem}, {len(pairs)} pairs: {' / '.join(m.title for m in METRICS)}\n")
        print(f"| | {' | '.join(ways)} | mean | rows |\n|---|{'---|' * (len(ways) + 2)}")
        numbers = {name: {m: common(m, [own[p] for p in pairs], ways) for m in METRICS} for name, own in by.items()}
        for name, own in numbers.items():
            figures = np.array([[m.figure(part.mean(axis=0)).mean() for part in own[m]] for m in METRICS])
            cells = [*figures.T, figures.mean(axis=1)]
            shown = " | ".join(" / ".join(f"{v:.3f}" for v in cell) for cell in cells)
            print(f"| {name} | {shown} | {np.mean([by[name][p]['rows'] for p in pairs]):.0f} |")
        print()
        first, *others = numbers
        for name in others:
            told = [compared(m, numbers[first][m], numbers[name][m]) for m in METRICS]
            print(f"- {first} before {name}: {', '.join(told)}")


def common(metric, records, ways):
    """A metric's numbers on a common footing, `[way, pair, d]`."""
    return np.array([[metric.common(r["measured"][way][metric.name]) for r in records] for way in ways])


def compared(metric, one, other):
    """How much higher one is on the mean over ways, with its interval."""
    found = compare(MeanOver(metric, len(one)), *(np.concatenate(list(part), axis=-1) for part in (one, other)))
    return f"{metric.title} {found.difference:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"


@dataclass(frozen=True)
class MeanOver:
    """A metric's figure, averaged over ways of removing words that stand one after another."""

    metric: Metric
    ways: int

    def figure(self, mean):
        """The mean of the figures."""
        parts = np.split(mean, self.ways, axis=-1)
        return np.mean([self.metric.figure(part).mean(axis=-1, keepdims=True) for part in parts], axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("records", type=Path)
    parser.add_argument("--kind", choices=("dattn", "bert"), default="dattn")
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--methods", default="gmask,lime,kernelshap,leave-one-out")
    parser.add_argument("--removals", default="")
    parser.add_argument("--cells", default=",".join(CELLS))
    given = parser.parse_args()
    given.records.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    methods, removals = given.methods.split(","), given.removals.split(",")
    for cell in given.cells.split(","):
        run(cell, given.kind, given.data, given.records, given.split, given.pairs, given.skip, methods, removals)
    tables(given.records)


if __name__ == "__main__":
    main()
