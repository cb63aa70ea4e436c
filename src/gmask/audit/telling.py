"""An audit as plain data: what audit.json holds, and all views are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gmask.audit.causes import Cause
from gmask.audit.figures import counts_of, error_figures, finding_figures, proven
from gmask.audit.gather import Gathered, Support
from gmask.audit.pattern import Pattern
from gmask.audit.proof import Proof, Trial
from gmask.audit.seen import Seen
from gmask.audit.significance import discoveries

__all__ = ["errors", "example", "findings", "tested"]


def findings(causes: Sequence[Cause], found: Gathered, labels: Sequence[str]) -> list[dict[str, Any]]:
    """The causes with their numbers."""
    told = [_finding(cause, support, found, labels) for cause, support in zip(causes, found.support, strict=True)]
    names = ("association", "less_right")
    rates = iter(discoveries([finding[name]["p"] for name in names for finding in told]))
    for name in names:
        for finding in told:
            finding[name]["q"] = next(rates)
    return told


def _finding(cause: Cause, support: Support, found: Gathered, labels: Sequence[str]) -> dict[str, Any]:
    finding: dict[str, Any] = {
        **_named(cause.proof, labels),
        "general": cause.pattern.general,
        "rests": support.rests,
        "there": support.there,
        "trials": [_trial(trial, labels) for trial in cause.proof.trials],
    }
    return {
        **finding,
        **finding_figures(finding, found.table),
        **proven(counts_of(finding["trials"], finding["label"])),
        "q": cause.proof.q,
        "also": [_proof(proof, labels) for proof in cause.also],
        "parts": [_proof(proof, labels) for proof in cause.parts],
        "members": [_proof(proof, labels) for proof in cause.members],
        "examples": [example(seen, cause.pattern, labels) for seen in support.examples],
    }


def _named(proof: Proof, labels: Sequence[str]) -> dict[str, Any]:
    pattern = proof.pattern
    return {
        "pattern": str(pattern),
        "kind": pattern.kind,
        "first": list(pattern.first),
        "second": list(pattern.second),
        "label": labels[proof.label],
    }


def _proof(proof: Proof, labels: Sequence[str]) -> dict[str, Any]:
    return {**_named(proof, labels), **proven(proof.counts), "q": proof.q}


def _trial(trial: Trial, labels: Sequence[str]) -> dict[str, Any]:
    return {
        "number": trial.host.number,
        "before": labels[trial.host.label],
        "gold": None if trial.host.gold is None else labels[trial.host.gold],
        "host": list(trial.host.texts),
        "texts": list(trial.treated),
        "after": labels[trial.answer.label],
        "controls": [
            {"texts": list(texts), "after": labels[answer.label]}
            for texts, answer in zip(trial.controls, trial.answers, strict=True)
        ],
    }


def example(seen: Seen, pattern: Pattern | None, labels: Sequence[str]) -> dict[str, Any]:
    """A pair to be shown, with where the words of a pattern, and those the answer rests on, stand in its texts."""
    places = pattern.places(seen.sides) if pattern else (frozenset[int](), frozenset[int]())
    spans = [text.spans for text in seen.sides]
    return {
        "number": seen.number,
        **({} if seen.id is None else {"id": seen.id}),
        "first": seen.texts[0],
        "second": seen.texts[1],
        "label": labels[seen.label],
        "gold": None if seen.gold is None else labels[seen.gold],
        "probability": seen.probability,
        "marks": [[list(spans[side][i]) for i in sorted(places[side])] for side in (0, 1)],
        "rests": [[list(spans[side][i]) for i in sorted(seen.resting[side])] for side in (0, 1)],
    }


def errors(found: Gathered, causes: Sequence[Cause], labels: Sequence[str]) -> list[dict[str, Any]]:
    """The wrong answers by what they rest on: a finding, or what carries them; the most frequent first."""
    groups: dict[str, list[int]] = {}
    for number, group in found.blamed.items():
        groups.setdefault(group, []).append(number)
    rows = []
    for group, numbers in groups.items():
        place = int(group.removeprefix("finding ")) if group.startswith("finding") else None
        pattern = None if place is None else causes[place - 1].pattern
        rows.append(
            {
                "cause": _told(group, pattern),
                "finding": place,
                **error_figures(numbers, found.table),
                "numbers": numbers,
                "examples": [example(seen, pattern, labels) for *_, seen in sorted(found.wrong[group], reverse=True)],
            }
        )
    return sorted(rows, key=lambda row: (row["finding"] is None, -row["errors"], row["cause"]))


def _told(group: str, pattern: Pattern | None) -> str:
    if pattern is not None:
        return str(pattern)
    return "no finding; needs both texts" if group == "neither" else f"no finding; the {group} carries the answer"


def tested(proofs: Sequence[Proof], labels: Sequence[str]) -> list[dict[str, Any]]:
    """Everything that was tested, also what turned out to be no cause."""
    rows = [{**_proof(p, labels), "counts": p.counts, "enough": p.enough, "holds": p.holds} for p in proofs]
    return sorted(rows, key=lambda row: (row["p"], -row["turned"], row["pattern"], row["label"]))
