"""Explain a file of pairs of any size, in constant memory, resumable at any point."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from gmask.dataset.corpora import iterate, resolve
from gmask.dataset.example import Example
from gmask.dataset.given import example_of
from gmask.dataset.table import DataError
from gmask.errors import GmaskError, ModelError
from gmask.explainer import Explainer, versions
from gmask.explanation import Explanation
from gmask.flight import TOGETHER
from gmask.method.base import Method, create
from gmask.model import load
from gmask.reference import DRAWN, References
from gmask.seed import check_seed
from gmask.study import engine as engines
from gmask.study.identity import check_answers, identity_of
from gmask.study.ledger import Damage, Ledger, read_records
from gmask.study.manifest import describe, settle
from gmask.study.measuring import load_same
from gmask.study.progress import Progress, say

__all__ = ["Tally", "batch", "read_batch"]

Window = tuple[int, list[Example]]  # the number of its first pair, and its pairs
Numbered = tuple[int, dict[str, Any]]


@dataclass
class Tally:
    """What became of a file: pairs explained, pairs that could not be, and rows that are no pairs."""

    explained: int = 0
    failed: int = 0
    bad: int = 0

    def count(self, record: dict[str, Any]) -> None:
        """One more record."""
        if "error" in record:
            self.failed += 1
        else:
            self.explained += 1


def batch(
    model: Any,
    pairs: Path | str | Iterable[Any],
    output: Path | str,
    *,
    method: str | Method = "gmask",
    target: str | int | None = None,
    against: str | int | None = None,
    removal: str | None = None,
    reference: Any = "auto",
    units: str = "auto",
    seed: int = 0,
    skip_bad: bool = False,
    engine: str = "local",
    address: str | None = None,
    workers: int | None = None,
    threads: int | None = None,
    progress: bool = False,
    **options: Any,
) -> Tally:
    """Explain many pairs into a JSONL file, one line a pair, in their order.

    Killed at any point and started again, it goes on where it stopped, and the file ends up the same, byte for byte.
    Each line is read by `Explanation.from_json`; besides, it has the pair's number `n`, its `id`, its `gold` label if
    there is one, and a checksum. All of them are read by `read_batch`.

    Args:
        model: What `gmask.load` returns, or anything it takes.
        pairs: A TSV, CSV or JSONL file with well-known column names, or pairs as `gmask.explain` takes them.
        output: The file to write.
        method: One of `gmask.methods()`.
        target: The label to explain. Default: what the model says.
        against: A label to hold it against.
        removal: What removing a word means.
        reference: What answers are held against (see `gmask.explain`).
        units: What stays or goes as one (see `gmask.explain`).
        seed: Of the method.
        skip_bad: Pass over rows that are no pairs, and write a line with an `error` for a pair that cannot be
            explained; started again, those that the model failed on are asked about again. Default: stop there;
            started again, it goes on there.
        engine: `local` or `ray`.
        address: Of a Ray cluster.
        workers: How many Ray workers.
        threads: Processor threads of a worker, on which the last digits depend; kept with the run. Default: what
            `OMP_NUM_THREADS` says, or a thread a processor, four at most.
        progress: Show how far it is.
        **options: Settings of the method.
    """
    loaded, output = load(model), Path(output)
    worker = engines.create(engine, address=address, workers=workers, threads=threads)
    made = create(method, **options)
    asked: dict[str, Any] = {"target": target, "against": against, "removal": removal, "seed": check_seed(seed)}
    Explainer(loaded, made, **asked, reference=reference, units=units)
    tally = Tally()
    examples = _examples(pairs, tally, skip_bad=skip_bad)
    first = list(islice(examples, DRAWN))
    references = References(reference, drawn=[(e.first, e.second) for e in first])
    manifest = {
        "model": identity_of(loaded),
        "method": describe(made, loaded),
        **asked,
        "removal": loaded.check_removal(removal),
        "reference": references.about,
        **({} if units == "auto" else {"units": units}),
        "threads": worker.threads,
        "versions": versions(),
    }
    job = _Explaining(
        model if worker.remote else loaded, loaded.hash, made, {**asked, "reference": references, "units": units}
    )
    ledger = Ledger(output, say, lambda: settle(output.with_name(f"{output.name}.run.json"), manifest, output))
    total = _count(pairs) if progress else None
    with ledger, Progress(["pairs"], total, {"pairs": len(ledger)}, shown=progress) as bars:
        check_answers(loaded, (record for _, record in ledger.records() if "error" not in record), output)
        for number, record in worker.run(job, _missing(ledger, chain(first, examples), tally)):
            if "error" in record and not skip_bad:
                raise GmaskError(f"pair {number + 1} ({record['first']!r:.60}): {record['error']}")
            if number not in ledger:
                tally.count(record)
                bars.advance("pairs")
            ledger.append(number, record)
        ledger.finish()
    return tally


def read_batch(path: Path | str) -> Iterator[Explanation]:
    """The explanations in a file that `batch` wrote, one at a time; damaged lines are said and passed over.

    The `id` and the `gold` label of a row, where it had them, are in the explanation's `details`.
    """
    path = Path(path)
    if not path.is_file():
        raise GmaskError(f"no such file: {path}")
    damaged: list[Damage] = []
    known = False  # that there is a record at all: damage is told of a file of ours only

    def on_damage(damage: Damage) -> None:
        if known:
            say(f"{path}: {damage}; it is passed over")
        else:
            damaged.append(damage)

    for _, record in read_records(path, on_damage):
        if "method" in record and "pair" in record:
            raise GmaskError(f"{path} holds records of `gmask evaluate`, not what `gmask batch` wrote")
        known = True
        while damaged:
            on_damage(damaged.pop(0))
        if "error" not in record:
            e = Explanation.from_dict(record)
            own = {name: record[name] for name in ("id", "gold") if record.get(name) is not None}
            yield replace(e, details={**e.details, **own}) if own else e
    if damaged:
        raise GmaskError(f"{path} is no file that `gmask batch` wrote: none of its {len(damaged):,} lines is a record")


@dataclass(frozen=True)
class _Explaining:
    """A job: its tasks are windows of pairs, its results one numbered record a pair."""

    source: Any
    hash: str
    method: Method
    asked: dict[str, Any]

    def start(self) -> Callable[[Window], Iterator[Numbered]]:
        explainer = Explainer(load_same(self.source, self.hash), self.method, **self.asked)

        def work(window: Window) -> Iterator[Numbered]:
            start, examples = window
            for i, found in enumerate(explainer.outcomes(examples)):
                if isinstance(found, Explanation):
                    record = found.to_dict()
                    del record["seconds"]  # the same pairs give the same bytes
                else:
                    record = {"first": examples[i].first, "second": examples[i].second, "error": str(found)}
                    if isinstance(found, ModelError):
                        record["again"] = True  # it was the model's error, not the pair's
                gold = {} if examples[i].label is None else {"gold": examples[i].label}
                yield start + i, {"id": examples[i].id, **gold, **record}

        return work


def _examples(pairs: Path | str | Iterable[Any], tally: Tally, *, skip_bad: bool) -> Iterator[Example]:
    if not isinstance(pairs, (str, Path)):
        return map(example_of, pairs)
    corpus, path = resolve(pairs)
    if not path.is_file():
        raise GmaskError(f"no such file: {path}")

    def on_bad(error: DataError) -> None:
        tally.bad += 1
        say(f"{error}; it is passed over")

    return iterate(replace(corpus, labels=()), path, on_bad=on_bad if skip_bad else None, labelled=False)


def _count(pairs: Path | str | Iterable[Any]) -> int | None:
    """How many pairs there are, where that can be known before they are read."""
    if isinstance(pairs, (str, Path)):
        corpus, path = resolve(pairs)
        return sum(1 for _ in iterate(replace(corpus, labels=()), path, on_bad=lambda _: None, labelled=False))
    return len(pairs) if isinstance(pairs, Sized) else None


def _missing(ledger: Ledger, examples: Iterable[Example], tally: Tally) -> Iterator[Window]:
    """The windows of pairs that are not all there yet, after a look that those which are there are the same pairs."""
    there = ledger.records()
    old = next(there, None)
    window: list[Example] = []
    number = -1
    for number, example in enumerate(examples):
        if old is not None and old[0] == number:
            _check(ledger, example, *old)
            tally.count(old[1])
            old = next(there, None)
        window.append(example)
        if len(window) == TOGETHER:
            yield from _unless_there(ledger, number + 1 - TOGETHER, window)
            window = []
    yield from _unless_there(ledger, number + 1 - len(window), window)
    if old is not None:
        count = 1 + max(last for last, _ in chain([old], there))
        raise GmaskError(f"{ledger.path} has {count:,} pairs, but only {number + 1:,} are given; give another -o")


def _unless_there(ledger: Ledger, start: int, window: list[Example]) -> Iterator[Window]:
    if any(number not in ledger for number in range(start, start + len(window))):
        yield start, window


def _check(ledger: Ledger, example: Example, number: int, record: dict[str, Any]) -> None:
    if (example.first, example.second) != (record["first"], record["second"]):
        raise GmaskError(
            f"line {number + 1} of {ledger.path} explains another pair ({record['first']!r:.60}) than the one given "
            f"({example.first!r:.60}); results are never mixed, give another -o"
        )
