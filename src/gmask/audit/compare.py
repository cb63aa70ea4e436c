"""Two versions of a model in one audit: which answers changed, and for which reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from gmask.audit.asking import Answering, Asker, classifier
from gmask.audit.causes import Cause
from gmask.audit.check import retest
from gmask.audit.seen import Seen, read_seen
from gmask.audit.telling import example
from gmask.dataset.example import Example
from gmask.errors import GmaskError
from gmask.model.base import PairModel
from gmask.study.engine import Engine
from gmask.study.saying import label_of
from gmask.study.stream import batch

__all__ = ["AGAINST", "Older"]

AGAINST = "against.jsonl"  # what the other version's answers rest on, where they differ
TOGETHER = 4096  # pairs that are asked about at a time


class Older:
    """The other version of a model.

    Args:
        model: It.
        source: What it was loaded from, for workers elsewhere.
        labels: Those of the audited version; it must have the same.
        worker: Where the work is done.
        pair: Any pair.
    """

    def __init__(
        self, model: PairModel, source: Any, labels: Sequence[str], worker: Engine, pair: tuple[str, str]
    ) -> None:
        if len(classifier(model, pair).labels) != len(labels):
            raise GmaskError(
                f"{model.name} has not the labels of the audited model ({', '.join(labels)}); `against` is another "
                "version of the same model"
            )
        self.model, self.source, self.worker = model, source, worker
        self._own = {model.labels.index(label_of(model, name)): i for i, name in enumerate(labels)}
        self.labels = tuple(labels)

    def changes(
        self, pairs: Callable[[], Iterator[Seen]], causes: Sequence[Cause], folder: Path, **how: Any
    ) -> list[dict[str, Any]]:
        """The pairs that it answers otherwise, with the words both answers rest on.

        Args:
            pairs: The pairs as the audited version answers them.
            causes: Of the audited version.
            folder: Of the audit; explanations by this version are kept there.
            **how: As for `batch`.
        """
        changed = list(self._changed(pairs()))
        if not changed:
            return []
        examples = [Example(*seen.texts, None if seen.gold is None else self.labels[seen.gold]) for seen, _ in changed]
        file = folder / AGAINST
        if file.exists() and not _same(file, examples):
            for old in (file, file.with_name(f"{file.name}.run.json")):
                old.unlink(missing_ok=True)
        batch(self.source if self.worker.remote else self.model, examples, file, skip_bad=True, **how)
        before = {seen.number: seen for seen in read_seen(file, self.model.labels)}
        return [self._change(i, seen, label, before, causes) for i, (seen, label) in enumerate(changed)]

    def retests(self, findings: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The findings of the audited version, brought about in this one."""
        own = {position: self.labels[i] for position, i in self._own.items()}
        asker = Asker(self.worker, self._job(), None)
        return [
            {"hosts": r.hosts, "turned": r.turned, "control": r.control, "p": r.p} for r in retest(findings, asker, own)
        ]

    def _job(self) -> Answering:
        return Answering(self.source if self.worker.remote else self.model, self.model.hash)

    def _changed(self, pairs: Iterator[Seen]) -> Iterator[tuple[Seen, int]]:
        ask = Asker(self.worker, self._job(), None)
        while window := list(islice(pairs, TOGETHER)):
            for seen, answer in zip(window, ask([seen.texts for seen in window]), strict=True):
                if answer is not None and self._own[answer.label] != seen.label:
                    yield seen, self._own[answer.label]

    def _change(
        self, place: int, seen: Seen, label: int, before: Mapping[int, Seen], causes: Sequence[Cause]
    ) -> dict[str, Any]:
        told = example(seen, None, self.labels)
        found = next((i for i, c in enumerate(causes, 1) if c.label == seen.label and c.pattern.carries(seen)), None)
        old = before.get(place)
        return {
            **told,
            "before": self.labels[label],
            "became": _became(seen, label),
            "finding": found,
            "words": _words(seen),
            "words_before": [] if old is None else _words(old),
        }


def _became(seen: Seen, before: int) -> str | None:
    if seen.gold is None:
        return None
    return "right" if seen.right else "wrong" if seen.gold == before else "still wrong"


def _words(seen: Seen) -> list[str]:
    return [" ".join(text.words[i] for i in sorted(own)) for text, own in zip(seen.sides, seen.resting, strict=True)]


def _same(file: Path, examples: Iterable[Example]) -> bool:
    """Whether explanations that are there are of the first of these pairs."""
    from gmask.study.ledger import read_records

    there = (record for _, record in read_records(file, lambda _: None))
    return all((r["first"], r["second"]) == (e.first, e.second) for r, e in zip(there, examples, strict=False))
