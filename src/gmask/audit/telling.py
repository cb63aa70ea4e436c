"""An audit as plain data: what audit.json holds, and all other views are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from gmask.audit.causes import Cause
from gmask.audit.gather import Gathered, Support
from gmask.audit.pattern import Pattern
from gmask.audit.proof import Proof, Trial
from gmask.audit.seen import Seen
from gmask.audit.significance import discoveries, higher, wilson

__all__ = ["FORMAT", "errors", "example", "findings", "one_sided", "pairs_table", "tested"]

FORMAT = 1
SIDES = ("first", "second")


def findings(causes: Sequence[Cause], found: Gathered, labels: Sequence[str]) -> list[dict[str, Any]]:
    """The causes with their numbers."""
    right = {number: None if gold is None else label == gold for number, label, gold, *_ in found.table}
    with_label = [higher(s.fresh[0], s.fresh[1], s.fresh[2], s.fresh[3]) for s in found.support]
    less_right = [_less_right(s, right) for s in found.support]
    rates = discoveries([*with_label, *less_right])
    return [
        {
            **_finding(cause, support, labels, right),
            "association": _association(support, with_label[i], rates[i]),
            "less_right": {"p": less_right[i], "q": rates[len(causes) + i]},
        }
        for i, (cause, support) in enumerate(zip(causes, found.support, strict=True))
    ]


def _finding(cause: Cause, support: Support, labels: Sequence[str], right: dict[int, bool | None]) -> dict[str, Any]:
    known = [right[number] for number in support.rests if right[number] is not None]
    proof = cause.proof
    return {
        "pattern": str(cause.pattern),
        "kind": cause.pattern.kind,
        "first": list(cause.pattern.first),
        "second": list(cause.pattern.second),
        "label": labels[cause.label],
        "pairs": len(support.rests),
        "there": support.there,
        "accuracy": round(sum(map(bool, known)) / len(known), 4) if known else None,
        "others": round(support.others[0] / support.others[1], 4) if support.others[1] else None,
        **_proven(proof),
        "turned_from": _by_label(proof, labels),
        "also": [{"label": labels[p.label], **_proven(p)} for p in cause.also],
        "parts": [{"pattern": str(p.pattern), **_proven(p)} for p in cause.parts],
        "members": [{"word": next(iter(p.pattern.named)), **_proven(p)} for p in cause.members],
        "rests": support.rests,
        "examples": [example(seen, cause.pattern, labels) for seen in support.examples],
        "trials": [_trial(trial, labels) for trial in proof.trials],
    }


def _proven(proof: Proof) -> dict[str, Any]:
    by_control = [round(sum(own) / len(own), 4) for own in proof.by_control if own]
    hits, count = sum(proof.turns), len(proof.trials)
    return {
        "turned": round(proof.turned, 4),
        "interval": wilson(hits, count),
        "control": round(proof.control, 4),
        "controls": by_control,
        "hosts": count,
        "p": proof.p,
        "q": proof.q,
    }


def _by_label(proof: Proof, labels: Sequence[str]) -> dict[str, dict[str, int]]:
    tried = Counter(labels[trial.host.label] for trial in proof.trials)
    turned = Counter(labels[trial.host.label] for trial, turn in zip(proof.trials, proof.turns, strict=True) if turn)
    return {label: {"hosts": tried[label], "turned": turned[label]} for label in labels if tried[label]}


def _trial(trial: Trial, labels: Sequence[str]) -> dict[str, Any]:
    return {
        "number": trial.host.number,
        "before": labels[trial.host.label],
        "gold": None if trial.host.gold is None else labels[trial.host.gold],
        "texts": list(trial.treated),
        "after": labels[trial.answer.label],
        "controls": [
            {"texts": list(texts), "after": labels[answer.label]}
            for texts, answer in zip(trial.controls, trial.answers, strict=True)
        ],
    }


def _association(support: Support, p: float, q: float) -> dict[str, Any]:
    with_it, there, without, not_there = support.fresh
    return {
        "with": round(with_it / there, 4) if there else None,
        "without": round(without / not_there, 4) if not_there else None,
        "counts": support.fresh,
        "p": p,
        "q": q,
    }


def _less_right(support: Support, right: dict[int, bool | None]) -> float:
    known = [right[number] for number in support.rests if right[number] is not None]
    wrong, others_wrong = sum(not r for r in known), support.others[1] - support.others[0]
    return higher(wrong, len(known), others_wrong, support.others[1]) if known and support.others[1] else 1.0


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


def one_sided(found: Gathered, labels: Sequence[str]) -> list[dict[str, Any]]:
    """For each label and text: how many answers the text carries alone, and how often those are right."""
    rows = []
    for label, name in enumerate(labels):
        own = [row for row in found.table if row[1] == label]
        asked = found.survival[label, "pairs"]
        for side, text in enumerate(SIDES):
            alone = [row[3 + side] for row in own]
            rows.append(
                {
                    "label": name,
                    "text": text,
                    "pairs": len(own),
                    "alone": sum(alone),
                    "share": round(sum(alone) / len(own), 4) if own else None,
                    "interval": wilson(sum(alone), len(own)),
                    "survival": round(found.survival[label, text] / asked, 4) if asked else None,
                    "anyway": round(found.survival[label, "anyway"] / asked, 4) if asked else None,
                    "accuracy": _accuracy(row for row, is_alone in zip(own, alone, strict=True) if is_alone),
                    "others": _accuracy(row for row, is_alone in zip(own, alone, strict=True) if not is_alone),
                }
            )
    return rows


def _accuracy(rows: Iterable[tuple[int, int, int | None, bool, bool]]) -> float | None:
    known = [label == gold for _, label, gold, *_ in rows if gold is not None]
    return round(sum(known) / len(known), 4) if known else None


def errors(found: Gathered, causes: Sequence[Cause], labels: Sequence[str]) -> list[dict[str, Any]]:
    """The wrong answers by what they rest on, the most frequent first."""
    groups: dict[str, list[int]] = {}
    for number, group in found.blamed.items():
        groups.setdefault(group, []).append(number)
    by_number = {number: (label, gold) for number, label, gold, *_ in found.table}
    total = len(found.blamed)
    rows = []
    for group, numbers in groups.items():
        place = int(group.removeprefix("finding ")) - 1 if group.startswith("finding") else None
        pattern = None if place is None else causes[place].pattern
        confused = Counter(
            (labels[gold], labels[label]) for label, gold in (by_number[n] for n in numbers) if gold is not None
        )
        rows.append(
            {
                "cause": _told(group, pattern),
                "finding": None if place is None else place + 1,
                "errors": len(numbers),
                "share": round(len(numbers) / total, 4),
                "confusions": [
                    {"gold": gold, "label": label, "errors": count}
                    for (gold, label), count in sorted(confused.items(), key=lambda item: (-item[1], item[0]))
                ],
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
    rows = [
        {
            "pattern": str(p.pattern),
            "kind": p.pattern.kind,
            "first": list(p.pattern.first),
            "second": list(p.pattern.second),
            "label": labels[p.label],
            **_proven(p),
            "enough": p.enough,
            "holds": p.holds,
        }
        for p in proofs
    ]
    return sorted(rows, key=lambda row: (row["p"], -row["turned"], row["pattern"], row["label"]))


def pairs_table(found: Gathered, labels: Sequence[str]) -> dict[str, list[Any]]:
    """Of each pair its number, what was said and what is right; and the numbers of those a text carries alone."""
    return {
        "number": [row[0] for row in found.table],
        "label": [labels[row[1]] for row in found.table],
        "gold": [None if row[2] is None else labels[row[2]] for row in found.table],
        "alone_first": [row[0] for row in found.table if row[3]],
        "alone_second": [row[0] for row in found.table if row[4]],
    }
