"""How much the exact solver gains over the published procedure, on the same pairs in one run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gmask.errors import GmaskError
from gmask.explainer import Explainer
from gmask.explanation import Explanation
from gmask.method.published import objective, solve_exactly
from gmask.model.base import PairModel
from gmask.multilinear import subsets

__all__ = ["GUITAR", "PAIRS", "Timing", "compare_solvers", "row_rate", "solvers_table"]

GUITAR = ("A man playing an electric guitar on stage.", "A man playing banjo on the floor.")
PAIRS = (
    GUITAR,
    ("A band singing and playing electric guitar for a crowd of people.", "The band is backstage."),
    ("Two women are embracing while holding to go packages.", "The sisters are hugging goodbye after eating lunch."),
)


@dataclass(frozen=True)
class Timing:
    """One way of explaining, over all pairs: mean seconds, model rows (forward; with gradient), objective reached.

    `exact` is the objective that the exact solver reaches on the same words: how many groups there are, and so how low
    it can be, depends on the words.
    """

    name: str
    seconds: float
    rows: float
    gradient_rows: float
    objective: float | None
    exact: float | None


def compare_solvers(
    model: PairModel,
    pairs: Sequence[tuple[str, str]] = PAIRS,
    *,
    samples: int = 500,
    epochs: int = 100,
    seed: int = 0,
    log: Callable[[str], None] = lambda _: None,
) -> list[Timing]:
    """Run the published procedure, the exact solver of the same objective, and the default, on the same pairs.

    Words are removed in the same way for all, and where objectives are measured: by taking their embeddings to zero, as
    the published procedure must, where the model can do so.

    Args:
        model: A model with gradients.
        pairs: What to explain.
        samples: Masks an epoch of the published procedure.
        epochs: Its epochs.
        seed: Of all of them.
        log: Told what is being done.
    """
    if not model.differentiable:
        raise GmaskError(f"the published procedure needs gradients and {model.name} gives none")
    ways: dict[str, dict[str, Any]] = {
        "published": {"preset": "paper", "solver": "sampling", "samples": samples, "epochs": epochs},
        "exact": {"preset": "paper"},
        "reasons": {},
    }
    removal = "zero" if "zero" in model.removals else None  # which the published procedure needs for its slopes
    Explainer(model, removal=removal, seed=seed)(*pairs[0])  # the first call of a process pays for more than itself
    timings = []
    for name, options in ways.items():
        explainer = Explainer(model, removal=removal, seed=seed, **options)
        seconds, found = 0.0, []
        for number, pair in enumerate(pairs, start=1):
            log(f"{name}: pair {number} of {len(pairs)}")
            began = time.perf_counter()
            found.append(explainer(*pair))
            seconds += time.perf_counter() - began
        reached, exact = np.mean([_objectives(model, e) for e in found], axis=0) if options else (None, None)
        timings.append(
            Timing(
                name,
                seconds / len(pairs),
                float(np.mean([e.rows for e in found])),
                float(np.mean([e.details.get("gradient_rows", 0) for e in found])),
                reached,
                exact,
            )
        )
    return timings


def solvers_table(timings: Sequence[Timing]) -> str:
    """A Markdown table; the published procedure is the measure of the others."""
    heads = (
        "solver",
        "seconds",
        "rows",
        "rows with gradient",
        "objective",
        "exactly, on the same words",
        "times as fast",
    )
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for t in timings:
        reached, exact = ("" if value is None else f"{value:.3f}" for value in (t.objective, t.exact))
        lines.append(
            f"| {t.name} | {t.seconds:.2f} | {t.rows:.0f} | {t.gradient_rows:.0f} | {reached} | {exact} "
            f"| {timings[0].seconds / t.seconds:.1f} |"
        )
    return "\n".join(lines)


def _objectives(model: PairModel, e: Explanation) -> tuple[float, float]:
    """The paper's objective on the table of an explanation's words: at what it found, and solved exactly."""
    bound = model.bind(e.first, e.second, removal=e.removal)
    candidates = np.array(e.details["candidates"])
    rows = np.zeros((2 ** len(candidates), len(bound.words)), dtype=bool)
    rows[:, candidates] = subsets(len(candidates))
    loss = -np.log(np.maximum(bound(rows)[:, e.labels.index(e.target)], 1e-6))
    phi = np.array([g.memberships for g in e.groups])[:, candidates].T
    psi = np.array([g.importance for g in e.groups])
    sentences, weights = bound.sentences[candidates], {name: e.settings[name] for name in ("gamma1", "gamma2")}
    starts = {"restarts": 16, "steps": 200, "rate": e.settings["rate"], "random": np.random.default_rng(e.seed)}
    solved = solve_exactly(loss, sentences, groups=len(psi), **starts, **weights)
    both = np.stack([phi, solved.phi]), np.stack([psi, solved.psi])
    reached, exact = objective(loss, sentences, *both, **weights)[0]
    return float(reached), float(exact)


def row_rate(model: Any, pair: tuple[str, str] = GUITAR, *, rows: int = 700, rounds: int = 5) -> tuple[float, float]:
    """Tokens a second through the door, and through plain forward passes of the same batches.

    Args:
        model: A `TransformersModel`.
        pair: Whose words are dropped.
        rows: How many different random rows.
        rounds: The two take turns so many times; the median of each is returned.
    """
    import torch

    bound = model.bind(*pair)
    random = np.random.default_rng(0)
    n = len(bound.words)
    kept = np.unique(random.random((rows, n)) < random.uniform(0.2, 0.9, (rows, 1)), axis=0)
    batches = list(_plain_batches(model, bound, kept))
    tokens = sum(inputs["input_ids"].numel() for inputs in batches)
    door, plain = [], []
    for _ in range(rounds):
        fresh = model.bind(*pair)
        began = time.perf_counter()
        fresh(kept)
        door.append(time.perf_counter() - began)
        began = time.perf_counter()
        with torch.inference_mode():
            for inputs in batches:
                model.model(**inputs)
        plain.append(time.perf_counter() - began)
    return tokens / float(np.median(door)), tokens / float(np.median(plain))


def _plain_batches(model: Any, bound: Any, kept: np.ndarray) -> Iterator[dict[str, Any]]:
    """The rows as anyone would batch them: equal lengths together, the same batch size as the door."""
    import torch

    for _, inputs in model._gather(model._classifier, [(bound, row) for row in kept]):
        count, width = inputs["input_ids"].shape
        size = max(1, model._classifier.batch_tokens // width)
        for start in range(0, count, size):
            yield {name: torch.from_numpy(values[start : start + size]) for name, values in inputs.items()}
