"""What every method costs, in one run: seconds and model rows, beside the packages, and seconds to the same AOPC."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gmask.absence.base import find
from gmask.errors import GmaskError
from gmask.explainer import Explainer
from gmask.explanation import Explanation
from gmask.method.base import Method, Task, create, methods
from gmask.metric.aopc import U
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair, Request
from gmask.target import choose_target

__all__ = ["Cost", "aopc", "compare_methods", "compare_originals", "costs_table", "ladder", "race", "race_table"]

SAMPLES = (25, 50, 100, 200, 500, 1000, 2000)  # rungs for methods that take a number of samples
# Settings that trade time for quality, cheapest first; other methods run as they are.
LADDERS: dict[str, Sequence[Mapping[str, Any]]] = {
    "gmask": [{"preset": "fast", "budget": b} for b in (100, 200)] + [{"budget": b} for b in (400, 1000)],
    "imask": [{"epochs": e} for e in (2, 5, 10, 20)],
    "iba": [{"steps": s} for s in (3, 10, 20)],
    "integrated-gradients": [{"steps": s, "tolerance": 1.0} for s in (8, 16, 32, 64)],
    **{name: [{"samples": s} for s in SAMPLES] for name in ("lime", "kernelshap", "shapley", "shapley-interactions")},
}
LEVELS = (0.9, 0.95, 1.0)  # shares of the AOPC that the default reaches
Pair = tuple[str, str]
Log = Callable[[str], None]


@dataclass(frozen=True)
class Cost:
    """The mean cost of an explanation: seconds, rows the model answered, rows it was differentiated for, and AOPC."""

    name: str
    settings: Mapping[str, Any]
    seconds: float
    rows: float
    gradient_rows: float
    aopc: float | None


def aopc(e: Explanation) -> float:
    """The paper's AOPC from an explanation's own evidence."""
    removed = [*e.evidence.removed, *[e.evidence.nothing] * U][:U]
    return float(np.sum(e.value - np.array(removed)) / (U + 1))


def measure(model: PairModel, pairs: Sequence[Pair], method: Method, *, settings: Mapping[str, Any], seed: int) -> Cost:
    """Explain pairs one by one, as a user waits for them."""
    explainer = Explainer(model, method, seed=seed)
    seconds, found = 0.0, []
    for pair in pairs:
        began = time.perf_counter()
        found.append(explainer(*pair))
        seconds += time.perf_counter() - began
    return Cost(
        method.name,
        settings,
        seconds / len(pairs),
        float(np.mean([e.rows for e in found])),
        float(np.mean([e.details.get("gradient_rows", 0) for e in found])),
        float(np.mean([aopc(e) for e in found])),
    )


def attribute(bound: BoundPair, method: Method, seed: int) -> tuple[str, int]:
    """Let a method find its attributions and no more; the label it explained, and the rows it asked about."""
    n = len(bound.words)
    full, empty = bound(np.array([[True] * n, [False] * n]))
    model = bound.model
    target = choose_target(model.labels, full, empty, raw=model.raw, multilabel=model.multilabel)
    questions, asked = method.explain(Task(bound, target, seed)), set[tuple[int, bytes]]()
    others: list[Request] = []  # kept, so that no two have the same id
    try:
        wanted = next(questions)
        while True:
            requests = wanted if isinstance(wanted, list) else [(bound, wanted)]
            others += requests
            made = [part for other, rows in requests for row in rows for part in other.made_of(row)]
            asked.update((id(part), row.tobytes()) for part, row in made)
            outputs = np.concatenate(model.answer(requests))
            wanted = questions.send(target.value(outputs))
    except StopIteration:
        return target.label, len(asked)


def usable(model: PairModel, pair: Pair, names: Iterable[str] | None, log: Log) -> list[str]:
    """The methods that can serve a model, each tried once, so that none pays for the first use of anything."""
    found = []
    for name in names or methods():
        try:
            Explainer(model, name)(*pair)
        except GmaskError as error:
            if names is not None:
                raise
            log(f"without {name}: {error}")
            continue
        found.append(name)
    return found


def compare_methods(
    model: PairModel, pairs: Sequence[Pair], names: Iterable[str], *, seed: int = 0, log: Log = lambda _: None
) -> list[Cost]:
    """Every method with its default settings on the same pairs."""
    costs = []
    for name in names:
        log(name)
        costs.append(measure(model, pairs, create(name), settings={}, seed=seed))
    return costs


def compare_originals(
    model: Any, pairs: Sequence[Pair], *, samples: int | None = None, seed: int = 0, log: Log = lambda _: None
) -> list[tuple[Cost, Cost]]:
    """Each package, and the method here that does the same, with the same number of samples on the same pairs.

    In turn, pair by pair, so that what else the machine does falls on both, and without our evidence, which packages do
    not make; words are removed in one way, as packages do.

    Args:
        model: A `TransformersModel`.
        pairs: What to explain.
        samples: For all of them. Default: 1,000 for LIME, 500 for KernelSHAP.
        seed: Of all of them.
        log: Told what is being done.
    """
    from gmask.bench.originals import ORIGINALS, Plain

    compared = []
    for package, (run, name, usual) in ORIGINALS.items():
        count = samples or usual
        log(f"{name} and the package {package}, {count} samples")
        method, settings, plain = create(name, samples=count), {"samples": count}, Plain(model)
        removal = find(model.usual).parts[0].name
        ours, theirs = list[Cost](), list[Cost]()
        for pair in [pairs[0], *pairs]:  # the first to warm up
            began = time.perf_counter()
            bound = model.bind(*pair, removal=removal)
            target, rows = attribute(bound, method, seed)
            ours.append(Cost(name, settings, time.perf_counter() - began, rows, 0.0, None))
            plain.rows, began = 0, time.perf_counter()
            run(plain, bound, model.labels.index(target), count, seed % 2**32)  # theirs are of 32 bits
            theirs.append(Cost(package, settings, time.perf_counter() - began, plain.rows, 0.0, None))
        compared.append((_mean(theirs[1:]), _mean(ours[1:])))
    return compared


def ladder(name: str) -> Sequence[Mapping[str, Any]]:
    """The settings with which a method is raced."""
    return LADDERS.get(name, [{}])


def race(
    model: PairModel, pairs: Sequence[Pair], names: Iterable[str], *, seed: int = 0, log: Log = lambda _: None
) -> list[Cost]:
    """Every method on every rung of its ladder."""
    costs = []
    for name in names:
        for settings in ladder(name):
            log(f"{name} {_written(settings)}")
            costs.append(measure(model, pairs, create(name, **settings), settings=settings, seed=seed))
    return costs


def costs_table(costs: Sequence[Cost], compared: Sequence[tuple[Cost, Cost]]) -> str:
    """Markdown: every method's cost, and under it the packages'."""
    lines = ["| method | seconds | rows | gradient rows | AOPC |", "|---|---|---|---|---|"]
    lines += [
        f"| {c.name} | {c.seconds:.3f} | {c.rows:.0f} | {c.gradient_rows:.0f} | {c.aopc:.3f} |"
        for c in sorted(costs, key=lambda c: c.seconds)
    ]
    if compared:
        lines += ["", "| package | samples | seconds | rows | here | seconds | rows | times faster |", "|" + "---|" * 8]
        lines += [
            f"| {p.name} | {p.settings['samples']} | {p.seconds:.3f} | {p.rows:.0f} "
            f"| {c.name} | {c.seconds:.3f} | {c.rows:.0f} | {p.seconds / c.seconds:.1f} |"
            for p, c in compared
        ]
    return "\n".join(lines)


def race_table(costs: Sequence[Cost], levels: Sequence[float] = LEVELS) -> str:
    """Markdown: for each method the seconds of its cheapest setting that reaches a share of the default's AOPC.

    The default is `gmask` as it is, the last rung of its ladder; if it did not run, the best of all counts.
    """
    best = next((c.aopc or 0.0 for c in reversed(costs) if c.name == "gmask"), max(c.aopc or 0.0 for c in costs))
    heads = [f"AOPC {level * best:.3f} ({level:.0%})" for level in levels]
    lines = ["| method | " + " | ".join(heads) + " | best AOPC |", "|---|" + "---|" * (len(levels) + 1)]
    rows = []
    for name in dict.fromkeys(c.name for c in costs):
        own = [c for c in costs if c.name == name]
        reached = [
            min((c for c in own if (c.aopc or 0.0) >= level * best), key=_seconds, default=None) for level in levels
        ]
        cells = ["never" if c is None else f"{c.seconds:.3f} {_written(c.settings)}".strip() for c in reached]
        top = max(c.aopc or 0.0 for c in own)
        order = [np.inf if c is None else c.seconds for c in reversed(reached)]
        rows.append((order, f"| {name} | " + " | ".join(cells) + f" | {top:.3f} |"))
    return "\n".join([*lines, *(line for _, line in sorted(rows))])


def _mean(costs: Sequence[Cost]) -> Cost:
    """The mean cost of one method over pairs."""
    seconds, rows = (float(np.mean([getattr(c, name) for c in costs])) for name in ("seconds", "rows"))
    return replace(costs[0], seconds=seconds, rows=rows)


def _seconds(cost: Cost) -> float:
    return cost.seconds


def _written(settings: Mapping[str, Any]) -> str:
    return f"({', '.join(f'{name}={value}' for name, value in settings.items())})" if settings else ""
