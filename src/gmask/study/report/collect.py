"""Runs put together: one cell for each model and data set."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gmask.errors import GmaskError
from gmask.metric.base import everyway
from gmask.study.record import Record
from gmask.study.report.paper import DATASETS, MODELS, title_of_data, title_of_model
from gmask.study.results import Results
from gmask.study.run import ACCURACY, Run

__all__ = ["Cell", "collect"]


@dataclass(frozen=True)
class Cell:
    """What was found of one model on one data set. `alone`: times taken where methods shared no rows."""

    model: str
    data: str
    results: Results
    alone: Results | None
    accuracy: dict[str, int] | None
    manifests: tuple[dict[str, Any], ...]

    @property
    def title(self) -> str:
        """Both in one."""
        return f"{self.model} on {self.data}"

    def source(self, metric: str) -> Results:
        """Where a metric's figures come from: times from methods alone, if there are such."""
        return self.alone if metric == "seconds" and self.alone is not None else self.results


def collect(folders: Sequence[Path], say: Callable[[str], None]) -> list[Cell]:
    """Read runs; those of the same model, data, removal and seed become one cell, its methods side by side."""
    found: dict[tuple[str, ...], list[Run]] = {}
    for folder in dict.fromkeys(folders):
        if not folder.is_dir():
            raise GmaskError(f"no such run: {folder}")
        run = Run(folder, say)
        m = run.manifest
        data = [str(m["data"].get(key)) for key in ("name", "file", "split")]
        found.setdefault((m["model"]["hash"], *data, m["removal"], str(m["seed"])), []).append(run)
    cells = [_cell(runs) for runs in found.values()]
    if not any(cell.results for cell in cells):
        raise GmaskError(f"there is no record in {', '.join(map(str, folders))} yet")
    titles = [cell.title for cell in cells]
    cells = [
        replace(cell, model=f"{cell.model} ({_told_apart(cell)})") if titles.count(cell.title) > 1 else cell
        for cell in cells
    ]
    return sorted(cells, key=lambda cell: (_place(MODELS, cell.model), _place(DATASETS, cell.data)))


def _cell(runs: Sequence[Run]) -> Cell:
    first = runs[0].manifest
    _check_settings(runs)
    shared = [run for run in runs if not run.manifest["alone"]]
    alone = [run for run in runs if run.manifest["alone"]]
    return Cell(
        model=title_of_model(first["model"]["kind"], first["model"]["name"]),
        data=title_of_data(first["data"].get("name") or "pairs"),
        results=_merge(shared or alone),
        alone=_merge(alone) if alone else None,
        accuracy=next(filter(None, map(_accuracy, runs)), None),
        manifests=tuple(run.manifest for run in runs),
    )


def _check_settings(runs: Sequence[Run]) -> None:
    """A method stands for the same settings in all runs of a cell, as there is one line for it."""
    known: dict[str, tuple[Any, Path]] = {}
    for run in runs:
        for name, settings in run.manifest["methods"].items():
            there, folder = known.setdefault(name, (settings, run.folder))
            if there != settings:
                key = next(k for k in {**there, **settings} if there.get(k) != settings.get(k))
                raise GmaskError(
                    f"{name} has {key} {there.get(key)!r} in {folder} and {settings.get(key)!r} in {run.folder}; "
                    "report them apart"
                )


def _merge(runs: Sequence[Run]) -> Results:
    """The records of several runs, their pairs known by their texts; what another run measured too is added."""
    numbers: dict[Any, int] = {}
    merged: dict[tuple[str, int], Record] = {}
    for run in runs:
        for record in run.records():
            pair = numbers.setdefault(record.key or (run.folder, record.pair), len(numbers))
            before = merged.get((record.method, pair))
            measured = {**_told(record, run), **(before.measured if before else {})}
            merged[record.method, pair] = replace(before or record, pair=pair, measured=measured)
    asked: dict[str, dict[str, None]] = {}
    for m in (run.manifest for run in runs):
        for method in m["methods"]:
            asked.setdefault(method, {}).update(dict.fromkeys(_names(m.get("metrics", ()), m)))
    return Results(merged.values(), seed=runs[0].manifest["seed"], asked=asked)


def _told(record: Record, run: Run) -> dict[str, list[float]]:
    """What was measured of a record."""
    return dict(zip(_names(record.measured, run.manifest), record.measured.values(), strict=True))


def _names(metrics: Iterable[str], manifest: Mapping[str, Any]) -> list[str]:
    """The names of metrics; runs that removed words in one way for methods and another for metrics did not tell it."""
    return everyway(metrics, [manifest["measured"]]) if manifest.get("measured") else list(metrics)


def _accuracy(run: Run) -> dict[str, int] | None:
    path = run.folder / ACCURACY
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {name: int(found[name]) for name in ("right", "pairs")}
    except (ValueError, KeyError, TypeError):
        raise GmaskError(f"{path} is damaged; remove it, and `gmask evaluate --accuracy` makes it again") from None


def _told_apart(cell: Cell) -> str:
    m = cell.manifests[0]
    windows = f", windows {m['model']['windows']}" if "windows" in m["model"] else ""
    return f"{m['model']['name']}{windows}, {m['data'].get('file')}, {m['removal']}, seed {m['seed']}"


def _place(order: Sequence[str], title: str) -> tuple[int, str]:
    return (order.index(title) if title in order else len(order), title)
