"""The corpora that are known by name: their labels, files, terms of use, and the paper's figures for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gmask.errors import one_of

__all__ = ["CORPORA", "SPLITS", "Corpus", "Figures"]

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class Figures:
    """A row of a statistics table: classes, average sentence length, vocabulary, pairs a split."""

    classes: int
    length: float
    vocabulary: int
    pairs: tuple[int | None, int | None, int | None]


@dataclass(frozen=True)
class Corpus:
    """What a publisher's files say and on what terms.

    Attributes:
        name: Its short name.
        title: Its full name.
        labels: The label names; empty if any will do.
        aliases: Other spellings of a label, mapped to its name.
        files: The publisher's file names, by split.
        header: Column names, where the files carry none.
        hub: Its name and configuration on the Hugging Face hub.
        terms: Of use.
        paper: The GMASK paper's figures for it.
    """

    name: str
    title: str
    labels: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    header: tuple[str, ...] | None = None
    hub: tuple[str, str | None] | None = None
    terms: str = "not stated"
    paper: Figures | None = None

    def label_of(self, value: object) -> str | None:
        """The label name for a raw value; None where there is no gold label (`-`, `-1` or nothing)."""
        raw = "" if value is None else str(value).strip()
        if raw in ("", "-", "-1", "hidden"):
            return None
        name = self.aliases.get(raw, raw)
        if self.labels and name not in self.labels:
            raise one_of("label", raw, [*self.labels, *self.aliases])
        return name


NLI = ("entailment", "neutral", "contradiction")
PARAPHRASE = ("not paraphrase", "paraphrase")
_YES, _NO = ("1", "1.0", "equivalent", "duplicate"), ("0", "0.0", "not_equivalent", "not_duplicate")
_PARAPHRASE_ALIASES = {**dict.fromkeys(_NO, PARAPHRASE[0]), **dict.fromkeys(_YES, PARAPHRASE[1])}
_QUORA_TERMS = "Quora's terms of service, non-commercial use"

CORPORA: dict[str, Corpus] = {
    corpus.name: corpus
    for corpus in (
        Corpus(
            "snli",
            "Stanford Natural Language Inference 1.0",
            NLI,
            files={s: (f"snli_1.0_{s}.txt", f"snli_1.0_{s}.jsonl") for s in SPLITS},
            hub=("stanfordnlp/snli", None),
            terms="CC BY-SA 4.0",
        ),
        Corpus(
            "esnli",
            "e-SNLI: SNLI with human highlights",
            NLI,
            files={
                "train": ("esnli_train_1.csv", "esnli_train.csv"),
                "dev": ("esnli_dev.csv",),
                "test": ("esnli_test.csv", "test_highlights_3ann.jsonl"),
            },
            hub=("esnli/esnli", None),
            terms="MIT-style; the sentences CC BY-SA 4.0",
            paper=Figures(3, 10.2, 64_291, (549_000, 9_000, 9_000)),
        ),
        Corpus(
            "quora",
            "Quora question pairs, split of Wang et al. 2017",
            PARAPHRASE,
            aliases=_PARAPHRASE_ALIASES,
            header=("label", "question1", "question2", "id"),
            terms=_QUORA_TERMS,
            paper=Figures(2, 11.5, 85_249, (384_000, 10_000, 10_000)),
        ),
        Corpus(
            "qqp",
            "Quora Question Pairs (GLUE)",
            PARAPHRASE,
            aliases=_PARAPHRASE_ALIASES,
            hub=("nyu-mll/glue", "qqp"),
            terms=_QUORA_TERMS,
            paper=Figures(2, 11.1, 126_266, (364_000, 40_000, 391_000)),
        ),
        Corpus(
            "mrpc",
            "Microsoft Research Paraphrase Corpus",
            PARAPHRASE,
            aliases=_PARAPHRASE_ALIASES,
            files={"train": ("msr_paraphrase_train.txt",), "test": ("msr_paraphrase_test.txt",)},
            hub=("nyu-mll/glue", "mrpc"),
            terms="Microsoft Research, research use",
            paper=Figures(2, 22, 15_547, (3_668, 408, 1_725)),
        ),
        Corpus(
            "multimwa",
            "MultiMWA-MTRef: paraphrases with human word alignments",
            terms="not stated; cite Lan, Jiang and Xu 2021",
        ),
        Corpus("cad_nli", "Counterfactually revised NLI", NLI, terms="Apache-2.0"),
    )
}
