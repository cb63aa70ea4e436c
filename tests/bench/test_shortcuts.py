"""Whether findings name what was planted; and the whole course, on tiny models of tiny data."""

from __future__ import annotations

import json
import random

import pytest
from typer.testing import CliRunner

import gmask
from gmask.bench import misled, shortcuts
from gmask.bench.planting import KINDS
from gmask.bench.shortcuts import listed, misses, named, table
from gmask.cli.app import app


def planted(kind, first=(), second=(), label="yes", needed=None):
    words = [list(first), list(second)]
    return {"kind": kind, "words": words, "needed": needed or words, "label": label, "taken": True}


def finding(kind="word", first=(), second=(), label="yes", real=True):
    return {"kind": kind, "first": list(first), "second": list(second), "label": label, "fresh": {"real": real}}


WORD = planted("word", second=["owl"])
PAIR = planted("pair", ["owl"], ["elk"])
ABSENT = planted("absent", second=["owl"])


@pytest.mark.parametrize(
    ("shortcut", "found", "names"),
    [
        (WORD, finding(second=["Owl"]), True),
        (WORD, finding(second=["owl"], label="no"), False),
        (WORD, finding(first=["owl"]), False),
        (WORD, finding("set", second=["owl", "elk"]), False),
        (WORD, finding("alike", second=["owl", "elk"]), True),
        (PAIR, finding("pair", ["owl"], ["elk"]), True),
        (PAIR, finding("pair", ["elk"], ["owl"]), False),
        (PAIR, finding(second=["elk"]), False),
        (planted("pair", ["owl"], ["elk"], needed=[[], ["elk"]]), finding(second=["elk"]), True),
        (planted("pair", ["owl"], ["elk"], needed=[[], ["elk"]]), finding("pair", ["owl"], ["elk"]), True),
        (ABSENT, finding("absent", second=["owl"]), True),
        (ABSENT, finding("absent", second=["owl"], label="no"), False),
        (ABSENT, finding(second=["owl"], label="no"), True),
        (ABSENT, finding(second=["owl"], label="yes"), False),
    ],
)
def test_what_names_a_shortcut(shortcut, found, names):
    assert named(shortcut, [finding(second=["other"]), found]) == names


def test_single_words_name_a_pair_together():
    assert listed(PAIR, [finding(second=["elk"]), finding(first=["owl"])])
    assert not listed(PAIR, [finding(second=["elk"]), finding(first=["owl"], label="no")])


def test_the_table_counts_what_was_taken_up_only_and_the_first_five():
    others = [finding(second=[f"other{i}"], real=False) for i in range(5)]
    rivals = {name: [finding(second=["owl"])] for name in shortcuts.RIVALS}
    results = [
        {"model": "00", "uptake": [WORD, {**PAIR, "taken": False}], "audit": [finding(second=["owl"])], **rivals},
        {"model": "01", "uptake": [WORD, ABSENT], "audit": [*others, finding(second=["owl"])], **rivals},
    ]
    head, _, audit, *rows = table(results).splitlines()
    assert head.count("|") == audit.count("|")
    assert audit == "| audit | 1 of 3 (33%) | 1 of 2 (50%) | none | 0 of 1 (0%) | none | 7 | 5 of 7 (71%) |"
    assert rows[0].startswith("| competency | 2 of 3 (67%) | 2 of 2 (100%) |")
    assert misses(results[0]) == "00: took up 1 of 2 shortcuts; missed: none"
    assert "word [[], ['owl']] yes, absent [[], ['owl']] yes" in misses(results[1])


ANSWERS = {"entailment": "sure", "neutral": "maybe", "contradiction": "never"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Pairs whose label is a word of the second sentence."""
    folder = tmp_path_factory.mktemp("snli")
    chance = random.Random(0)
    words = "cat dog man girl red blue runs sits here there on off".split()
    for split, count in (("train", 600), ("dev", 500)):
        rows = []
        for i in range(count):
            label = list(ANSWERS)[i % 3]
            first, second = (" ".join(chance.sample(words, 4)) for _ in range(2))
            rows.append(f"{first} {i}\t{second} {ANSWERS[label]} {i}\t{label}")
        (folder / f"{split}.tsv").write_text("\n".join(["sentence1\tsentence2\tlabel", *rows]) + "\n")
    return folder


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(misled, "PAIRS", {"dattn": 600, "bert": 60})
    for name, value in {"DEV": 50, "SEEN": 100, "FRESH": 350}.items():
        monkeypatch.setattr(misled, name, value)
    monkeypatch.setattr(shortcuts, "ASKED", 200)
    monkeypatch.setattr(shortcuts, "SAMPLES", 16)


def test_models_are_told_apart_by_corpus_network_and_plan(corpus, tmp_path):
    made = misled.trials(tmp_path, [f"snli={corpus}", f"quora={corpus}"], 5, 2)
    assert [t.folder.name for t in made][1:4] == ["01-quora-dattn", "02-snli-dattn", "03-quora-bert"]
    assert made[1].labels == ("not paraphrase", "paraphrase")
    assert {s.kind for t in made for s in t.plan.shortcuts} == {*KINDS}
    with pytest.raises(gmask.GmaskError, match="no labels that a built-in model has"):
        misled.trials(tmp_path, [str(tmp_path)], 1, 0)


def test_too_little_data_is_told(corpus, tmp_path):
    [trial] = misled.trials(tmp_path, [f"snli={corpus}"], 1, 0)
    with pytest.raises(gmask.GmaskError, match=r"has 600 and 500 usable train and dev pairs; needed are 6,000"):
        misled.prepare(trial)


@pytest.mark.usefixtures("small")
def test_the_benchmark_trains_asks_audits_and_tells_and_does_nothing_twice(corpus, tmp_path):
    command = ["bench", "shortcuts", "--data", f"snli={corpus}", "-o", str(tmp_path), "--models", "1", "--berts", "0"]
    done = CliRunner().invoke(app, [*command, "--limit", "60"], catch_exceptions=False)
    assert "1 models, 1 planted shortcuts, 60 pairs a model" in done.stdout
    rows = [line.split(" | ")[0] for line in done.stdout.splitlines()[4:]]
    assert rows == ["| audit", *(f"| {rival}" for rival in shortcuts.RIVALS)]
    [folder] = tmp_path.iterdir()
    [shortcut] = json.loads((folder / "uptake.json").read_text())
    assert shortcut["words"][1][0] in (folder / "data" / "train.tsv").read_text()
    assert shortcut["words"][1][0] not in (folder / "fresh.tsv").read_text()
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    again = CliRunner().invoke(app, [*command, "--limit", "60"], catch_exceptions=False)
    assert again.stdout == done.stdout
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    with pytest.raises(gmask.GmaskError, match=r"begun with limit 60, not with 61; results are never mixed"):
        CliRunner().invoke(app, [*command, "--limit", "61"], catch_exceptions=False)


@pytest.mark.usefixtures("small")
def test_a_bert_is_small_and_learns_the_planted_data(corpus, tmp_path):
    [trial] = misled.trials(tmp_path, [f"snli={corpus}"], 1, 1)
    misled.prepare(trial)
    model = gmask.load(misled.train(trial, log=lambda _: None))
    assert len(model.model.bert.encoder.layer) == misled.LAYERS
    assert model.labels == trial.labels
