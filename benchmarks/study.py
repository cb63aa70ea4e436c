"""The study: every method, two kinds of model, four data sets, measured in several ways; then its report.

    python benchmarks/study.py DATA RUNS REPORT [--pairs 200] [--minutes M] [--skip 600] [--pieces A,B] [--cells A,B]

DATA has the folders snli, esnli, quora, qqp, mrpc and multimwa; RUNS gets the records, REPORT the tables, figures and
page. It takes hours. It goes round the cells (dattn-esnli, bert-mrpc, ...) in rounds, so that whenever it ends, after
`--minutes` or killed, every cell has about the same share of its pairs; the same command goes on where it stopped, and
with more `--pairs` it adds to what is there. Each of `--workers` processes works with one thread, on another run.

BERT gets `--pairs` a data set, decomposable attention three times as many, taken after the first `--skip` of the test
pairs in an order drawn at random. The pieces:

    gmask      the default and `fast`, and the models' accuracy
    others     the methods that are used most, or take little
    slow       all others, which take longer, on a quarter of the pairs
    l2x, iba   those that were fitted to the models
    limits     the best order found for each of the paper's measures, up to EXACT words the best there is: a twentieth
    known      the default with a share of its words shuffled, on a quarter: can a measure tell them apart?
    aligned    whether groups hold words that people aligned (MultiMWA, its dev pairs), for cells of their own
    alone      times, where methods share no rows, on a fiftieth
    stable     other seeds and small changes, and the AOPC between its limits, on a twentieth

Every explanation is measured with words removed as its method does and in each of WAYS. In the end, and with `--only
report` at any time: tables and figures of all that is there in REPORT, and the records without their texts as
REPORT/runs-dattn.tar.xz and runs-bert.tar.xz; unpacked in RUNS, they are what the study goes on from. REPORT being
docs/results, docs/make_tables.py puts the figures on the pages.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Annotated, Any

import typer

import gmask
from gmask.errors import GmaskError
from gmask.files import write_text
from gmask.model.zoo import builtin_models
from gmask.study.accuracy import accuracy
from gmask.study.progress import say
from gmask.study.report import write_report
from gmask.study.run import ACCURACY, share
from gmask.study.sample import draw
from gmask.study.saying import called

DOCS = Path(__file__).parent.parent / "docs"
KINDS = ("dattn", "bert")
DATASETS = ("esnli", "quora", "qqp", "mrpc")
CELLS = [f"{kind}-{name}" for name in DATASETS for kind in KINDS]
MODELS = {
    "esnli": "nli",
    "quora": "paraphrase",
    "qqp": "paraphrase",
    "mrpc": "paraphrase-mrpc",
    "multimwa": "paraphrase",
}
FILES = {"esnli": "esnli/test_highlights_3ann.jsonl.gz"}  # of a data set that is a file of its folder
LABELLED = {"esnli": "snli"}  # where accuracy is measured, if elsewhere
WAYS = {"dattn": ("same", "drop", "zero", "blank"), "bert": ("same", "drop", "zero", "mask", "delete")}
MORE = {"dattn": 3, "bert": 1}  # how many pairs for one of BERT
ROUNDS = 12
EXACT, WIDTH = 12, 16  # of the search for the best order

OURS = ("gmask", "gmask:preset=fast")
RELEASED = ("gmask:preset=released", "imask:solver=released")
GROUPED = ("shapley-interactions", "archipelago", "sis")
OTHERS = (
    *("gmask:preset=paper", "lime", "kernelshap", "shapley-interactions", "leave-one-out", "keep-one"),
    *("integrated-gradients", "gradient-x-input", "attention-rollout", "random"),
)
SLOW = (
    *("imask", "shapley", "archipelago", "proxyspex", "sis", "greedy-removal", "greedy-insertion"),
    *("anchors", "parallel-local-search", *RELEASED),
)


@dataclass(frozen=True)
class Piece:
    """A part of the study: methods on a share of the pairs."""

    methods: Sequence[str]
    share: float = 1.0
    metrics: Sequence[str] | None = None
    cells: Sequence[str] | None = None
    alone: bool = False
    several: bool = True  # ways of removing words for the metrics
    split: str = "test"
    label: str | None = None


PIECES = {
    "gmask": Piece(OURS),
    "others": Piece(OTHERS),
    "l2x": Piece(["l2x"]),
    "iba": Piece(["iba"]),
    "slow": Piece(SLOW, 1 / 4),
    "known": Piece([f"shuffled:share={share}" for share in (0.1, 0.3, 0.5)], 1 / 4),
    "limits": Piece(
        [
            f"best-order:measure={measure}:exact={EXACT}:width={WIDTH}:starts=all"
            for measure in ("aopc", "post_hoc_accuracy", "degradation")
        ],
        1 / 20,
        several=False,
    ),
    "stable": Piece(
        [*OURS, "shapley-interactions", "archipelago", "lime", "random"],
        1 / 20,
        ("seed_stability", "change_stability", "group_stability", "normalised_aopc"),
        several=False,
    ),
    "alone": Piece([*OURS, *OTHERS, *SLOW, "l2x", "iba"], 1 / 50, ("seconds", "rows"), alone=True, several=False),
    "aligned": Piece(
        [*OURS, *RELEASED[:1], "gmask:preset=paper", *GROUPED],
        1 / 4,
        ("alignment",),
        cells=[f"{kind}-multimwa" for kind in KINDS],
        several=False,
        split="dev",
        label="paraphrase",
    ),
}


@dataclass(frozen=True)
class Job:
    """A run, and how many pairs it is to have."""

    piece: str
    cell: str
    pairs: int


def jobs(pieces: Sequence[str], cells: Sequence[str], pairs: int) -> Iterator[Job]:
    """What there is to do, round by round."""
    done: dict[tuple[str, str], int] = {}
    for number in range(1, ROUNDS + 1):
        for name in pieces:
            piece = PIECES[name]
            for cell in piece.cells or cells:
                wanted = math.ceil(number / ROUNDS * max(1, round(pairs * MORE[cell.partition("-")[0]] * piece.share)))
                if wanted > done.get((name, cell), 0):
                    done[name, cell] = wanted
                    yield Job(name, cell, wanted)


def do(job: Job, data: Path, runs: Path, skip: int) -> None:
    """Bring a run up to its pairs."""
    piece, (kind, _, name) = PIECES[job.piece], job.cell.partition("-")
    model, output = model_of(kind, name), runs / job.piece / job.cell
    examples, about = drawn(f"{name}={data / FILES.get(name, name)}", piece.split, skip, piece.label and model)
    if len(examples) < job.pairs:
        say(f"{job.cell}: {len(examples)} pairs, and not {job.pairs}, are left after the first {skip}")
    gmask.evaluate(
        model,
        examples[: job.pairs],
        methods=piece.methods,
        metrics=piece.metrics,
        measured=WAYS[kind] if piece.several else None,
        alone=piece.alone,
        output=output,
        about={**about, **({"label": piece.label} if piece.label else {})},
        threads=1,
    )
    if job.piece == "gmask" and not (output / ACCURACY).exists():
        where = LABELLED.get(name, name)
        labelled = draw(f"{where}={data / where}", labelled=True)[0]
        write_text(output / ACCURACY, json.dumps(accuracy(gmask.load(model), labelled)) + "\n")


def model_of(kind: str, name: str) -> str:
    """A cell's built-in model; that for all paraphrases, where a data set has none of its own."""
    found = MODELS[name] + ("-dattn" if kind == "dattn" else "")
    return found if found in builtin_models() else found.replace("-mrpc", "")


@lru_cache(maxsize=16)
def drawn(data: str, split: str, skip: int, model: str | None) -> tuple[list[Any], dict[str, Any]]:
    """The pairs after the first, of a split for testing; where `model` is named, those it calls a paraphrase."""
    if model is None:
        return draw(data, split, skip=skip)
    loaded = gmask.load(model)
    return draw(data, split, keep=called(loaded, "paraphrase"))


def work(orders: Connection, data: Path, runs: Path, skip: int) -> None:
    """A worker: jobs come, and each is answered with what went wrong, if anything. It ends when the study does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    while (job := orders.recv()) is not None:
        try:
            do(job, data, runs, skip)
        except GmaskError as error:
            orders.send(str(error))
        else:
            orders.send(None)


def end_with(parent: int) -> None:
    """End this process when another is no more its parent."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def run(todo: list[Job], data: Path, runs: Path, skip: int, workers: int, deadline: float) -> bool:
    """Have the jobs done, none of a run before another of the same is; returns whether there was time for all.

    A run that cannot go on (a method is not fitted to a model, the run was begun with other settings) is told and left.
    """
    own = multiprocessing.get_context("fork")  # nothing that computes is loaded yet
    free, busy, processes = [], dict[Connection, Job](), []
    count = len(todo)
    try:
        for _ in range(workers):
            here, there = own.Pipe()
            processes.append(own.Process(target=work, args=(there, data, runs, skip), daemon=True))
            processes[-1].start()
            there.close()
            free.append(here)
        while todo or busy:
            taken = {(job.piece, job.cell) for job in busy.values()}
            while free and (job := next((j for j in todo if (j.piece, j.cell) not in taken), None)):
                todo.remove(job)
                taken.add((job.piece, job.cell))
                place = free.pop()
                place.send(job)
                busy[place] = job
            ready = wait(list(busy), timeout=max(0.0, min(deadline - time.monotonic(), 3600)))
            for place in ready:
                job = busy.pop(place)
                try:
                    wrong = place.recv()
                except EOFError:
                    raise SystemExit(f"{job.piece} {job.cell} failed; the records so far are kept") from None
                free.append(place)
                if wrong:
                    todo = [j for j in todo if (j.piece, j.cell) != (job.piece, job.cell)]
                told = f"left out: {wrong}" if wrong else f"{job.pairs} pairs"
                say(f"{job.piece} {job.cell}: {told}; {count - len(todo) - len(busy)} of {count} jobs done")
            if time.monotonic() >= deadline:
                return False
        return True
    finally:  # a run that is stopped at any point goes on from there
        for process in processes:
            process.terminate()
            process.join()


def report(runs: Path, folder: Path) -> None:
    """Tables and figures of all that is there, the records without texts, and the pages."""
    there = sorted(path.parent for path in runs.glob("*/*/run.json") if (path.parent / "records.jsonl").exists())
    places = {name: i for i, name in enumerate(PIECES)}
    write_report(sorted(there, key=lambda path: (places.get(path.parent.name, len(places)), path.name)), folder)
    with tempfile.TemporaryDirectory() as copies:
        for kind in KINDS:
            for path in there:
                if path.name.startswith(kind):
                    share(path, Path(copies) / kind / path.relative_to(runs), say)
            if (Path(copies) / kind).is_dir():
                pack(Path(copies) / kind, folder / f"runs-{kind}.tar.xz")
    if folder.resolve() == (DOCS / "results").resolve():
        subprocess.run([sys.executable, DOCS / "make_tables.py"], check=True)


def pack(folder: Path, archive: Path) -> None:
    """The same folder, the same bytes."""

    def bare(info: tarfile.TarInfo) -> tarfile.TarInfo:
        info.mtime = info.uid = info.gid = 0
        info.uname = info.gname = ""
        return info

    with tarfile.open(archive, "w:xz") as packed:
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            packed.add(path, path.relative_to(folder), filter=bare)


def main(
    data: Path,
    runs: Path,
    folder: Annotated[Path, typer.Argument(metavar="REPORT")],
    pairs: Annotated[
        int, typer.Option(help="Pairs a data set for BERT; decomposable attention gets three times.")
    ] = 200,
    minutes: Annotated[float, typer.Option(help="Stop after so many. Default: when all is done.")] = math.inf,
    skip: Annotated[int, typer.Option(help="Test pairs to pass over: those looked at before.")] = 600,
    pieces: Annotated[str, typer.Option(help="Comma-separated. Default: all.")] = ",".join(PIECES),
    cells: Annotated[str, typer.Option(help="Comma-separated. Default: all eight.")] = ",".join(CELLS),
    workers: Annotated[int, typer.Option(help="Processes, a thread each.")] = 2,
    only: Annotated[str, typer.Option(help="`report` measures nothing more.")] = "",
) -> None:
    """Measure, then report."""
    unknown = [name for name in pieces.split(",") if name not in PIECES]
    unknown += [cell for cell in cells.split(",") if cell not in CELLS]
    if unknown or only not in ("", "report"):
        raise SystemExit(
            f"unknown: {', '.join(unknown) or only}; pieces: {', '.join(PIECES)}; cells: {', '.join(CELLS)}"
        )
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # before the workers start
    if not only:
        todo = list(jobs(pieces.split(","), cells.split(","), pairs))
        if not run(todo, data, runs, skip, workers, time.monotonic() + 60 * minutes):
            say(f"stopped after {minutes:g} minutes; the same command goes on")
    report(runs, folder)


if __name__ == "__main__":
    typer.run(main)
