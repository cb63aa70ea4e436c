"""`gmask data`: look at data before trusting it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gmask.dataset.catalogue import Figures

app = typer.Typer(no_args_is_help=True, help="List, count, check and compare data.")

SHOWN = 8  # labels, of a file that has many

Source = Annotated[str, typer.Argument(help="A file, a folder of splits, either as NAME=PATH, or hub:NAME.")]


@app.command("list")
def list_() -> None:
    """The corpora that are known by name."""
    from gmask.dataset.corpora import CORPORA

    for corpus in CORPORA.values():
        print(f"{corpus.name:8} {corpus.title} ({corpus.terms})")


@app.command("stats")
def stats(
    data: Annotated[list[str], typer.Argument(help="Folders of splits, NAME=FOLDER, or hub:NAME.")],
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Pass over bad lines, and say how many.")] = False,
) -> None:
    """The paper's table of statistics, with the paper's own figures for the corpora it has."""
    from gmask.dataset.corpora import resolve, splits, stream
    from gmask.dataset.statistics import statistics

    skipped: list[object] = []
    print(f"{'corpus':16}{'C':>3}{'L':>7}{'V':>9}{'#train':>9}{'#dev':>9}{'#test':>9}")
    for source in data:
        corpus, _ = resolve(source)
        on_bad = skipped.append if skip_bad else None
        figures = statistics({s: stream(source, s, labelled=False, on_bad=on_bad) for s in splits(source)})
        print(_figures(corpus.name, figures))
        if corpus.paper:
            print(_figures("  in the paper", corpus.paper))
    print("C classes, L average sentence length in words, V different words, all after cleaning as in the paper")
    if skip_bad:
        print(f"skipped {len(skipped)} bad lines")


def _figures(name: str, figures: Figures) -> str:
    pairs = "".join(f"{'-' if n is None else format(n, ','):>9}" for n in figures.pairs)
    return f"{name:16}{figures.classes:>3}{figures.length:>7.1f}{figures.vocabulary:>9,}{pairs}"


@app.command("check")
def check(data: Source) -> None:
    """Name the line and column of whatever is wrong; exit code 2 if anything is."""
    from gmask.dataset.check import check as look

    found = look(data, print)
    for findings in found:
        labels = ", ".join(f"{label} {count:,}" for label, count in findings.labels.most_common(SHOWN))
        labels += f", and {len(findings.labels) - SHOWN:,} more labels" if len(findings.labels) > SHOWN else ""
        marked = f", {findings.highlighted:,} with highlights" if findings.highlighted else ""
        print(f"{findings.path}: {findings.pairs:,} pairs ({labels}){marked}; {findings.problems:,} problems")
    if any(findings.problems for findings in found):
        raise typer.Exit(2)


@app.command("overlap")
def overlap(
    train: Annotated[str, typer.Argument(help="What a model was trained on; of a folder, its train split.")],
    held_out: Annotated[str, typer.Argument(metavar="EVAL", help="What it is judged by; of a folder, dev and test.")],
) -> None:
    """Pairs that stand in both, whatever their case, spacing, and order of the sentences; exit code 1 if there are."""
    from gmask.dataset.corpora import splits, stream
    from gmask.dataset.overlap import overlap as shared

    seen = [e for s in splits(train) if s in ("train", "all") for e in stream(train, s, labelled=False)]
    asked = [e for s in splits(held_out) if s != "train" for e in stream(held_out, s, labelled=False)]
    both = shared(seen, asked)
    for example in both:
        print(f"{example.first}\t{example.second}")
    print(f"{len(both):,} of {len(asked):,} pairs are among the {len(seen):,} training pairs")
    if both:
        raise typer.Exit(1)
