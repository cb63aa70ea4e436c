"""The folder of a run: its manifest, its records, and their times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gmask.errors import GmaskError
from gmask.files import write_text, writing
from gmask.study.ledger import GOES_ON, Damage, Ledger, read_records, seal, unseal
from gmask.study.manifest import read_manifest, settle
from gmask.study.record import Record

__all__ = ["ACCURACY", "Run", "RunWriter", "share"]

MANIFEST, RECORDS, TIMES, ACCURACY = "run.json", "records.jsonl", "times.jsonl", "accuracy.json"

# What the manifest of a study has, besides what its runs are compared by.
PARTS = {"model": dict, "data": dict, "methods": dict, "removal": str, "seed": int, "alone": bool, "versions": dict}


class RunWriter:
    """Writes a run, or goes on with one. A record's time is written before the record, so none is without.

    Args:
        folder: Where the run is, or will be.
        manifest: What it is of.
        say: Told in a line of anything that had to be mended.
    """

    def __init__(self, folder: Path, manifest: Mapping[str, Any], say: Callable[[str], None]) -> None:
        records = folder / RECORDS
        self.folder = folder
        self.ledger = Ledger(records, say, lambda: settle(folder / MANIFEST, manifest, records))
        try:
            with writing(folder / TIMES):
                self._times = (folder / TIMES).open("ab", buffering=0)
                if self._times.tell():
                    self._times.write(b"\n")  # ends a line that was cut short; empty lines are passed over
        except GmaskError:
            self.ledger.close()
            raise

    def __enter__(self) -> RunWriter:  # noqa: PYI034
        return self

    def __exit__(self, *_: object) -> None:
        self._times.close()
        self.ledger.close()

    def append(self, number: int, record: Record) -> None:
        """Write a record, unless it is there already."""
        if number in self.ledger:
            return
        if record.seconds is not None:
            with writing(self.folder / TIMES, GOES_ON):
                self._times.write(seal(number, {"seconds": round(record.seconds, 6)}))
        self.ledger.append(number, record.to_dict())


class Run:
    """A run as it lies there, finished or not; nothing in it is changed.

    Args:
        folder: Where it is.
        say: Told in a line of anything that cannot be read.
    """

    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        self.folder = folder
        self.manifest = read_manifest(folder / MANIFEST)
        if missing := [name for name, kind in PARTS.items() if not isinstance(self.manifest.get(name), kind)]:
            raise GmaskError(f"{folder / MANIFEST} is no manifest of `gmask evaluate`: it lacks {', '.join(missing)}")
        self.say = say

    def records(self) -> Iterator[Record]:
        """Every record that can be read."""
        path = self.folder / RECORDS
        if not path.exists():
            return
        times, damages = self._times(), list[Damage]()
        for number, data in read_records(path, damages.append):
            yield Record.from_dict(data, times.get(number))
        if damages:
            shown = ", ".join(str(d) for d in damages[:5]) + (", ..." if len(damages) > 5 else "")
            self.say(f"{path} is damaged: {shown}; the other records are used, and `gmask evaluate` mends it")

    def _times(self) -> dict[int, float]:
        path, times = self.folder / TIMES, {}
        for line in path.read_bytes().splitlines(keepends=True) if path.exists() else ():
            try:
                number, timed = unseal(line)
            except GmaskError:
                continue  # a record without a time is a record still
            times[number] = float(timed["seconds"])
        return times


def share(folder: Path, output: Path, say: Callable[[str], None]) -> int:
    """Copy a run without its explanations, and so without a word of its texts; returns how many records it has.

    What is left is what a report's tables and figures need, and a run that `evaluate` goes on with.

    Raises:
        ValueError: The copy would be the run itself, or go on with one that has explanations: texts would stay there.
    """
    run = Run(folder, say)
    if output.resolve() == folder.resolve():
        raise GmaskError(f"{output} is the run itself, whose texts would stay; give another -o")
    if any(_explained(path) for path in output.glob(f"{RECORDS}*")):  # with what a ledger has set aside
        raise GmaskError(f"{output} holds records with explanations, whose texts would stay; give another -o")
    order = {name: i for i, name in enumerate(run.manifest["methods"])}
    with RunWriter(output, run.manifest, say) as shared:
        for record in run.records():
            shared.append(record.pair * len(order) + order[record.method], record.without_explanation())
        shared.ledger.finish()
        count = len(shared.ledger)
    if (folder / ACCURACY).exists():
        write_text(output / ACCURACY, (folder / ACCURACY).read_text(encoding="utf-8"))
    return count


def _explained(path: Path) -> bool:
    """Whether any line has an explanation, be it damaged or not; within a text the quotes would be escaped."""
    with path.open("rb") as file:
        return any(b'"explanation":' in line for line in file)
