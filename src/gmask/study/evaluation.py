"""Studies: how faithful methods are over many pairs, resumable at any point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gmask.dataset.example import Example
from gmask.dataset.given import example_of
from gmask.errors import GmaskError, any_case, one_of
from gmask.explainer import Explainer, versions
from gmask.method.base import Method
from gmask.metric.base import SAME, create, everyway, usual
from gmask.model import load
from gmask.model.base import PairModel
from gmask.reference import DRAWN, References
from gmask.seed import check_seed
from gmask.study import engine as engines
from gmask.study.identity import check_answers, identity_of
from gmask.study.manifest import describe
from gmask.study.measuring import Measuring
from gmask.study.names import named_methods
from gmask.study.progress import Progress, say
from gmask.study.record import Record, digest
from gmask.study.results import Results
from gmask.study.run import Run, RunWriter

__all__ = ["evaluate"]


def evaluate(
    model: Any,
    pairs: Iterable[Any],
    *,
    methods: str | Method | Sequence[str | Method] = "gmask",
    metrics: str | Sequence[str] | None = None,
    removal: str | None = None,
    measured: str | Sequence[str] | None = None,
    reference: Any = "auto",
    units: str = "auto",
    seed: int = 0,
    alone: bool = False,
    output: Path | str | None = None,
    about: Mapping[str, Any] | None = None,
    engine: str = "local",
    address: str | None = None,
    workers: int | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> Results:
    """Measure how good methods explain a model, pair by pair.

    Args:
        model: What `gmask.load` returns, or anything it takes.
        pairs: Pairs of texts, `(a, b)` or mappings with well-known column names, or `Example`s with labels and human
            highlights.
        methods: Names of `gmask.methods()`, perhaps with settings as in `gmask:preset=paper`, or methods; one or many.
        metrics: Names of `gmask.metrics()`. Default: all that need no further explanations;
            `alignment` where people aligned words of the pairs.
        removal: What removing a word means. Default: the model's usual way.
        measured: What it means to the metrics, one way or several: `aopc` is then `aopc@zero`, `aopc@mask` and so on,
            of one explanation, and where there are several `aopc@mean`, the mean of the figures. Default: `same`, so
            that methods and metrics are of one mind; others show whether what was found holds in other ways too.
        reference: What answers are held against (see `gmask.explain`); unrelated texts are drawn from the pairs.
        units: What stays or goes as one (see `gmask.explain`), for methods and metrics.
        seed: Of the methods and of the bootstrap.
        alone: Let no method use rows that another has asked, for honest times. Default: rows are shared, which changes
            no result and saves much time.
        output: A folder for the records; started again with the same arguments, or more pairs, it goes on where it
            stopped. Default: nothing is written.
        about: What the pairs are, kept with the run.
        engine: `local` or `ray`.
        address: Of a Ray cluster.
        workers: How many Ray workers.
        threads: Processor threads of a worker, on which the last digits depend; kept with the run. Default: what
            `OMP_NUM_THREADS` says, or a thread a processor, four at most.
        progress: Show how far it is.

    Returns:
        Figures by method and metric, as in `results["gmask"]["aopc"]`, with intervals: `["aopc_interval"]`.

    Example:
        >>> import gmask
        >>> overlap = lambda pairs: [float(bool(set(a.split()) & set(b.split()))) for a, b in pairs]
        >>> r = gmask.evaluate(gmask.load(overlap), [("my guitar", "a guitar")], methods=["leave-one-out", "random"])
        >>> r["leave-one-out"]["post_hoc_accuracy"][1]
        1.0
    """
    loaded, seed = load(model), check_seed(seed)
    chosen = named_methods(methods)
    for method in chosen.values():
        Explainer(
            loaded, method, removal=removal, reference=reference, units=units
        )  # what cannot be explained is told now
    metrics = [metrics] if isinstance(metrics, str) else metrics
    if metrics is not None:
        made = [create(name) for name in metrics]
        metrics = [name for m in made for name in everyway([m.name], [_way(loaded, m.under or SAME)])]
    examples = [example_of(pair) for pair in pairs]
    aligned = any(example.alignment is not None for example in examples)
    ways = [measured] if isinstance(measured, str) else list(measured or [SAME])
    names = everyway(usual(aligned=aligned) if metrics is None else metrics, [_way(loaded, way) for way in ways])
    if not examples:
        raise GmaskError("there is no pair to evaluate on")
    asked = dict.fromkeys(chosen, names)
    worker = engines.create(engine, address=address, workers=workers, threads=threads)
    references = References(reference, drawn=[(e.first, e.second) for e in examples[:DRAWN]])
    removal = loaded.check_removal(removal)
    source = model if worker.remote else loaded
    job = Measuring(source, loaded.hash, chosen, names, removal, references, units, seed, alone)
    if output is None:
        with Progress(list(chosen), len(examples), {}, shown=progress) as bars:
            records = []
            for record in worker.run(job, enumerate(examples)):
                bars.advance(record.method, record.seconds or 0.0)
                records.append(record)
        return Results(records, seed=seed, asked=asked)
    manifest = {
        "model": identity_of(loaded),
        "data": dict(about or {}),
        "methods": {name: describe(method, loaded) for name, method in chosen.items()},
        "metrics": names,
        "removal": removal,
        "reference": references.about,
        **({} if units == "auto" else {"units": units}),
        "seed": seed,
        "alone": alone,
        "threads": worker.threads,
        "versions": versions(),
    }
    with RunWriter(Path(output), manifest, say) as run:
        check_answers(loaded, _one_a_pair(run.ledger.records()), run.ledger.path)
        return Results(_go_on(run, worker, job, examples, progress=progress), seed=seed, asked=asked)


def _way(model: PairModel, name: str) -> str:
    """A way in which metrics remove words, in whatever case it is written: `same`, or one of the model."""
    if not name:
        raise one_of("way for metrics to remove words:", name, [SAME, *model.removals])
    return any_case(name, [SAME]) or model.check_removal(name)


def _go_on(
    run: RunWriter, worker: engines.Engine, job: Measuring, examples: Sequence[Example], *, progress: bool
) -> Iterator[Record]:
    """Do what is missing in a run, and yield all its records of these pairs.

    A pair that was begun is gone through again from its first method, so that every row is asked in the same company
    and the numbers are the same to the last digit; what is there already is not written again.
    """
    width, ledger = len(job.methods), run.ledger
    for number, data in ledger.records():
        _check(run, number, data, examples)
    tasks = [
        (pair, example)
        for pair, example in enumerate(examples)
        if any(pair * width + i not in ledger for i in range(width))
    ]
    done = dict.fromkeys(job.methods, len(examples) - len(tasks))
    with Progress(list(job.methods), len(examples), done, shown=progress) as bars:
        order, outages = {name: i for i, name in enumerate(job.methods)}, 0
        for record in worker.run(job, tasks):
            run.append(record.pair * width + order[record.method], record)
            outages += record.again
            bars.advance(record.method, record.seconds or 0.0)
    ledger.finish()
    if outages:
        say(f"the model failed on {outages:,} records, which are made again when this is started again")
    yield from (record for record in Run(run.folder, say).records() if record.pair < len(examples))


def _one_a_pair(records: Iterable[tuple[int, dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """The first explanation there is of each pair."""
    seen = -1
    for _, data in records:
        if "explanation" in data and data["pair"] > seen:
            seen = data["pair"]
            yield data["explanation"]


def _check(run: RunWriter, number: int, data: Mapping[str, Any], examples: Sequence[Example]) -> None:
    """A run goes on with the pairs it was begun with. Its records are not made into explanations for that."""
    if data["pair"] >= len(examples) or "error" in data:
        return
    example, there = examples[data["pair"]], data.get("explanation")
    texts = digest(there["first"], there["second"]) if there else data["texts"]
    if texts != digest(example.first, example.second):
        told = f"the pair {there['first']!r:.60} / {there['second']!r:.60}" if there else "another pair"
        raise GmaskError(
            f"record {number} of {run.folder} is of {told}, not "
            f"{example.first!r:.60} / {example.second!r:.60}; results are never mixed, give another -o"
        )
