"""What an explanation costs: against another version, from a cold start, as it streams, and in lists."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import gmask
from gmask.errors import GmaskError
from gmask.explainer import Explainer
from gmask.explanation import Explanation
from gmask.metric.base import Answers, Case, create
from gmask.model.base import PairModel
from gmask.model.held import hold
from gmask.target import choose_target

__all__ = [
    "PARTS",
    "STEPS",
    "Parts",
    "cold_start",
    "compare_versions",
    "stream_shares",
    "throughput",
    "versions_table",
]

Pair = tuple[str, str]
PARTS = ("versions", "cold", "stream", "pairs", "words")
METRICS = ("aopc", "post_hoc_accuracy", "degradation")
PAIR = ("A man playing an electric guitar on stage.", "A man playing banjo on the floor.")
STEPS = ("import gmask", "gmask --help", "import torch", "import gmask.model.transformers", "load", "gmask explain")

# Reads a pair a line and answers with what explaining it took; it must run in any version of the package.
WORKER = """
import json, sys, time
import gmask
explainer = gmask.Explainer(gmask.load(sys.argv[1]), seed=int(sys.argv[2]))
for line in sys.stdin:
    wall, cpu = time.perf_counter(), time.process_time()
    e = explainer(*json.loads(line))
    took = [time.perf_counter() - wall, time.process_time() - cpu]
    print(json.dumps({"took": took, "explanation": e.to_json()}), flush=True)
"""


@dataclass(frozen=True)
class Parts:
    """Means over pairs of one version: seconds, of the processor too, model rows, and figures pair by pair."""

    name: str
    seconds: float
    processor: float
    rows: float
    figures: dict[str, np.ndarray]


def compare_versions(
    model: str,
    pairs: Sequence[Pair],
    other: Path | None,
    *,
    threads: int,
    seed: int = 0,
    log: Callable[[str], None] = lambda _: None,
) -> list[Parts]:
    """This version and another, each in a process of its own, pair by pair in turn.

    Faithfulness is measured here for both, on the same rows and held against the same reference.

    Args:
        model: A built-in name, or a folder.
        pairs: What to explain.
        other: Where the other version lies; the folder that has its `src`.
        threads: Processor threads of each.
        seed: Of both.
        log: Told what is being done.
    """
    loaded = gmask.load(model)
    places = {"this version": Path(gmask.__file__).parents[1]}
    if other is not None:
        if not (other / "src" / "gmask").is_dir():
            raise GmaskError(f"{other} is no checkout of gmask: it has no src/gmask")
        places[str(other.name)] = other / "src"
    took: dict[str, list[list[float]]] = {name: [] for name in places}
    rows: dict[str, list[int]] = {name: [] for name in places}
    figures: dict[str, list[list[float]]] = {name: [] for name in places}
    with ExitStack() as stack:
        ask = {name: stack.enter_context(_worker(src, model, seed, threads)) for name, src in places.items()}
        for one in ask.values():
            one(PAIR)  # the first pays for more than itself
        for number, pair in enumerate(pairs, start=1):
            log(f"pair {number} of {len(pairs)}, {threads} thread{'s' * (threads > 1)}")
            reference = None
            for name, one in ask.items():
                found = one(pair)
                e = Explanation.from_json(found["explanation"])
                reference = reference or e.reference
                took[name].append(found["took"])
                rows[name].append(e.rows)
                figures[name].append(_figures(loaded, e, reference))
    return [
        Parts(
            name,
            float(np.mean([seconds for seconds, _ in took[name]])),
            float(np.mean([processor for _, processor in took[name]])),
            float(np.mean(rows[name])),
            dict(zip(METRICS, np.array(figures[name]).T, strict=True)),
        )
        for name in places
    ]


@contextmanager
def _worker(src: Path, model: str, seed: int, threads: int) -> Iterator[Callable[[Pair], dict[str, Any]]]:
    command = [sys.executable, "-c", WORKER, model, str(seed)]
    with subprocess.Popen(  # noqa: S603  (this Python)
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=_environment(src, threads)
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        told, answers = process.stdin, process.stdout

        def ask(pair: Pair) -> dict[str, Any]:
            told.write(json.dumps(pair) + "\n")
            told.flush()
            line = answers.readline()
            if not line:
                raise GmaskError(f"gmask of {src} failed on {pair[0]!r:.60} / {pair[1]!r:.60}")
            found: dict[str, Any] = json.loads(line)
            return found

        yield ask
        told.close()


def _environment(src: Path, threads: int) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(src), "OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}


def _figures(model: PairModel, e: Explanation, reference: Any) -> list[float]:
    """Each metric's first number; for the degradation, the mean over its curve."""
    bound = hold(model.bind(e.first, e.second), reference)
    case, metrics = Case(e), [create(name) for name in METRICS]
    ends = np.array([[True] * case.n, [False] * case.n])
    blocks = [ends, *(metric.rows(case) for metric in metrics)]
    outputs = np.split(bound(np.concatenate(blocks)), np.cumsum([len(block) for block in blocks])[:-1])
    target = choose_target(
        model.labels, *outputs[0], raw=model.raw, multilabel=model.multilabel, target=e.target, against=e.against
    )
    measured = [
        metric.measure(case, Answers(target.value(own), target.agrees(own)))
        for metric, own in zip(metrics, outputs[1:], strict=True)
    ]
    return [float("nan") if numbers is None else float(np.mean(numbers)) for numbers in measured]


def versions_table(parts: Sequence[Parts]) -> str:
    """Markdown: what each costs, how much more than this version, and figures with their paired differences."""
    this = parts[0]
    heads = ("version", "seconds", "processor seconds", "rows", "times this", *METRICS)
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for own in parts:
        figures = [f"{np.nanmean(own.figures[name]):.3f}" for name in METRICS]
        if own is not this:
            for i, name in enumerate(METRICS):
                gap = this.figures[name] - own.figures[name]
                gap = gap[~np.isnan(gap)]
                error = gap.std(ddof=1) / len(gap) ** 0.5 if len(gap) > 1 else float("nan")
                figures[i] += f" (this: {gap.mean():+.3f} ± {1.96 * error:.3f})"
        lines.append(
            f"| {own.name} | {own.seconds:.3f} | {own.processor:.3f} | {own.rows:.0f} "
            f"| {own.processor / this.processor:.2f} | {' | '.join(figures)} |"
        )
    return "\n".join(lines)


def cold_start(model: str, other: Path | None, *, threads: int = 1, rounds: int = 3) -> dict[str, dict[str, float]]:
    """Processor seconds of new processes, the least of some rounds: for each version, each step with all before it."""
    places = {"this version": Path(gmask.__file__).parents[1]}
    if other is not None:
        places[str(other.name)] = other / "src"
    run = "import sys; sys.argv = ['gmask', *{!r}]; from gmask.cli import main; main()"
    codes = (
        "import gmask",
        run.format(["--help"]),
        "import torch",
        "import gmask.model.transformers",
        f"import gmask; gmask.load({model!r})",
        run.format(["explain", *PAIR, "--model", model]),
    )
    found: dict[str, dict[str, float]] = {name: {} for name in places}
    for _ in range(rounds):
        for step, code in zip(STEPS, codes, strict=True):
            for name, src in places.items():
                took = _processor(code, _environment(src, threads))
                found[name][step] = min(took, found[name].get(step, took))
    return found


def _processor(code: str, environment: dict[str, str]) -> float:
    """What a new Python process takes of the processor, without what one takes that does nothing."""
    import resource

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    began = used()
    subprocess.run(  # noqa: S603  (this Python)
        [sys.executable, "-c", code], env=environment, stdout=subprocess.DEVNULL, check=True
    )
    return used() - began


def stream_shares(model: PairModel, pairs: Sequence[Pair], *, seed: int = 0) -> tuple[float, float, float]:
    """Of the first that is told: its mean share of the rows, of the seconds, and of the final AOPC over all pairs."""
    explainer = Explainer(model, seed=seed)
    rows, seconds, areas = [], [], []
    for pair in pairs:
        told = list(explainer.stream(*pair))
        first, last = told[0], told[-1]
        rows.append(first.rows / last.rows)
        seconds.append((first.seconds or 0) / (last.seconds or 1))
        areas.append([_figures(model, e, last.reference)[0] for e in (first, last)])
    first_area, last_area = np.mean(areas, axis=0)
    return float(np.mean(rows)), float(np.mean(seconds)), float(first_area / last_area)


def throughput(model: Any, pairs: Sequence[Pair]) -> tuple[float, float]:
    """How well a list of pairs keeps a model busy, by processor time.

    Args:
        model: A `TransformersModel`.
        pairs: What to explain.

    Returns:
        The share of the time that the model takes for the same rows in full batches; and how many times as long plain
        calls take for rows, equal lengths together, as the door does.
    """
    import torch

    asked: list[Any] = []
    forward = model._forward

    def watched(questions: Sequence[Any], on_rows: Any) -> Any:
        asked.extend(questions)
        return forward(questions, on_rows)

    model._forward = watched
    try:
        began = time.process_time()
        gmask.explain(model, pairs=list(pairs))
        whole = time.process_time() - began
    finally:
        del model._forward
    began = time.process_time()
    forward(asked, lambda _: None)
    full = time.process_time() - began
    same = [question for question in asked if question[0].removal == asked[0][0].removal]
    batches = [inputs for _, inputs in model._gather(model._classifier, same)]
    began = time.process_time()
    model._forward(same, lambda _: None)
    door = time.process_time() - began
    began = time.process_time()
    with torch.inference_mode():
        for inputs in batches:
            count, width = inputs["input_ids"].shape
            size = max(1, model._classifier.batch_tokens // width)
            for start in range(0, count, size):
                model.model(**{name: torch.from_numpy(v[start : start + size]) for name, v in inputs.items()})
    plain = time.process_time() - began
    return full / whole, plain / door
