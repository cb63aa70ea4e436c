"""`gmask.audit`: what a model does systematically, and whether what it seems to rest on is a cause."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

from gmask.audit import telling
from gmask.audit.asking import Answering, Asker, classifier
from gmask.audit.causes import Cause, settle, test
from gmask.audit.compare import Older
from gmask.audit.figures import counts_of_pairs, one_sided
from gmask.audit.gather import Gathered, gather
from gmask.audit.notes import notes
from gmask.audit.proof import Proof
from gmask.audit.reasons import required_reasons
from gmask.audit.result import FORMAT, Audit
from gmask.audit.seen import Seen, read_seen
from gmask.audit.survey import Survey, survey
from gmask.audit.suspects import screen, suspicions
from gmask.dataset.example import Example
from gmask.dataset.given import examples_of
from gmask.errors import GmaskError
from gmask.explainer import versions
from gmask.method.base import Method, create
from gmask.model import load
from gmask.model.base import PairModel
from gmask.study import engine as engines
from gmask.study.identity import check_answers, identity_of
from gmask.study.ledger import Ledger, read_records
from gmask.study.manifest import settle as settle_manifest
from gmask.study.progress import Progress, say
from gmask.study.sample import draw
from gmask.study.stream import Tally, batch

__all__ = ["EXPLANATIONS", "audit"]

EXPLANATIONS, ANSWERS = "explanations.jsonl", "answers.jsonl"
HOSTS = 200  # pairs that a pattern is brought about in


def audit(
    model: Any,
    data: Any,
    *,
    limit: int | None = 1000,
    output: Path | str | None = None,
    against: Any = None,
    split: str | None = None,
    method: str | Method = "gmask:preset=fast",
    removal: str | None = None,
    reference: Any = "auto",
    hosts: int = HOSTS,
    seed: int = 0,
    engine: str = "local",
    address: str | None = None,
    workers: int | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> Audit:
    """Find out what a model does systematically: which patterns its answers rest on, and which of them cause answers.

    The pairs are explained; what answers rest on, and what goes with a label, is suspected on one half of them and
    tested on the other: the words are put in, taken out or exchanged in pairs that the model gets right, and the
    answers that turn are counted, beside those that words of equal frequency turn. What turns answers is a finding.

    Args:
        model: What `gmask.load` returns, or anything it takes.
        data: Pairs: a file, a folder of splits, `hub:NAME`, a list, a DataFrame, a dataset; with labels, if there are.
            Or a file that `gmask batch` wrote, or the folder of `gmask evaluate`: its explanations are used.
        limit: How many pairs at most, drawn at random from a file or a folder. None: all.
        output: A folder for all that is found; killed and started again, the audit goes on there. Default: nothing is
            written.
        against: Another version of the model: which answers changed, and for which reasons. Default: none.
        split: Of a folder. Default: `test`.
        method: What explains the pairs; with settings as in `gmask:preset=thorough`.
        removal: What removing a word means.
        reference: What answers are held against (see `gmask.explain`).
        hosts: How many pairs a pattern is brought about in, at most.
        seed: Of the method.
        engine: `local` or `ray`.
        address: Of a Ray cluster.
        workers: How many Ray workers.
        threads: Processor threads of a worker.
        progress: Show how far it is.

    Example:
        >>> import gmask
        >>> shouts = lambda pairs: [float("!" in b or "loud" in b.split()) for a, b in pairs]
        >>> gmask.audit(gmask.load(shouts, labels=["calm", "loud"]), [("a b", "c d")], method="leave-one-out").findings
        []
    """
    loaded = load(model)
    if hosts < 1:
        raise GmaskError(f"at least one pair is needed to test a pattern in, not {hosts}")
    made = method if isinstance(method, Method) else create(method)
    worker = engines.create(engine, address=address, workers=workers, threads=threads)
    asked: dict[str, Any] = {"method": made, "removal": removal, "reference": reference, "seed": seed}
    placed: dict[str, Any] = {"engine": engine, "address": address, "workers": workers, "threads": threads}
    how = {**placed, "progress": progress}
    with ExitStack() as stack:
        folder = Path(output) if output is not None else Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(worker.kept())
        explained, about = explained_already(data)
        tally = Tally()
        if explained is None:
            examples, about = _pairs(data, split, limit)
            explained = folder / EXPLANATIONS
            classifier(loaded, (examples[0].first, examples[0].second))
            tally = batch(model if worker.remote else loaded, examples, explained, skip_bad=True, **asked, **how)
        else:
            check_answers(loaded, _plain(explained), explained)
        classifier(loaded, _first(explained))
        older = None if against is None else Older(load(against), against, loaded.labels, worker, _first(explained))

        def pairs() -> Iterator[Seen]:
            return islice(read_seen(explained, loaded.labels, say), limit if about.get("explained") else None)

        ledger = stack.enter_context(_ledger(folder, loaded, explained, hosts, limit))
        bars = stack.enter_context(Progress(["tests"], None, {"tests": 0}, shown=progress))
        job = Answering(model if worker.remote else loaded, loaded.hash)
        ask = Asker(worker, job, ledger, lambda: bars.advance("tests"))
        course = _Course(loaded, pairs, ask, hosts)
        found = course.run()
        ledger.finish()
        if older is not None:
            found["against"] = older.model.name
            found["changes"] = older.changes(pairs, course.causes, folder, **asked, **how)
            for finding, again in zip(found["findings"], older.retests(found["findings"]), strict=True):
                finding["against"] = again
        if tally.failed:
            found["notes"].append(f"{tally.failed:,} pairs could not be explained and are left out.")
        settings = {"method": made.name, **made.settings, "hosts": hosts, "seed": seed, "limit": limit}
        result = Audit({"format": FORMAT, "model": identity_of(loaded), "data": about, "settings": settings, **found})
        if output is not None:
            result.save(folder)
    return result


class _Course:
    """The steps of an audit over pairs that are explained; each walks over them anew, so few are in memory at once."""

    def __init__(self, model: PairModel, pairs: Callable[[], Iterator[Seen]], ask: Asker, hosts: int) -> None:
        self.model, self.pairs, self.ask, self.hosts = model, pairs, ask, hosts
        self.survey = Survey()
        self.causes: list[Cause] = []

    def run(self) -> dict[str, Any]:
        """Everything that is found, as plain data."""
        labels = self.model.labels
        proofs, found = self._work()
        causes = self.causes
        told = telling.findings(causes, found, labels)
        return {
            "labels": list(labels),
            "counts": counts_of_pairs(found.table),
            "notes": notes(self.survey, proofs, labels),
            "findings": told,
            "one_sided": one_sided(found.table, labels),
            "errors": telling.errors(found, causes, labels),
            "tested": telling.tested(proofs, labels),
            "reasons": required_reasons(self.pairs(), self.survey.vocabulary, self.ask, labels),
            "pairs": found.table,
        }

    def _work(self) -> tuple[list[Proof], Gathered]:
        labelled = any(seen.gold is not None for seen in self.pairs())
        self.survey = survey(self.pairs(), labelled=labelled)
        vocabulary = self.survey.vocabulary
        patterns = suspicions(self._half(), self._half(), self.survey)
        several = [p for p in patterns if p.kind != "word"]
        vocabulary.settle(frozenset(w for p in several if p.kind != "absent" for w in p.named))
        suspects = screen(patterns, self.survey, self.ask, len(self.model.labels))
        vocabulary.settle(frozenset(word for s in suspects for word in s.pattern.named))
        proofs = test(suspects, list(self.survey.hosts[1]), vocabulary, self.ask, self.hosts)
        causes = settle(proofs, self.pairs())
        self.causes = _ranked(causes, gather(self.pairs(), causes, self.model.labels))
        return proofs, gather(self.pairs(), self.causes, self.model.labels)

    def _half(self) -> Iterator[Seen]:
        """The pairs that suspicions may come from."""
        return (seen for seen in self.pairs() if not seen.fresh)


def _ranked(causes: list[Cause], found: Gathered) -> list[Cause]:
    """Patterns with words of their own before general ones; then by how often a cause turns answers, and how many."""
    decides = [cause.proof.gain * len(s.rests) ** 0.5 for cause, s in zip(causes, found.support, strict=True)]
    order = sorted(range(len(causes)), key=lambda i: (causes[i].pattern.general, -decides[i], str(causes[i].pattern)))
    return [causes[i] for i in order]


def explained_already(data: Any) -> tuple[Path | None, dict[str, Any]]:
    """The explanations that a former run left where the data should be, if that is what it is."""
    if not isinstance(data, (str, Path)) or not Path(data).exists():
        return None, {}
    path = Path(data)
    if path.is_dir() and (path / "run.json").is_file() and (path / "records.jsonl").is_file():
        return path / "records.jsonl", {"name": path.name, "explained": True}
    if path.is_file() and path.with_name(f"{path.name}.run.json").is_file():
        return path, {"name": path.name, "explained": True}
    return None, {}


def _plain(explained: Path) -> Iterator[dict[str, Any]]:
    """The explanations of a file, as plain data."""
    for _, record in read_records(explained, lambda _: None):
        plain = record.get("explanation", record)
        if plain is not None and "error" not in record:
            yield plain


def _first(explained: Path) -> tuple[str, str]:
    """The texts of the first pair that is explained."""
    for plain in _plain(explained):
        return plain["first"], plain["second"]
    failed = [record["error"] for _, record in islice(read_records(explained, lambda _: None), 1)]
    raise GmaskError(f"none of the pairs could be explained{''.join(f'; the first: {error}' for error in failed)}")


def _pairs(data: Any, split: str | None, limit: int | None) -> tuple[list[Example], dict[str, Any]]:
    if isinstance(data, (str, Path)):
        return draw(data, split, limit)
    if limit is not None and limit < 1:
        raise GmaskError(f"at least one pair is needed, not {limit}")
    found = []
    for given in islice(examples_of(data), limit):
        if isinstance(given, GmaskError):
            raise given
        found.append(given)
    if not found:
        raise GmaskError("there is no pair to audit the model on")
    return found, {"name": "pairs", "pairs": len(found)}


def _ledger(folder: Path, model: PairModel, explained: Path, hosts: int, limit: int | None) -> Ledger:
    """Where answers are kept; those to other questions are of no use and go."""
    digest = hashlib.sha256()
    with explained.open("rb") as file:
        for line in file:
            digest.update(line)
    manifest = {"model": identity_of(model), "explanations": digest.hexdigest(), "hosts": hosts, "limit": limit}
    manifest["versions"] = versions()
    path, about = folder / ANSWERS, folder / f"{ANSWERS}.run.json"

    def begin() -> None:
        settle_manifest(about, manifest, path)

    try:
        return Ledger(path, say, begin)
    except GmaskError:
        if not about.exists() or not _outdated(about, manifest):
            raise
        say(f"{path} has answers to questions of other pairs; they are asked anew")
        path.unlink()
        return Ledger(path, say, begin)


def _outdated(about: Path, manifest: dict[str, Any]) -> bool:
    from gmask.study.manifest import read_manifest

    there = read_manifest(about)
    return any(there.get(name) != manifest[name] for name in ("explanations", "hosts", "limit"))
