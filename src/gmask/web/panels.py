"""What the page shows of an explanation: why, what if, and a card among others."""

from __future__ import annotations

from typing import Any

from gmask.explanation import Explanation
from gmask.ranking import Ranking
from gmask.target import DIRECTIONS
from gmask.view.html import markup, sentences
from gmask.view.parts import is_long, measure, named, number, reasons, runs, shades, supporting, visible
from gmask.view.ranking import markup_of
from gmask.web.assets import render
from gmask.web.curve import curve

__all__ = ["answer", "card", "order"]

LOW = DIRECTIONS[0]
TOP = 4  # words of a method without groups
CLASSES = 6  # of many classes, only the likeliest are shown


def answer(e: Explanation) -> dict[str, Any]:
    """The panels of an explanation, as HTML, and what the page must know of it."""
    said = e.target if e.score is None else None
    others = [label for label in e.labels if label not in (e.target, e.against)] if said else []
    return {
        "why": render("why.html", body=markup(e), curve=curve(e), measure=measure(e), e=e, others=others),
        "whatif": render(
            "whatif.html",
            sentences=[_switches(e, 0), _switches(e, 1)],
            long=[is_long(e, 0), is_long(e, 1)],
            classes=_classes(e),
            presets=_presets(e),
            raw=e.score is not None,
            stand_ins=bool(e.reference.firsts),
        ),
        "labels": list(e.labels) if e.score is None else [],
        "reference": e.reference.kind,
    }


def card(e: Explanation) -> dict[str, Any]:
    """An explanation among others: a card, and its row of the table."""
    kept, removed = (sum(values) / len(values) for values in (e.evidence.kept, e.evidence.removed))
    seen = {
        "method": e.method,
        "sentences": sentences(e, short=True),
        "hint": "Point at a word, or tab to it, to see its numbers.",
        "curve": curve(e),
        "top": named(e, supporting(e)[:TOP]),
        "cost": _cost(e),
        "kept": number(kept),
        "removed": number(removed),
        "gap": number(removed - kept if e.score is not None and e.target == LOW else kept - removed),
    }
    return {"card": render("card.html", **seen), "row": render("row.html", **seen)}


def order(r: Ranking) -> dict[str, Any]:
    """A ranking, and the explanation that was asked for, as HTML."""
    return {
        "ranking": markup_of(r),
        "order": r.order,
        "names": [visible(passage.name) for passage in r.passages],
        "why": "".join(markup(e) for e in r.explanations.values()),
    }


def _cost(e: Explanation) -> dict[str, str]:
    gradient = e.details.get("gradient_rows", 0)
    rows = f"{e.rows:,}" + (f" + {gradient:,} gradient" if gradient else "")
    return {"rows": rows, "seconds": f"{e.seconds:.2f} s"}


def _switches(e: Explanation, sentence: int) -> list[dict[str, Any]]:
    """A sentence cut at its words; each word with its place and its shade."""
    shade = shades(e)
    return [
        {"text": visible(run.text), "word": run.word, "shade": 0.0 if run.word is None else shade[run.word]}
        for run in runs(e, sentence)
    ]


def _classes(e: Explanation) -> list[dict[str, Any]]:
    """The classes, likeliest first, each with its place among the model's outputs; of a raw score, the score."""
    if e.score is not None:
        return [{"index": 0, "label": "score", "value": e.score}]
    ranked = sorted(range(len(e.labels)), key=lambda i: -e.probabilities[i])
    shown = [i for place, i in enumerate(ranked) if place < CLASSES or e.labels[i] in (e.target, e.against)]
    return [{"index": i, "label": visible(e.labels[i]), "value": e.probabilities[i]} for i in shown]


def _presets(e: Explanation) -> list[dict[str, Any]]:
    """Sets of words to switch off at once: each reason, and all but it; without reasons, the strongest words."""
    sets = {f"reason {r.rank}": {i for side in r.words for i in side} for r in reasons(e)}
    if not sets and (top := supporting(e)[:TOP]):
        sets = {f"the top {len(top)} words" if len(top) > 1 else "the top word": set(top)}
    every = set(range(len(e.words)))
    found = []
    for name, words in sets.items():
        found.append({"name": f"Without {name}", "off": sorted(words)})
        found.append({"name": f"Only {name}", "off": sorted(every - words)})
    return found
