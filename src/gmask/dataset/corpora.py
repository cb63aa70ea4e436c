"""The corpora the paper uses, and any file with named columns: from a row to an `Example`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gmask.dataset.table import DataError, Row, read_rows
from gmask.errors import GmaskError, one_of

__all__ = ["CORPORA", "Corpus", "Example", "find_split", "load", "resolve"]

SPLITS = ("train", "dev", "test")
FIRST = ("sentence1", "premise", "question1", "#1 string", "text", "text_a", "query", "first")
SECOND = ("sentence2", "hypothesis", "question2", "#2 string", "text_pair", "text_b", "passage", "second")
LABEL = ("gold_label", "label", "is_duplicate", "quality", "judgment")
IDENTITY = ("id", "pairid", "pair_id", "idx", "index")


@dataclass(frozen=True)
class Example:
    """A labelled pair. `highlights` holds, per annotator, the white-space token positions marked in each sentence."""

    first: str
    second: str
    label: str | None = None
    id: str | None = None
    highlights: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()


@dataclass(frozen=True)
class Corpus:
    """What a publisher's files say and on what terms."""

    name: str
    title: str
    labels: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    header: tuple[str, ...] | None = None
    hub: tuple[str, str | None] | None = None
    terms: str = "not stated"

    def label_of(self, value: object) -> str | None:
        """The label name for a raw value; None where there is no gold label (`-`, `-1` or nothing)."""
        raw = str(value).strip()
        if raw in ("", "-", "-1", "None", "hidden"):
            return None
        name = self.aliases.get(raw, raw)
        if self.labels and name not in self.labels:
            raise one_of("label", raw, [*self.labels, *self.aliases])
        return name


NLI = ("entailment", "neutral", "contradiction")
PARAPHRASE = ("not paraphrase", "paraphrase")
_NLI_NUMBERS = {"0": "entailment", "1": "neutral", "2": "contradiction"}
_PARAPHRASE_NUMBERS = {"0": "not paraphrase", "1": "paraphrase", "0.0": "not paraphrase", "1.0": "paraphrase"}
_QUORA_TERMS = "Quora's terms of service, non-commercial use"

CORPORA: dict[str, Corpus] = {
    corpus.name: corpus
    for corpus in (
        Corpus(
            "snli",
            "Stanford Natural Language Inference 1.0",
            NLI,
            hub=("stanfordnlp/snli", None),
            aliases=_NLI_NUMBERS,
            files={s: (f"snli_1.0_{s}.txt", f"snli_1.0_{s}.jsonl") for s in SPLITS},
            terms="CC BY-SA 4.0",
        ),
        Corpus(
            "esnli",
            "e-SNLI: SNLI with human highlights",
            NLI,
            hub=("esnli", None),
            aliases=_NLI_NUMBERS,
            files={"train": ("esnli_train.csv",), "dev": ("esnli_dev.csv", "val.jsonl"), "test": ("esnli_test.csv",)},
            terms="MIT-style; the sentences CC BY-SA 4.0",
        ),
        Corpus(
            "quora",
            "Quora question pairs, split of Wang et al. 2017",
            PARAPHRASE,
            aliases=_PARAPHRASE_NUMBERS,
            header=("label", "question1", "question2", "id"),
            terms=_QUORA_TERMS,
        ),
        Corpus(
            "qqp",
            "Quora Question Pairs (GLUE)",
            PARAPHRASE,
            aliases=_PARAPHRASE_NUMBERS,
            hub=("nyu-mll/glue", "qqp"),
            terms=_QUORA_TERMS,
        ),
        Corpus(
            "mrpc",
            "Microsoft Research Paraphrase Corpus",
            PARAPHRASE,
            aliases=_PARAPHRASE_NUMBERS,
            hub=("nyu-mll/glue", "mrpc"),
            files={"train": ("msr_paraphrase_train.txt",), "test": ("msr_paraphrase_test.txt",)},
            terms="Microsoft Research, research use",
        ),
    )
}


def resolve(data: str | Path) -> tuple[Corpus, Path]:
    """The corpus and the path that `NAME=PATH` or `PATH` stands for; a folder named as a corpus is that corpus."""
    text = str(data)
    name, _, rest = text.partition("=")
    if rest and name in CORPORA:
        return CORPORA[name], Path(rest)
    if rest and not Path(text).exists():
        raise one_of("corpus", name, CORPORA)
    path = Path(text)
    for part in (path.name, path.parent.name):
        if part.lower() in CORPORA:
            return CORPORA[part.lower()], path
    return Corpus(path.name, path.name), path


def find_split(corpus: Corpus, folder: Path, split: str) -> Path:
    """The file that holds one split of a corpus."""
    if split not in SPLITS:
        raise one_of("split", split, SPLITS)
    stems = {"dev": ("dev", "validation", "val", "valid")}.get(split, (split,))
    names = [*corpus.files.get(split, ()), *(f"{s}.{e}" for s in stems for e in ("tsv", "csv", "jsonl"))]
    for name in names:
        for candidate in (folder / name, folder / f"{name}.gz"):
            if candidate.is_file():
                return candidate
    raise GmaskError(f"no {split} split in {folder}; looked for {', '.join(names)} (and each with .gz)")


def load(
    data: str | Path,
    split: str | None = None,
    *,
    limit: int | None = None,
    on_bad: Callable[[DataError], None] | None = None,
) -> list[Example]:
    """Read the labelled pairs of a file, or of one split of a folder.

    Args:
        data: A file, a folder of splits, or either as `NAME=PATH` with the name of a corpus.
        split: `train`, `dev` or `test`; for folders only.
        limit: Read at most so many pairs. Default: all.
        on_bad: Called with the error of each bad row, which is then skipped. Default: the error is raised.
    """
    corpus, path = resolve(data)
    if path.is_dir():
        path = find_split(corpus, path, split or "train")
    elif split is not None and not path.exists():
        raise GmaskError(f"no such file or folder: {path}")
    examples: list[Example] = []
    for example in iterate(corpus, path, on_bad=on_bad):
        if limit is not None and len(examples) >= limit:
            break
        examples.append(example)
    if not examples:
        raise GmaskError(f"no labelled pair in {path}")
    return examples


def iterate(
    corpus: Corpus, path: Path, *, on_bad: Callable[[DataError], None] | None = None, labelled: bool = True
) -> Iterator[Example]:
    """Yield the pairs of one file; with `labelled`, rows that carry no gold label are passed over."""
    columns: dict[str, str] | None = None
    for row in read_rows(path, header=_header(corpus, path), on_bad=on_bad):
        columns = columns or _columns(row, labelled=labelled)
        try:
            example = _example(corpus, row, columns)
        except DataError as error:
            if on_bad is None:
                raise
            on_bad(error)
            continue
        if example.label is not None or not labelled:
            yield example


def _header(corpus: Corpus, path: Path) -> tuple[str, ...] | None:
    """A corpus distributed without a header keeps its own column names, unless this copy was given a header."""
    if corpus.header is None:
        return None
    first = next(read_rows(path, header=None, on_bad=lambda _: None), None)
    named = {name.lower() for name in first.fields} if first else set()
    return None if named & set(FIRST) else corpus.header


def _columns(row: Row, *, labelled: bool) -> dict[str, str]:
    by_name = {name.lower(): name for name in row.fields}
    found = {}
    for role, names in (("first", FIRST), ("second", SECOND), ("label", LABEL), ("id", IDENTITY)):
        match = next((by_name[n] for n in names if n in by_name), None)
        if match is not None:
            found[role] = match
        elif role in ("first", "second") or (role == "label" and labelled):
            have = ", ".join(row.fields)
            raise DataError(row.path, 1, f"no column for the {role}; wanted one of {', '.join(names)}; there are: {have}")
    return found


def _example(corpus: Corpus, row: Row, columns: Mapping[str, str]) -> Example:
    texts = []
    for role in ("first", "second"):
        column = columns[role]
        value = row.fields.get(column)
        if not isinstance(value, str) or not value.strip():
            raise row.error("empty text" if not value or isinstance(value, str) else "not a text", column)
        texts.append(value)
    label = None
    if "label" in columns:
        try:
            label = corpus.label_of(row.fields.get(columns["label"], ""))
        except GmaskError as error:
            raise row.error(str(error), columns["label"]) from None
    identity = row.fields.get(columns["id"]) if "id" in columns else None
    return Example(texts[0], texts[1], label, None if identity is None else str(identity))
