"""Our `gmask:preset=released` against orders that the authors' own program gave for the same pairs and DAttn models.

    python benchmarks/released.py REFERENCE DATA [--seeds 5] [--samples 200]

REFERENCE has files released-dattn-NAME.jsonl: a line a pair, with its row in the test split of DATA/NAME, its words,
and their order. Prints in Markdown the paper's measures of both under two removals, ours as the mean over seeds, with
95 % intervals of the difference, pairs drawn for both alike; the range of ours over the seeds, since theirs is one
run; and how well the orders of the leading ten words agree (Kendall's tau where both have a word among them, and the
share that both have): ours with theirs, and ours of two seeds with each other.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.progress import track

import gmask
from gmask.dataset.corpora import load
from gmask.method.order import by_order
from gmask.metric.base import Answers, Case, create
from gmask.metric.bootstrap import compare
from gmask.target import Target

MODELS = {"snli": "nli-dattn", "quora": "paraphrase-dattn", "mrpc": "paraphrase-dattn"}
METRICS = [create(name) for name in ("aopc", "post_hoc_accuracy", "degradation")]
REMOVALS = ("zero", "drop")
LEADING = 10


def measured(model, explanations, removal):
    """Every pair's numbers on a common footing, a metric after another."""
    found = [[] for _ in METRICS]
    for e in explanations:
        bound = model.bind(e.first, e.second, removal=removal)
        target = Target(e.labels, e.labels.index(e.target))
        for metric, numbers in zip(METRICS, found, strict=True):
            case = Case(e)
            outputs = bound(metric.rows(case))
            numbers.append(metric.common(metric.measure(case, Answers(target.value(outputs), target.agrees(outputs)))))
    return [np.array(numbers) for numbers in found]


def tau(one, other):
    """Kendall's tau of two orders on the words that lead both, and the share of leading words that do."""
    leading = min(LEADING, len(one))
    both = sorted(set(one[:leading]) & set(other[:leading]))
    signs = [
        np.sign(one.index(a) - one.index(b)) * np.sign(other.index(a) - other.index(b))
        for a, b in combinations(both, 2)
    ]
    return (float(np.mean(signs)) if signs else np.nan), len(both) / leading


def main(
    reference: Path,
    data: Path,
    seeds: Annotated[int, typer.Option(help="Runs of ours.")] = 5,
    samples: Annotated[int, typer.Option(help="Masks an epoch; the reference was made with 200.")] = 200,
) -> None:
    """Print both tables."""
    lines = ["| data | removal | measure | ours | authors | difference | ours, seed by seed |", f"|{'---|' * 7}"]
    agreement = [
        "| data | tau: ours, authors | ours, ours | leading words shared: ours, authors | ours, ours |",
        f"|{'---|' * 5}",
    ]
    for name, known in MODELS.items():
        model, examples = gmask.load(known), load(f"{data}/{name}", "test")
        told = [json.loads(line) for line in (reference / f"released-dattn-{name}.jsonl").read_text().splitlines()]
        pairs = [(examples[r["row"]].first, examples[r["row"]].second) for r in told]
        method = f"gmask:preset=released:samples={samples}"
        runs = [
            gmask.explain(model, pairs=pairs, method=method, removal="zero", seed=seed)
            for seed in track(range(seeds), name)
        ]
        for e, r in zip(runs[0], told, strict=True):
            assert [w.text for w in e.words] == r["words"], f"row {r['row']} of {name} is another pair"
        theirs = [replace(e, attributions=tuple(by_order(r["order"]))) for e, r in zip(runs[0], told, strict=True)]
        for removal in REMOVALS:
            per_seed = [measured(model, run, removal) for run in runs]
            for i, (metric, other) in enumerate(zip(METRICS, measured(model, theirs, removal), strict=True)):
                one = np.mean([numbers[i] for numbers in per_seed], axis=0)
                a, b, *each = (
                    float(metric.figure(numbers.mean(axis=0)).mean())
                    for numbers in (one, other, *(numbers[i] for numbers in per_seed))
                )
                gap = compare(metric, one, other)
                inside = "" if gap.low <= 0 <= gap.high else " **outside**"
                lines.append(
                    f"| {name} | {removal} | {metric.title} | {a:.3f} | {b:.3f} | {gap.difference:+.3f} "
                    f"[{gap.low:+.3f}, {gap.high:+.3f}]{inside} | {min(each):.3f} to {max(each):.3f} |"
                )
        orders = [[e.order() for e in run] for run in runs]
        with_theirs = [tau(o, r["order"]) for run in orders for o, r in zip(run, told, strict=True)]
        with_ours = [tau(o, p) for one, two in combinations(orders, 2) for o, p in zip(one, two, strict=True)]
        (t, s), (own_t, own_s) = (np.nanmean(found or [(np.nan, np.nan)], axis=0) for found in (with_theirs, with_ours))
        agreement.append(f"| {name} | {t:.3f} | {own_t:.3f} | {s:.3f} | {own_s:.3f} |")
    print("\n".join([*lines, "", *agreement]))


if __name__ == "__main__":
    typer.run(main)
