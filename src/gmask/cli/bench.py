"""`gmask bench`: what methods cost and what they find, measured here and now."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Optional

import typer

from gmask.cli.options import ModelName, Seed, Units, wrote

app = typer.Typer(no_args_is_help=True, help="Measure speed, and whether planted reasons are found.")


@app.command("methods")
def methods(
    model: ModelName = "nli",
    data: Annotated[
        Optional[str],
        typer.Option(help="A file of pairs, or a folder of splits (its test pairs). Default: pairs of the package."),
    ] = None,
    limit: Annotated[int, typer.Option(help="How many pairs, drawn at random.", min=1)] = 20,
    only: Annotated[
        Optional[str], typer.Option("--methods", help="Methods, with commas. Default: all that can.")
    ] = None,
    originals: Annotated[bool, typer.Option(help="Run the packages lime, shap and captum too.")] = True,
    samples: Annotated[Optional[int], typer.Option(help="Samples of these. Default: 1000, 500, 500.", min=16)] = None,
    race: Annotated[bool, typer.Option(help="Also the seconds each method takes to the same AOPC.")] = True,
    seed: Seed = 0,
) -> None:
    """Seconds and model rows of every method in one table; seconds to the same AOPC in another."""
    import gmask
    from gmask.bench import methods as bench
    from gmask.dataset.samples import sample_pairs
    from gmask.model.transformers import TransformersModel

    loaded = gmask.load(model)
    pairs = _pairs(data or sample_pairs(), limit, seed)
    names = bench.usable(loaded, pairs[0], only.split(",") if only else None, _say)
    costs = bench.compare_methods(loaded, pairs, names, seed=seed, log=_say)
    compared = []
    if originals and isinstance(loaded, TransformersModel):
        compared = bench.compare_originals(loaded, pairs, samples=samples, seed=seed, log=_say)
    print(f"{loaded.name}, {len(pairs)} pairs, {_threads()}; means per explanation\n")
    print(bench.costs_table(costs, compared))
    if race:
        print("\nSeconds to the same AOPC:\n")
        print(bench.race_table(bench.race(loaded, pairs, names, seed=seed, log=_say)))


@app.command("speed")
def speed(
    data: Annotated[Path, typer.Argument(help="A folder with folders of pairs in it: snli and mrpc.")],
    other: Annotated[
        Optional[Path], typer.Option("--against", help="A checkout of another version to compare with.")
    ] = None,
    snli: Annotated[int, typer.Option(help="How many pairs of SNLI, with the model nli.", min=1)] = 100,
    mrpc: Annotated[int, typer.Option(help="How many pairs of MRPC, with the model paraphrase.", min=1)] = 50,
    split: Annotated[str, typer.Option(help="Which pairs.")] = "dev",
    threads: Annotated[str, typer.Option(help="Numbers of processor threads, with commas.")] = "1,2",
    only: Annotated[
        str, typer.Option("--parts", help="Which parts, with commas: versions, cold, stream, pairs, words.")
    ] = "versions,cold,stream,pairs,words",
    figure: Annotated[
        Optional[Path], typer.Option(help="Draw how it grows, of the parts pairs and words, to this .svg or .png.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """What an explanation costs: against another version, from a cold start, streamed, as texts and lists grow."""
    import torch

    import gmask
    from gmask.bench import growth
    from gmask.bench import speed as bench
    from gmask.errors import GmaskError, one_of

    parts = set(only.split(","))
    for part in parts - set(bench.PARTS):
        raise one_of("part", part, bench.PARTS)
    if figure is not None and not {"pairs", "words"} <= parts:
        raise GmaskError("--figure shows how it grows with pairs and words; name both in --parts")
    if figure is not None and figure.suffix.lower() not in (".svg", ".png"):
        raise one_of("file ending", figure.suffix, (".svg", ".png"))
    in_lists: dict[str, list[tuple[int, float]]] = {}
    sets = {"nli": _split(data / "snli", split, snli, seed), "paraphrase": _split(data / "mrpc", split, mrpc, seed)}
    counts = [int(count) for count in threads.split(",")]
    for count in counts:
        torch.set_num_threads(count)
        print(f"\n## {count} thread{'s' * (count > 1)}\n", flush=True)
        for name, pairs in sets.items():
            model = gmask.load(name)
            if "versions" in parts:
                compared = bench.compare_versions(name, pairs, other, threads=count, seed=seed, log=_say)
                print(f"{name}, {len(pairs)} pairs:\n\n{bench.versions_table(compared)}\n", flush=True)
            if "stream" in parts:
                rows, seconds, area = bench.stream_shares(model, pairs, seed=seed)
                told = f"{rows:.0%} of the rows, {seconds:.0%} of the time, {area:.0%} of the final AOPC"
                print(f"{name}, the first that is told, on average: {told}.\n", flush=True)
            if "pairs" in parts:
                full, plain = bench.throughput(model, pairs)
                in_lists[name] = grown = growth.grow_pairs(model, pairs, sorted({1, 4, 16, len(pairs)}))
                print(
                    f"{name}, a list of pairs: {full:.0%} of its time is the model's own on the same rows; plain calls "
                    f"take {plain:.1f} times as long for rows. Processor seconds a pair by the length of the list: "
                    f"{', '.join(f'{length}: {took:.3f}' for length, took in grown)}.\n",
                    flush=True,
                )
        if "cold" in parts:
            found = bench.cold_start("nli", other, threads=count)
            print(f"| processor seconds | {' | '.join(found)} |\n|---|{'---|' * len(found)}")
            for step in bench.STEPS:
                print(f"| {step} | {' | '.join(f'{own[step]:.2f}' for own in found.values())} |")
            print(flush=True)
    if "words" in parts:
        grown_words = []
        print("| words | rows | processor seconds without a model |\n|---|---|---|")
        for words, rows, seconds in growth.grow_words(seed=seed):
            grown_words.append((words, rows, seconds))
            print(f"| {words} | {rows} | {seconds:.2f} |", flush=True)
        if figure is not None:
            growth.growth_figure(grown_words, in_lists).savefig(figure, dpi=150)
            wrote(figure)


@app.command("solver")
def solver(
    model: Annotated[str, typer.Option(help="A model with gradients: a built-in one, a folder, or a hub id.")] = "nli",
    data: Annotated[
        Optional[str],
        typer.Option(help="A file of pairs, or a folder of splits. Default: three pairs of the paper's kind."),
    ] = None,
    limit: Annotated[int, typer.Option(help="How many pairs.", min=1)] = 3,
    samples: Annotated[int, typer.Option(help="Masks an epoch of the published procedure.", min=2)] = 500,
    epochs: Annotated[int, typer.Option(help="Its epochs.", min=1)] = 100,
    seed: Seed = 0,
) -> None:
    """The published procedure against the exact solver: seconds, rows, the objective reached, and how often faster."""
    import gmask
    from gmask.bench.solver import PAIRS, compare_solvers, row_rate, solvers_table
    from gmask.model.transformers import TransformersModel

    loaded = gmask.load(model)
    pairs = _pairs(data, limit, seed) if data else PAIRS[:limit]
    timings = compare_solvers(loaded, pairs, samples=samples, epochs=epochs, seed=seed, log=_say)
    print(f"{loaded.name}, {len(pairs)} pairs, {_threads()}; means per explanation\n")
    print(solvers_table(timings))
    if isinstance(loaded, TransformersModel):
        door, plain = row_rate(loaded)
        print(f"\nTokens a second: {door:,.0f} through the door, {plain:,.0f} in plain batches ({door / plain:.0%}).")


@app.command("planted")
def planted(
    only: Annotated[Optional[str], typer.Option("--methods", help="Methods, with commas. Default: all.")] = None,
    count: Annotated[int, typer.Option("--cases", help="How many random pairs a rule.", min=1)] = 100,
    seed: Seed = 0,
) -> None:
    """Which methods find planted words: one word, two partners across the sentences, either of two such couples."""
    from gmask.bench.planted import RULES, find_planted
    from gmask.method.base import methods as names

    heads = [f"{rule}: {what}" for rule in RULES for what in ("on top", "as groups")]
    print(f"| method | {' | '.join(heads)} | rows |\n|---|" + "---|" * (len(heads) + 1))
    for name in only.split(",") if only else [n for n in names() if n != "l2x"]:  # a selector is trained for one rule
        found = [find_planted(name, rule, count, seed) for rule in RULES]
        cells = [f"{share:.0%}" for f in found for share in (f.on_top, f.as_groups)]
        print(f"| {name} | {' | '.join(cells)} | {found[-1].rows:.0f} |", flush=True)


@app.command("passages")
def passages(
    method: Annotated[str, typer.Option("--method", "-m", help="A method, perhaps with settings.")] = "gmask",
    units: Units = "auto",
    count: Annotated[int, typer.Option("--cases", help="How many passages a rule and length.", min=1)] = 20,
    seed: Seed = 0,
) -> None:
    """Whether reasons planted in passages of 20 to 450 words are found, and how many words the model reads for that."""
    from gmask.bench.passages import LENGTHS, RULES, find_planted

    print("| rule | words | on top | as groups | rows | words read |\n|---|---|---|---|---|---|")
    for rule in RULES:
        for length in LENGTHS:
            f = find_planted(rule, length, count, seed, method=method, units=units)
            told = f"{f.on_top:.0%} | {f.as_groups:.0%} | {f.rows:.0f} | {f.words:,.0f}"
            print(f"| {rule} | {length} | {told} |", flush=True)


@app.command("groups")
def groups(
    only: Annotated[
        Optional[str],
        typer.Option("--methods", help="Methods, with commas; settings as in gmask:preset=paper. Default: five."),
    ] = None,
    count: Annotated[int, typer.Option("--cases", help="How many random black boxes a kind.", min=1)] = 100,
    failures: Annotated[int, typer.Option(help="Also tell this many boxes a kind that were not recovered.", min=0)] = 0,
    seed: Seed = 0,
) -> None:
    """Which methods recover planted AND, OR and XOR groups, among noise and decoys; and groups in one sentence."""
    from gmask.bench.boxes import KINDS
    from gmask.bench.groups import HEADS, METHODS, recover, recovery, story, table

    print(f"| method | kind | boxes | {' | '.join(HEADS)} |\n|---|---|" + "---|" * (len(HEADS) + 1))
    for name in only.split(",") if only else METHODS:
        explained = {kind: list(recover(name, kind, count, seed)) for kind in KINDS}
        scores = {kind: [recovery(box, e) for box, e in explained[kind]] for kind in KINDS}
        print(table(name, scores), flush=True)
        for kind in KINDS:
            missed = [i for i, score in enumerate(scores[kind]) if not score.exact][:failures]
            for i in missed:
                _say(f"{name}, {kind} {i}, {scores[kind][i].rand:.2f}: {story(*explained[kind][i])}")


@app.command("causes")
def causes(
    model: ModelName = "nli",
    data: Annotated[
        Optional[str],
        typer.Option(
            help="cad_nli=FOLDER for edits by people, or pairs whose sentences to take. Default: those of the package."
        ),
    ] = None,
    limit: Annotated[Optional[int], typer.Option(help="At most so many cases. Default: all.", min=1)] = None,
    only: Annotated[
        Optional[str],
        typer.Option("--methods", help="Methods, with commas; settings as in gmask:preset=paper. Default: seven."),
    ] = None,
    removal: Annotated[Optional[str], typer.Option(help="How words are removed. Default: the model's own way.")] = None,
    output: Annotated[
        Optional[Path], typer.Option("-o", "--output", help="Keep every case's scores here, as JSON.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Which methods find the words that are known to have caused an answer, since with others it was another one."""
    import json

    import gmask
    from gmask.bench import causes as bench
    from gmask.files import check_writable, write_text
    from gmask.study.names import named_methods
    from gmask.study.progress import Progress

    loaded = gmask.load(model)
    methods = named_methods(only.split(",") if only else bench.METHODS)
    for method in methods.values():
        gmask.Explainer(loaded, method, removal=removal)  # a method that cannot explain this model is told now
    if output is not None:
        check_writable(output)
    known = bench.known_causes(loaded, data, limit)
    scores: dict[str, list[bench.Found]] = {name: [] for name in methods}
    with Progress(list(methods), len(known), {}, shown=True) as bars:
        finders = [
            bench.find(loaded, method, known, seed=seed, on_found=partial(bars.advance, name), removal=removal)
            for name, method in methods.items()
        ]
        for found in zip(*finders, strict=True):  # a few cases with every method, then the next, so that all bars move
            for own, score in zip(scores.values(), found, strict=True):
                own.append(score)
    print(f"{loaded.name}, {len(known)} cases ({bench.kinds(known)})\n")
    print(bench.table(scores, seed=seed))
    if len(scores) > 1:
        print(f"\n{bench.differences(scores, seed=seed)}")
    if output is not None:
        about = {"model": loaded.name, "hash": loaded.hash, "data": data, "removal": removal, "seed": seed}
        kept = {**about, "cases": bench.records(known, scores)}
        write_text(output, json.dumps(kept, ensure_ascii=False, indent=1) + "\n")


@app.command("sameness")
def sameness(
    only: Annotated[
        Optional[str],
        typer.Option("--methods", help="Methods, with commas; settings as in gmask:preset=paper. Default: seven."),
    ] = None,
    count: Annotated[int, typer.Option("--cases", help="How many random pairs a black box.", min=1)] = 100,
    removal: Annotated[Optional[str], typer.Option(help="How words are removed. Default: the box's own way.")] = None,
    seed: Seed = 0,
) -> None:
    """Which methods find the words that two texts share, where these are why a black box calls them alike."""
    from gmask.bench.sameness import BOXES, HEADS, METHODS, line, recognise, recognised

    print(f"| method | black box | pairs | {' | '.join(HEADS)} |\n|---|---|" + "---|" * (len(HEADS) + 1))
    for name in only.split(",") if only else METHODS:
        for title, box in BOXES.items():
            explained = recognise(name, box, count, seed, removal=removal)
            print(line(name, title, [recognised(case, e) for case, e in explained]), flush=True)


@app.command("shortcuts")
def shortcuts(
    data: Annotated[
        list[str],
        typer.Option(help="snli=FOLDER or quora=FOLDER, with train and dev pairs; given twice, they take turns."),
    ],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="A folder for the models and all that is found out; kept for a next run."),
    ],
    count: Annotated[int, typer.Option("--models", help="How many models to mislead.", min=1)] = 30,
    berts: Annotated[
        int, typer.Option("--berts", help="How many of them are small BERTs; the others are DAttn.", min=0)
    ] = 2,
    limit: Annotated[int, typer.Option(help="How many pairs to audit, and to explain for the rivals.", min=40)] = 300,
    seed: Seed = 0,
) -> None:
    """Does an audit name the shortcuts that models were misled by? They are trained here, on planted data."""
    from gmask.bench.misled import trials
    from gmask.bench.shortcuts import measure, misses, table

    results = []
    for trial in trials(output, data, count, berts, seed):
        results.append(measure(trial, limit, seed, _say))
        _say(misses(results[-1]))
    print(f"{len(results)} models, {sum(len(r['uptake']) for r in results)} planted shortcuts, {limit} pairs a model\n")
    print(table(results))


def _pairs(data: str | list[tuple[str, str]], limit: int, seed: int) -> list[tuple[str, str]]:
    import numpy as np

    from gmask.dataset.corpora import resolve, stream

    if isinstance(data, str):
        split = "test" if resolve(data)[1].is_dir() else None
        data = [(e.first, e.second) for e in stream(data, split, labelled=False)]
    chosen = np.random.default_rng(seed).permutation(len(data))[:limit]
    return [data[i] for i in chosen]


def _split(folder: Path, split: str, limit: int, seed: int) -> list[tuple[str, str]]:
    """Pairs of a split, drawn at random."""
    import numpy as np

    from gmask.dataset.corpora import stream

    pairs = [(e.first, e.second) for e in stream(str(folder), split, labelled=False)]
    return [pairs[i] for i in np.random.default_rng(seed).permutation(len(pairs))[:limit]]


def _threads() -> str:
    import torch

    return f"{torch.get_num_threads()} threads"


def _say(line: str) -> None:
    print(line, file=sys.stderr)
