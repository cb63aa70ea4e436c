"""Does an audit name the shortcuts that a model took up? Models trained on planted ones, and rivals on the same.

A shortcut is named if one of the first five findings is for its label and has the words that it needs, each on its
side, and no words that are not planted with them; words that act alike may be told together. A word that goes with a
label by being absent may also be told as what its presence does. Rivals rank single words; they name a shortcut if all
words it needs are among their first five.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from gmask.audit.run import audit
from gmask.bench.misled import CLEAN, PLAN, SEEN_FILE, TRAIN, Trial, prepare, read_pairs, train
from gmask.bench.planting import KINDS, Words
from gmask.bench.rankings import competency, mean_importance
from gmask.bench.uptake import Turned, turning, uptake, usual
from gmask.dataset.corpora import resolve
from gmask.explainer import Explainer
from gmask.files import write_text
from gmask.model.base import PairModel
from gmask.model.zoo import load
from gmask.study.manifest import settle
from gmask.study.sample import draw

__all__ = ["FIRST", "RIVALS", "listed", "measure", "misses", "named", "table"]

FIRST = 5  # findings looked at
RIVALS = ("competency", "lime", "integrated-gradients")
SAMPLES = 128  # of LIME a pair
ASKED = 1_500  # clean pairs to ask about uptake; the others are for causes

Found = dict[str, Any]  # a finding as plain data: first, second, label, and how it fared on fresh pairs
Results = dict[str, Any]


def measure(trial: Trial, limit: int = 300, seed: int = 0, log: Callable[[str], None] = print) -> Results:
    """Plant, train, ask what was taken up, audit, and run the rivals. What is there from a former run is not redone.

    Args:
        trial: The model.
        limit: How many pairs to audit, and to explain for the rivals.
        seed: Of data and training.
        log: Told how far it is.
    """
    folder = trial.folder
    about = {"corpus": resolve(trial.source)[0].name, "plan": asdict(trial.plan), "seed": seed, "limit": limit}
    settle(folder / "run.json", about, folder / PLAN)
    prepare(trial, seed)
    train(trial, seed, log)
    model = load(folder / "model")
    results: Results = {"model": folder.name}
    stages: dict[str, Callable[[Trial, PairModel], list[Any]]] = {
        "uptake": _taken_up,
        "audit": partial(_audited, limit=limit),
        **{rival: partial(_ranked, rival=rival, limit=limit) for rival in RIVALS},
    }
    for name, stage in stages.items():
        kept = folder / f"{name}.json"
        if not kept.exists():
            log(f"{folder.name}: {name}")
            write_text(kept, json.dumps(stage(trial, model), indent=1) + "\n")
        results[name] = json.loads(kept.read_text(encoding="utf-8"))
    return results


def named(planted: Mapping[str, Any], findings: Sequence[Found]) -> bool:
    """Whether one of the findings names a planted shortcut."""
    needed, words = _placed(planted["needed"]), _placed(planted["words"])
    for finding in findings:
        own = _placed((finding["first"], finding["second"]))
        fits = own <= words or finding["kind"] == "alike"
        if needed <= own and fits and _of_label(planted, finding):
            return True
    return False


def listed(planted: Mapping[str, Any], findings: Sequence[Found]) -> bool:
    """Whether the findings, of a word each, name all words of a planted shortcut."""
    there = {w for f in findings if _of_label(planted, f) for w in _placed((f["first"], f["second"]))}
    return _placed(planted["needed"]) <= there


def table(results: Sequence[Results]) -> str:
    """Named shortcuts of those taken up, by kind, and findings that turn no answer on fresh pairs."""
    lines = [f"| named in the first {FIRST} | all | {' | '.join(KINDS)} | tried on fresh pairs | turn nothing |"]
    lines += ["|---|" + "---|" * (len(KINDS) + 3)]
    for name in ("audit", *RIVALS):
        judge = named if name == "audit" else listed
        taken = [(p["kind"], judge(p, r[name][:FIRST])) for r in results for p in r["uptake"] if p["taken"]]
        cells = [_share([hit for own, hit in taken if kind in (None, own)]) for kind in (None, *KINDS)]
        tested = [f["fresh"]["real"] for r in results for f in r[name] if f["fresh"]]
        lines.append(f"| {name} | {' | '.join(cells)} | {len(tested)} | {_share([not real for real in tested])} |")
    return "\n".join(lines)


def misses(result: Results) -> str:
    """One model in a line: what it took up, and what the audit did not name of it."""
    taken = [p for p in result["uptake"] if p["taken"]]
    missed = [f"{p['kind']} {p['words']} {p['label']}" for p in taken if not named(p, result["audit"][:FIRST])]
    told = f"took up {len(taken)} of {len(result['uptake'])} shortcuts"
    return f"{result['model']}: {told}; missed: {', '.join(missed) or 'none'}"


def _taken_up(trial: Trial, model: PairModel) -> list[dict[str, Any]]:
    examples = usual(read_pairs(trial, CLEAN)[:ASKED], trial.plan)
    found = [uptake(model, shortcut, trial.plan, examples) for shortcut in trial.plan.shortcuts]
    return [{**asdict(u.shortcut), "needed": u.needed, "taken": u.taken, "turned": asdict(u.turned)} for u in found]


def _audited(trial: Trial, model: PairModel, limit: int) -> list[Found]:
    result = audit(model, trial.folder / SEEN_FILE, limit=limit, output=trial.folder / "AUDIT")
    found = [(str(f.details["kind"]), (f.first, f.second), f.label) for f in result.findings]
    return _tried(trial, model, found)


def _ranked(trial: Trial, model: PairModel, rival: str, limit: int) -> list[Found]:
    if rival == "competency":
        ranked = competency(read_pairs(trial, TRAIN))
    else:
        method = f"lime:samples={SAMPLES}" if rival == "lime" else rival
        pairs = [(e.first, e.second) for e in draw(trial.folder / SEEN_FILE, limit=limit)[0]]  # those of the audit
        ranked = mean_importance(Explainer(model, method).iterate(pairs))
    sided: list[tuple[Words, str]] = [(((w,), ()) if side == 0 else ((), (w,)), label) for side, w, label in ranked]
    return _tried(trial, model, [("word", words, label) for words, label in sided])


def _tried(trial: Trial, model: PairModel, findings: Sequence[tuple[str, Words, str]]) -> list[Found]:
    """Findings, each with what it does in pairs that nobody has looked at."""
    fresh = read_pairs(trial, CLEAN)[ASKED:]
    tried = []
    for kind, words, label in findings:
        turned = turning(model, kind, words, label, trial.plan, fresh)
        tried.append({"kind": kind, "first": words[0], "second": words[1], "label": label, "fresh": _plain(turned)})
    return tried


def _plain(turned: Turned | None) -> dict[str, Any] | None:
    return None if turned is None else {**asdict(turned), "real": turned.real}


def _placed(words: Sequence[Sequence[str]]) -> set[tuple[int, str]]:
    return {(side, word.casefold()) for side, own in enumerate(words) for word in own}


def _of_label(planted: Mapping[str, Any], finding: Found) -> bool:
    """A word whose absence goes with a label speaks, where it is, for any other."""
    opposite = planted["kind"] == "absent" and finding["kind"] != "absent"
    return bool((planted["label"] == finding["label"]) != opposite)


def _share(hits: Sequence[bool]) -> str:
    return f"{sum(hits)} of {len(hits)} ({sum(hits) / len(hits):.0%})" if hits else "none"
