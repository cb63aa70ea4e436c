"""The page of an audit: findings as cards, one-sidedness, errors by cause, what was tested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import Any

from gmask.view.colours import DARK, LIGHT
from gmask.view.parts import visible

__all__ = ["audit_script", "audit_style", "markup", "to_page"]

SHOWN = 3  # examples on a card before it is opened
SIDES = ("first", "second")

Data = Mapping[str, Any]


def to_page(data: Data) -> str:
    """A page that needs nothing from anywhere."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'\">\n"
        f"<title>Audit of {escape(visible(data['model']['name']))} · gmask</title>\n<style>{audit_style()}</style>\n"
        f"</head>\n<body>\n{markup(data)}\n<script>{audit_script()}</script>\n</body>\n</html>\n"
    )


@lru_cache(maxsize=1)
def audit_style() -> str:
    """The style of an audit."""
    sheet = (files("gmask.view") / "audit.css").read_text(encoding="utf-8")
    light, dark = (" ".join(f"--{name}: {colour};" for name, colour in asdict(p).items()) for p in (LIGHT, DARK))
    return f".audit {{ {light} }}\n@media (prefers-color-scheme: dark) {{ .audit {{ {dark} }} }}\n{sheet}"


@lru_cache(maxsize=1)
def audit_script() -> str:
    """The script of the filters; without it everything is there."""
    return (files("gmask.view") / "audit.js").read_text(encoding="utf-8")


def markup(data: Data, asks: str = "") -> str:
    """The audit itself, for a page that has the style and the script.

    Args:
        data: As in audit.json.
        asks: An address that explains a pair by the audited model; its texts are added to it. Default: there is none.
    """
    parts = [_head(data), _notes(data["notes"]), _findings(data), _sides(data), _errors(data)]
    parts += [_changes(data), _next(data), _tested(data)]
    return f'<main class="audit" data-asks="{escape(asks)}">\n' + "\n".join(filter(None, parts)) + "\n</main>"


def _head(data: Data) -> str:
    counts, about = data["counts"], data["data"]
    split = f", {about['split']}" if about.get("split") else ""
    told = f"{counts['pairs']:,} pairs of {visible(str(about['name']))}{split}"
    if counts["labelled"]:
        told += (
            f"; {counts['right']:,} of {counts['labelled']:,} right ({_percent(counts['right'], counts['labelled'])})"
        )
    return (
        f"<header><h1>Audit of {_text(data['model']['name'])}</h1><p>{escape(told)}</p>"
        "<p class=soft>A finding is a pattern that causes answers: it was brought about in other pairs, whose answers "
        "then turned more often than when words of equal frequency were put in, taken out or exchanged instead. Found "
        f"on one half of the pairs, tested on the other; false discovery rate 5&nbsp;%.</p></header>"
    )


def _notes(notes: Sequence[str]) -> str:
    return f"<ul class=notes>{''.join(f'<li>{_text(note)}</li>' for note in notes)}</ul>" if notes else ""


def _findings(data: Data) -> str:
    cards = "\n".join(_card(i, finding, data) for i, finding in enumerate(data["findings"], start=1))
    if not cards:
        none = "No suspected pattern turned answers more often than its control."
        return f"<section><h2>Findings</h2><p>{none}</p></section>"
    labels = "".join(f"<option>{_text(label)}</option>" for label in data["labels"])
    return (
        "<section><h2>Findings</h2><form class=filters hidden>"
        "<label>Words <input name=words type=search></label>"
        f"<label>Label <select name=label><option value=''>any</option>{labels}</select></label>"
        "<label>Kind <select name=kind><option value=''>any</option><option value=words>with words of its own</option>"
        "<option value=general>general</option></select></label>"
        "<label><input name=wrong type=checkbox> less often right than other answers</label>"
        f"<output></output></form><ol class=cards>{cards}</ol></section>"
    )


def _card(number: int, f: Data, data: Data) -> str:
    worse = f["accuracy"] is not None and f["others"] is not None and f["accuracy"] < f["others"]
    words = " ".join([f["pattern"], *f["first"], *f["second"]]).lower()
    low, high = f["interval"]
    turned = (
        f'<div class=proof><span class=bar style="--v:{f["turned"]};--low:{low};--high:{high}"></span>'
        f"<b>{_share(f['turned'])}</b></div><p class=soft>of {f['hosts']} answers turned into {_text(f['label'])} "
        f"(95&nbsp;%: {_share(low)} to {_share(high)})</p>"
        f'<div class=proof><span class="bar control" style="--v:{f["control"]}"></span>'
        f"<b>{_share(f['control'])}</b></div>"
        f"<p class=soft>by {'its best control' if f['alone'] else 'the control'}; q&nbsp;=&nbsp;{_small(f['q'])}</p>"
    )
    from_labels = "; ".join(
        f"{own['turned']} of {own['hosts']} {_text(label)}" for label, own in f["turned_from"].items()
    )
    right = ""
    if f["accuracy"] is not None:
        others = "" if f["others"] is None else f"; {_share(f['others'])} of the {_text(f['label'])} answers without it"
        right = f", <b{' class=worse' if worse else ''}>{_share(f['accuracy'])}</b> of them right{others}"
    more = "".join(
        f"<p class=soft>{told}</p>" for told in (*_members(f), *_also(f), *_against(f, data), f"Turned: {from_labels}.")
    )
    examples = [_pair(e) for e in f["examples"]]
    rest = f"<details><summary>{len(examples) - SHOWN} more pairs</summary>{''.join(examples[SHOWN:])}</details>"
    trials = [_trial(t) for t in f["trials"] if t["after"] == f["label"]][:10]
    return (
        f'<li class=card data-label="{escape(f["label"])}" data-kind="{"general" if f["general"] else "words"}" '
        f'data-worse="{int(worse)}" data-words="{escape(words)}"><h3><span class=rank>{number}</span> '
        f"{_pattern(f)} <span class=arrow>→</span> <span class=label>{_text(f['label'])}</span></h3>"
        f"<div class=numbers><div>{turned}</div>"
        f"<div><p><b>{f['pairs']}</b> answers rest on it{right}.</p>{more}</div></div>"
        f"{''.join(examples[:SHOWN])}{rest if len(examples) > SHOWN else ''}"
        f"<details><summary>Answers that turned</summary>{''.join(trials)}</details></li>"
    )


def _pattern(f: Data) -> str:
    if not (f["first"] or f["second"]) or f["kind"] == "negation":
        return _text(f["pattern"])
    joined = " or " if f["kind"] == "alike" else " and "
    sides = [
        joined.join(f"<span class='chip {side}'>{_text(word)}</span>" for word in f[side])
        + f" <small>{'at the start of' if f['kind'] == 'opening' else 'in'} the {side} text</small>"
        for side in SIDES
        if f[side]
    ]
    return ("no " if f["kind"] == "absent" else "") + ", ".join(sides)


def _members(f: Data) -> Iterable[str]:
    if f["members"]:
        told = ", ".join(f"{_text(' '.join([*m['first'], *m['second']]))} {_share(m['turned'])}" for m in f["members"])
        yield f"They act alike, or are forms of one word; each by itself turned: {told}."
    for part in f["alone"]:
        low, high = part["interval"]
        alone = f"“{_text(part['word'])}” alone, in the {part['text']} text," if part["word"] else "Neither of them"
        yield f"{alone} turned {_share(part['turned'])} of the same answers ({_share(low)} to {_share(high)})."
    for part in () if f["alone"] else f["parts"]:
        yield f"{_text(part['pattern'])} by itself turned {_share(part['turned'])}."


def _also(f: Data) -> Iterable[str]:
    for also in f["also"]:
        told = f"{_share(also['turned'])} into {_text(also['label'])} (control {_share(also['control'])})"
        yield f"It also turned {told}."


def _against(f: Data, data: Data) -> Iterable[str]:
    if "against" in f:
        old = f["against"]
        yield (
            f"In {_text(data['against'])} it turned {_share(old['turned'])} of {old['hosts']} "
            f"(control {_share(old['control'])})."
        )


def _pair(e: Data, told: str = "") -> str:
    wrong = e["gold"] is not None and e["gold"] != e["label"]
    kind, sign = ("no", "✗") if wrong else ("yes", "✓")
    gold = "" if e["gold"] is None else f" <span class='gold {kind}'>{sign} {_text(e['gold'])}</span>"
    texts = "".join(
        f"<p class={side}>{_marked(e[side], e['marks'][i], e['rests'][i])}</p>" for i, side in enumerate(SIDES)
    )
    return f"<div class=pair>{texts}<p class=said>says <b>{_text(e['label'])}</b>{gold}{told}</p></div>"


def _trial(t: Data) -> str:
    texts = "".join(f"<p class={side}>{_text(text)}</p>" for side, text in zip(SIDES, t["texts"], strict=True))
    return f"<div class=pair>{texts}<p class=said>was {_text(t['before'])}, became <b>{_text(t['after'])}</b></p></div>"


def _marked(text: str, marks: Sequence[Sequence[int]], rests: Sequence[Sequence[int]]) -> str:
    """A text with the words of the pattern marked, and those the answer rests on underlined."""
    own, others = {tuple(span) for span in marks}, {tuple(span) for span in rests}
    parts, at = [], 0
    for start, end in sorted(own | others):
        kind = "mark" if (start, end) in own else "u"
        parts += [_text(text[at:start]), f"<{kind}>{_text(text[start:end])}</{kind}>"]
        at = end
    return "".join([*parts, _text(text[at:])])


def _sides(data: Data) -> str:
    rows = [row for row in data["one_sided"] if row["pairs"]]
    body = "".join(
        f"<tr><th scope=row>{_text(r['label'])}</th><td>{r['text']}</td><td>{r['alone']} of {r['pairs']}</td>"
        f'<td><span class=bar style="--v:{r["share"]};--low:{r["interval"][0]};--high:{r["interval"][1]}"></span>'
        f"{_share(r['share'])}</td><td>{_maybe(r['survival'])}</td><td>{_maybe(r['anyway'])}</td>"
        f"<td>{_maybe(r['accuracy'])}</td><td>{_maybe(r['others'])}</td></tr>"
        for r in rows
    )
    heads = (
        "label",
        "text",
        "carries the answer alone",
        "share",
        "survival",
        "anyway",
        "right, alone",
        "right, others",
    )
    head = "".join(f"<th scope=col>{name}</th>" for name in heads)
    return (
        "<section><h2>One-sidedness</h2><p class=soft>A text carries an answer alone if the answer survives every "
        "exchange of the other text for an unrelated one, and unrelated texts do not get it anyway. Survival: the "
        "share of exchanges that keep the answer; anyway: the share of wholly unrelated pairs that get it.</p>"
        f"<div class=scroll><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div></section>"
    )


def _errors(data: Data) -> str:
    if not data["errors"]:
        return ""
    rows = "".join(_group(row) for row in data["errors"])
    return (
        f"<section><h2>Errors by cause</h2><p class=soft>{data['counts']['wrong']:,} wrong answers, each with the "
        f"first finding it rests on.</p><ul class=groups>{rows}</ul></section>"
    )


def _group(row: Data) -> str:
    place = "" if row["finding"] is None else f"<span class=rank>{row['finding']}</span> "
    confused = "; ".join(
        f"{c['errors']} × {_text(c['gold'])} called {_text(c['label'])}" for c in row["confusions"][:3]
    )
    pairs = "".join(_pair(e) for e in row["examples"])
    return (
        f"<li><details><summary>{place}{_text(row['cause'])}<b>{row['errors']}</b>"
        f'<span class=bar style="--v:{row["share"]}"></span></summary><p class=soft>{confused}</p>{pairs}'
        "</details></li>"
    )


def _changes(data: Data) -> str:
    if "changes" not in data:
        return ""
    rows = "".join(
        _pair(
            e,
            f"; {_text(data['against'])} said <b>{_text(e['before'])}</b>"
            + (f" ({_text(e['became'])} now)" if e["became"] else "")
            + f"; rested on: {_text(' | '.join(e['words_before']))}, now: {_text(' | '.join(e['words']))}"
            + (f"; finding {e['finding']}" if e["finding"] else ""),
        )
        for e in data["changes"]
    )
    became = [e["became"] for e in data["changes"]]
    told = ", ".join(f"{became.count(kind)} {kind}" for kind in ("right", "wrong", "still wrong") if kind in became)
    return (
        f"<section><h2>Against {_text(data['against'])}</h2><p>{len(data['changes'])} answers changed"
        f"{f': now {told}' if told else ''}.</p><details><summary>The pairs</summary>{rows}</details></section>"
    )


def _next(data: Data) -> str:
    if not data["findings"]:
        return ""
    return (
        "<section><h2>What to do</h2><p>Look at the wrong answers of the first findings, and say which findings are "
        "shortcuts. <code>counterexamples.tsv</code> has pairs that these lead the model astray in, ready to be "
        "added to a training or a test set; where the label column is empty, somebody has to fill it in. "
        "<code>gmask check</code> tests the next version against <code>shortcuts.tsv</code> and "
        "<code>required.tsv</code>: delete the lines that need not be tested.</p></section>"
    )


def _tested(data: Data) -> str:
    rows = "".join(
        f"<tr><th scope=row>{_text(r['pattern'])}</th><td>{_text(r['label'])}</td><td>{r['hosts']}</td>"
        f"<td>{_share(r['turned'])}</td><td>{_share(r['control'])}</td>"
        f"<td>{_small(r['q']) if r['enough'] else 'too few'}</td>"
        f"<td>{'cause' if r['holds'] else ''}</td></tr>"
        for r in data["tested"]
    )
    heads = ("pattern", "label", "pairs", "turned", "control", "q", "")
    head = "".join(f"<th scope=col>{name}</th>" for name in heads)
    return (
        f"<section><details><summary>All {len(data['tested'])} patterns that were suspected</summary><div class=scroll>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></details></section>"
    )


def _text(text: str) -> str:
    return escape(visible(str(text)))


def _share(value: float) -> str:
    return f"{100 * value:.0f}&nbsp;%"


def _maybe(value: float | None) -> str:
    return "–" if value is None else _share(value)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"


def _small(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"
