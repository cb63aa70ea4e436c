"""`gmask check`: the findings and the reasons of an audit as tests of another version of the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from gmask.audit.asking import Answer, Answering, Asker, classifier
from gmask.audit.proof import ENOUGH, MATTERS
from gmask.audit.result import Audit
from gmask.audit.significance import RATE, discoveries, more_often
from gmask.errors import GmaskError
from gmask.files import write_text
from gmask.model import load
from gmask.study import engine as engines
from gmask.study.saying import label_of

__all__ = ["REQUIRED", "SHORTCUTS", "Case", "Checked", "Retest", "check", "retest", "settings_files"]

SHORTCUTS, REQUIRED = "shortcuts.tsv", "required.tsv"  # a test a line: what need not be tested, people delete

Pair = tuple[str, str]


@dataclass(frozen=True)
class Case:
    """A test and how it went; `passed` is None where there were too few pairs to test anything."""

    kind: str
    number: int
    name: str
    passed: bool | None
    message: str


@dataclass(frozen=True)
class Retest:
    """A finding brought about again, in the pairs that the model still gets right without it."""

    hosts: int
    turned: float
    control: float
    p: float

    @property
    def enough(self) -> bool:
        """Whether there are pairs enough to say anything."""
        return self.hosts >= ENOUGH


class Checked:
    """What became of the shortcuts and of the reasons of an audit in another version of the model."""

    def __init__(self, name: str, cases: Sequence[Case]) -> None:
        self.name, self.cases = name, list(cases)

    @property
    def failed(self) -> list[Case]:
        """The tests that failed."""
        return [case for case in self.cases if case.passed is False]

    def to_junit(self) -> str:
        """The tests in the format that servers of continuous integration read."""
        skipped = sum(case.passed is None for case in self.cases)
        counts = {"tests": len(self.cases), "failures": len(self.failed), "errors": 0, "skipped": skipped}
        told = {name: str(count) for name, count in counts.items()}
        suite = ET.Element("testsuite", {"name": "gmask check", **told})
        for case in self.cases:
            element = ET.SubElement(suite, "testcase", classname=f"gmask.{case.kind}", name=_printable(case.name))
            if case.passed is not True:
                tag = "skipped" if case.passed is None else "failure"
                ET.SubElement(element, tag, message=_printable(case.message))
        whole = ET.Element("testsuites")
        whole.append(suite)
        ET.indent(whole)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(whole, encoding="unicode") + "\n"

    def __str__(self) -> str:
        words = {True: "passed", False: "FAILED", None: "skipped"}
        lines = [f"{words[c.passed]}: {c.kind} {c.number}, {c.name}: {c.message}" for c in self.cases if not c.passed]
        passed = sum(case.passed is True for case in self.cases)
        return "\n".join([*lines, f"{self.name}: {passed} of {len(self.cases)} passed, {len(self.failed)} failed"])


def check(
    audit: Audit | Path | str,
    model: Any,
    *,
    junit: Path | str | None = None,
    engine: str = "local",
    address: str | None = None,
    workers: int | None = None,
    threads: int | None = None,
) -> Checked:
    """Test another version of a model: no shortcut of the audit may turn its answers, no required reason may be lost.

    Which findings are shortcuts, and which reasons are required, people decide: those whose lines are left in
    `shortcuts.tsv` and `required.tsv` of the audit's folder. The first begins with the findings that name words, the
    second with all reasons that were tested.

    Args:
        audit: What `gmask.audit` returned, or the folder it wrote.
        model: What `gmask.load` returns, or anything it takes.
        junit: A file to write the result to as JUnit does.
        engine: `local` or `ray`.
        address: Of a Ray cluster.
        workers: How many Ray workers.
        threads: Processor threads of a worker.
    """
    found = audit if isinstance(audit, Audit) else Audit.read(audit)
    folder = None if isinstance(audit, Audit) else Path(audit)
    names, texts = found.data["labels"], settings_files(found.data)
    tried = [t["host"] for f in found.data["findings"] for t in f["trials"]] + [
        r["texts"] for r in found.data["reasons"]
    ]
    loaded = load(model)
    if tried:
        classifier(loaded, (tried[0][0], tried[0][1]))
    positions = [loaded.labels.index(label_of(loaded, name)) for name in names]
    own = dict(zip(positions, names, strict=True))
    worker = engines.create(engine, address=address, workers=workers, threads=threads)
    ask = Asker(worker, Answering(model if worker.remote else loaded, loaded.hash), None)
    shortcuts = _wanted(folder, SHORTCUTS, texts, len(found.data["findings"]))
    required = _wanted(folder, REQUIRED, texts, len(found.data["reasons"]))
    tests = [(n, found.data["findings"][n - 1]) for n in shortcuts]
    cases = [
        *_shortcuts(tests, retest([finding for _, finding in tests], ask, own)),
        *_reasons([(n, found.data["reasons"][n - 1]) for n in required], ask, own),
    ]
    checked = Checked(loaded.name, cases)
    if junit is not None:
        write_text(junit, checked.to_junit())
    return checked


def retest(findings: Sequence[Mapping[str, Any]], ask: Asker, labels: Mapping[int, str]) -> list[Retest]:
    """Ask about the trials of findings again; a pair counts where the answer without the pattern is right as it was."""
    pairs = [
        pair
        for finding in findings
        for trial in finding["trials"]
        for pair in (trial["host"], trial["texts"], *(control["texts"] for control in trial["controls"]))
    ]
    given = [(str(first), str(second)) for first, second in pairs]
    answers = dict(zip(given, ask(given), strict=True))

    def says(pair: Sequence[str]) -> str | None:
        answer: Answer | None = answers[pair[0], pair[1]]
        return None if answer is None else labels.get(answer.label)

    return [_retest(finding, says) for finding in findings]


def _retest(finding: Mapping[str, Any], says: Any) -> Retest:
    label, turns, controls = finding["label"], list[bool](), list[list[bool]]()
    for trial in finding["trials"]:
        before = says(trial["host"])
        if before in (None, label) or trial["gold"] not in (None, before):
            continue
        turns.append(says(trial["texts"]) == label)
        controls.append([says(control["texts"]) == label for control in trial["controls"]])
    by_control = [list(own) for own in zip(*controls, strict=True)]
    count = len(turns)
    return Retest(
        hosts=count,
        turned=round(sum(turns) / count, 4) if count else 0.0,
        control=max((round(sum(own) / count, 4) for own in by_control), default=0.0),
        p=max((more_often(turns, own) for own in by_control), default=1.0),
    )


def _shortcuts(tests: Sequence[tuple[int, Mapping[str, Any]]], retests: Sequence[Retest]) -> Iterable[Case]:
    enough = [again.p for again in retests if again.enough]
    rates = iter(discoveries(enough))
    for (number, finding), again in zip(tests, retests, strict=True):
        told = (
            f"turned {again.turned:.0%} of {again.hosts} answers into {finding['label']} (control {again.control:.0%})"
        )
        told += f"; in the audit {finding['turned']:.0%} (control {finding['control']:.0%})"
        if not again.enough:
            yield Case("shortcut", number, finding["pattern"], None, f"too few pairs are answered right: {told}")
            continue
        there = next(rates) <= RATE and again.turned - again.control >= MATTERS
        yield Case("shortcut", number, finding["pattern"], not there, told)


def _reasons(tests: Sequence[tuple[int, Mapping[str, Any]]], ask: Asker, labels: Mapping[int, str]) -> Iterable[Case]:
    pairs = [(str(r[name][0]), str(r[name][1])) for _, r in tests for name in ("texts", "without")]
    answers = iter(ask(pairs))
    for number, reason in tests:
        whole, without = (None if (a := next(answers)) is None else labels.get(a.label) for _ in range(2))
        words = " | ".join(" ".join(reason[side]) for side in ("first", "second"))
        told = f"says {whole}" if whole != reason["label"] else f"with other words in their place it is still {without}"
        kept = whole == reason["label"] and without != reason["label"]
        message = f"{told}: {reason['texts'][0]!r:.80} / {reason['texts'][1]!r:.80}"
        yield Case("reason", number, f"pair {reason['number']}, {reason['label']}: {words}", kept, message)


def settings_files(data: Mapping[str, Any]) -> dict[str, str]:
    """The two files in which people say what `check` tests, as they begin: with all findings that name words."""
    shortcuts = [
        f"{i}\t{f['label']}\t{f['pattern']}" for i, f in enumerate(data["findings"], start=1) if not f["general"]
    ]
    required = [
        f"{i}\t{r['label']}\t{' '.join(r['first'])} | {' '.join(r['second'])}"
        for i, r in enumerate(data["reasons"], start=1)
    ]
    return {
        SHORTCUTS: "\n".join(["finding\tlabel\tpattern", *shortcuts]) + "\n",
        REQUIRED: "\n".join(["reason\tlabel\twords", *required]) + "\n",
    }


def _wanted(folder: Path | None, name: str, texts: Mapping[str, str], count: int) -> list[int]:
    """The numbers in a file of the folder; those it began with, if it is not there."""
    file = None if folder is None or not folder.is_dir() else folder / name
    text = file.read_text(encoding="utf-8") if file is not None and file.exists() else texts[name]
    found = []
    for line in text.splitlines()[1:]:
        number = line.split("\t")[0].strip()
        if not number:
            continue
        if not number.isdecimal() or not 1 <= int(number) <= count:
            raise GmaskError(f"{file}: {number!r} is none of the numbers 1 to {count} of the audit")
        found.append(int(number))
    return found


def _printable(text: str) -> str:
    """A text without what XML cannot hold."""
    return "".join(c for c in text if c in "\t\n" or ord(c) >= 0x20)
