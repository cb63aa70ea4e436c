"""Every number of an audit, from what audit.json holds of its pairs and trials: so each can be computed again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gmask.audit.pattern import TOGETHER
from gmask.audit.significance import discoveries, higher, tail, wilson

__all__ = ["counts_of", "counts_of_pairs", "error_figures", "finding_figures", "one_sided", "proven", "recount"]

SIDES = ("first", "second")

Table = Mapping[str, Sequence[Any]]
Data = Mapping[str, Any]


def proven(counts: Data) -> dict[str, Any]:
    """How often something turned answers, and how often its control did: of several, the one that turned most."""
    hosts = counts["hosts"]
    chances = (tail(only, less) for only, less in zip(counts["only"], counts["less"], strict=True))
    return {
        "turned": round(counts["turned"] / hosts, 4) if hosts else 0.0,
        "interval": list(wilson(counts["turned"], hosts)),
        "control": round(max(counts["controls"], default=0) / hosts, 4) if hosts else 0.0,
        "hosts": hosts,
        "p": max(chances, default=1.0),
    }


def counts_of(trials: Sequence[Data], label: str) -> dict[str, Any]:
    """What the numbers of a finding are made of, from its trials."""
    turns = [trial["after"] == label for trial in trials]
    by_control = zip(*([c["after"] == label for c in trial["controls"]] for trial in trials), strict=True)
    controls = [list(own) for own in by_control]
    return {
        "hosts": len(turns),
        "turned": sum(turns),
        "controls": [sum(own) for own in controls],
        "only": [sum(a > b for a, b in zip(turns, own, strict=True)) for own in controls],
        "less": [sum(a < b for a, b in zip(turns, own, strict=True)) for own in controls],
    }


def finding_figures(finding: Data, table: Table) -> dict[str, Any]:
    """The numbers of a finding, from its trials and the pairs."""
    label, there, fresh = finding["label"], set(finding["there"]), set(table["fresh"])
    rows = list(zip(table["number"], table["label"], table["gold"], strict=True))
    own = set(finding["rests"])
    resting = [said == gold for number, said, gold in rows if number in own and gold is not None]
    others = [s == gold for number, s, gold in rows if s == label and number not in there and gold is not None]
    said = [
        [s == label for number, s, _ in rows if number in fresh and (number in there) == has] for has in (True, False)
    ]
    tried = Counter(trial["before"] for trial in finding["trials"])
    turned = Counter(trial["before"] for trial in finding["trials"] if trial["after"] == label)
    wrong, wrong_others = resting.count(False), others.count(False)
    return {
        "pairs": len(finding["rests"]),
        "accuracy": _share(resting),
        "others": _share(others),
        "alone": alone(finding),
        "turned_from": {name: {"hosts": tried[name], "turned": turned[name]} for name in sorted(tried)},
        "association": {
            "with": _share(said[0]),
            "without": _share(said[1]),
            "p": higher(sum(said[0]), len(said[0]), sum(said[1]), len(said[1])),
        },
        "less_right": {"p": higher(wrong, len(resting), wrong_others, len(others)) if resting and others else 1.0},
    }


def alone(finding: Data) -> list[dict[str, Any]]:
    """What each of two words that are put in together turned by itself, in the same pairs: those of its controls.

    The last is what two others turned in their place.
    """
    if finding["kind"] not in TOGETHER:
        return []
    hosts = len(finding["trials"])
    without_first, without_second, without_both = counts_of(finding["trials"], finding["label"])["controls"]
    one, other = [(side, word) for side in SIDES for word in finding[side]]
    return [
        {
            "word": word,
            "text": side,
            "turned": round(count / hosts, 4),
            "interval": list(wilson(count, hosts)),
        }
        for (side, word), count in ((one, without_second), (other, without_first), ((None, None), without_both))
    ]


def one_sided(table: Table, labels: Sequence[str]) -> list[dict[str, Any]]:
    """For each label and text: how many answers the text carries alone, and how often those are right."""
    rows = []
    for label in labels:
        places = [i for i, said in enumerate(table["label"]) if said == label]
        for side in SIDES:
            numbers = set(table[f"alone_{side}"])
            alone = [i for i in places if table["number"][i] in numbers]
            others = [i for i in places if table["number"][i] not in numbers]
            rows.append(
                {
                    "label": label,
                    "text": side,
                    "pairs": len(places),
                    "alone": len(alone),
                    "share": round(len(alone) / len(places), 4) if places else None,
                    "interval": list(wilson(len(alone), len(places))),
                    "survival": _mean(table[f"survival_{side}"][i] for i in places),
                    "anyway": _mean(table["anyway"][i] for i in places),
                    "accuracy": _right(table, alone),
                    "others": _right(table, others),
                }
            )
    return rows


def error_figures(numbers: Iterable[int], table: Table) -> dict[str, Any]:
    """How many errors a group has, what share of all that is, and what is taken for what."""
    own, rows = set(numbers), list(zip(table["number"], table["gold"], table["label"], strict=True))
    wrong = [(number, gold, said) for number, gold, said in rows if gold is not None and gold != said]
    confused = Counter((gold, said) for number, gold, said in wrong if number in own)
    return {
        "errors": confused.total(),
        "share": round(confused.total() / len(wrong), 4),
        "confusions": [
            {"gold": gold, "label": said, "errors": count}
            for (gold, said), count in sorted(confused.items(), key=lambda item: (-item[1], item[0]))
        ],
    }


def recount(data: Data) -> list[str]:
    """What in an audit is not what its pairs and trials say; nothing, if all is well."""
    table, findings = data["pairs"], data["findings"]
    rates = discoveries([row["p"] for row in data["tested"] if row["enough"]])
    wrong = [
        f"the number of {name}: {data['counts'][name]}, not {count}"
        for name, count in counts_of_pairs(table).items()
        if data["counts"][name] != count
    ]
    for row, q in zip((row for row in data["tested"] if row["enough"]), rates, strict=True):
        wrong += _differences(f"the test of {row['pattern']}", row, {**proven(row["counts"]), "q": q})
    with_label, less_right = (
        [finding_figures(f, table)[n]["p"] for f in findings] for n in ("association", "less_right")
    )
    several = discoveries([*with_label, *less_right])
    known = {(row["pattern"], row["label"]): row for row in data["tested"]}
    for i, finding in enumerate(findings):
        figures = {**finding_figures(finding, table), **proven(counts_of(finding["trials"], finding["label"]))}
        figures["association"]["q"], figures["less_right"]["q"] = several[i], several[len(findings) + i]
        wrong += _differences(f"finding {i + 1}", finding, figures)
        for told in (*finding["also"], *finding["parts"], *finding["members"]):
            wrong += _differences(f"finding {i + 1}, {told['pattern']}", told, known[told["pattern"], told["label"]])
    for row, again in zip(data["one_sided"], one_sided(table, data["labels"]), strict=True):
        wrong += _differences(f"one-sidedness of {row['label']}, {row['text']}", row, again)
    for row in data["errors"]:
        wrong += _differences(f"errors by {row['cause']}", row, error_figures(row["numbers"], table))
    return wrong


def counts_of_pairs(table: Table) -> dict[str, int]:
    """How many pairs there are, of how many the right answer is known, and how many answers are right."""
    known = [gold == said for gold, said in zip(table["gold"], table["label"], strict=True) if gold is not None]
    pairs = len(table["number"])
    return {"pairs": pairs, "labelled": len(known), "right": sum(known), "wrong": known.count(False)}


def _differences(place: str, there: Data, again: Data) -> list[str]:
    names = [name for name in again if name in there and name not in ("pattern", "label")]
    return [f"{place}: {name} is {there[name]}, not {again[name]}" for name in names if there[name] != again[name]]


def _right(table: Table, places: Sequence[int]) -> float | None:
    return _share([table["gold"][i] == table["label"][i] for i in places if table["gold"][i] is not None])


def _share(holds: Sequence[bool]) -> float | None:
    return round(sum(holds) / len(holds), 4) if holds else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 4) if known else None
