"""Everything that is wrong with a data file, and what is in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from gmask.dataset.catalogue import Corpus
from gmask.dataset.corpora import find_split, iterate, resolve, splits
from gmask.dataset.hub import PREFIX
from gmask.dataset.table import DataError
from gmask.errors import GmaskError

__all__ = ["Findings", "check"]


@dataclass
class Findings:
    """Of one file."""

    path: Path
    pairs: int = 0
    highlighted: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    problems: int = 0


def check(data: str | Path, on_problem: Callable[[GmaskError], None]) -> list[Findings]:
    """Read a file, or every split of a folder, to the end.

    Args:
        data: As for `gmask.dataset.corpora.load`.
        on_problem: Told every problem, in the order of the lines.

    Returns:
        What was found in each file.
    """
    if str(data).startswith(PREFIX):
        raise GmaskError(f"only files can be checked, not {data}")
    corpus, path = resolve(data)
    files = [[path] if split == "all" else find_split(corpus, path, split) for split in splits(data)]
    return [_check_file(corpus, file, on_problem) for parts in files for file in parts]


def _check_file(corpus: Corpus, path: Path, on_problem: Callable[[GmaskError], None]) -> Findings:
    findings = Findings(path)

    def problem(error: GmaskError) -> None:
        findings.problems += 1
        on_problem(error)

    try:
        for example in iterate(corpus, path, on_bad=problem, labelled=False):
            findings.pairs += 1
            findings.highlighted += bool(example.highlights)
            findings.labels[example.label or "no label"] += 1
    except DataError as error:  # the file as a whole cannot be read
        problem(error)
    return findings
