from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from gmask.cli.app import app
from gmask.errors import GmaskError
from tests.study import boxes

WORDS = "python:tests.study.boxes:words"


def call(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    for split, count in (("test", 30), ("dev", 5)):
        rows = [f"{a}\t{b}\t{boxes.words.labels[i % 2]}" for i, (a, b) in enumerate(boxes.some(count))]
        (folder / f"{split}.tsv").write_text("\n".join(["sentence1\tsentence2\tlabel", *rows]) + "\n")
    return folder


def test_a_run_and_its_summary(data, tmp_path):
    arguments = ["evaluate", "--model", WORDS, "--data", data, "--methods", "leave-one-out,random", "--limit", 4]
    told = call(*arguments, "-o", tmp_path / "run")
    assert told.exit_code == 0
    assert "| leave-one-out |" in told.stdout
    assert "## 4 pairs" in told.stdout
    manifest = json.loads((tmp_path / "run" / "run.json").read_text())
    assert manifest["data"]["split"] == "test"
    assert manifest["data"]["pairs"] == 30
    before = (tmp_path / "run" / "records.jsonl").read_bytes()
    assert call(*arguments, "-o", tmp_path / "run").exit_code == 0
    assert (tmp_path / "run" / "records.jsonl").read_bytes() == before


def test_pairs_are_drawn_at_random_and_a_larger_limit_adds_to_them(data, tmp_path):
    def texts(limit, *more):
        call("evaluate", "--model", WORDS, "--data", data, "--methods", "random", "--limit", limit, *more)
        lines = (tmp_path / "run" / "records.jsonl").read_text().splitlines()
        return [json.loads(line)["explanation"]["first"] for line in lines]

    few, more = texts(3, "-o", tmp_path / "run"), texts(8, "-o", tmp_path / "run")
    assert len(more) == 8
    assert more[:3] == few
    assert few != [a for a, _ in boxes.some(3)]


def test_accuracy_is_of_all_pairs(data, tmp_path):
    call(
        *["evaluate", "--model", WORDS, "--data", data, "--methods", "random", "--limit", 2, "--split", "test"],
        *["--metrics", "aopc", "--accuracy", data, "-o", tmp_path / "run"],
    )
    found = json.loads((tmp_path / "run" / "accuracy.json").read_text())
    right = [
        boxes.words.labels[boxes.words([pair])[0] > 0.5] == boxes.words.labels[i % 2]
        for i, pair in enumerate(boxes.some(30))
    ]
    assert found == {"right": sum(right), "pairs": 30}


def test_only_pairs_that_the_model_gives_a_label(data, tmp_path):
    arguments = ["evaluate", "--model", WORDS, "--data", data, "--methods", "random", "--metrics", "rows"]
    call(*arguments, "--label", "Different", "--limit", 5, "--skip", 2, "-o", tmp_path / "run")
    records = [json.loads(line) for line in (tmp_path / "run" / "records.jsonl").read_text().splitlines()]
    call(*arguments, "-o", tmp_path / "all")
    every = [json.loads(line)["explanation"] for line in (tmp_path / "all" / "records.jsonl").read_text().splitlines()]
    expected = [e["first"] for e in every if e["label"] == "different"][2:7]
    assert [r["explanation"]["first"] for r in records] == expected
    assert len(expected) == 5
    with pytest.raises(GmaskError, match=r"no pair of .* is left that .* calls 'same'"):
        call(*arguments, "--label", "same", "--skip", 29, "-o", tmp_path / "none")
    assert json.loads((tmp_path / "run" / "run.json").read_text())["data"]["label"] == "different"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--data", "nowhere"], "no such file or folder"),
        (["--methods", "shap"], "unknown method 'shap'"),
        (["--limit", "0"], "at least one pair"),
        (["--skip", "30"], "after the first 30 there is none"),
        (["--split", "best"], "unknown split 'best'"),
        (["--label", "perhaps"], "'perhaps'; valid: different, same"),
        (["--metrics", "apoc"], "unknown metric 'apoc'"),
        (["--model", "python:tests.study.boxes:nothing"], "there is no function"),
        (["--model", "python:tests"], "is named python:MODULE:FUNCTION"),
    ],
)
def test_mistakes_are_told(data, tmp_path, arguments, told):
    usual = {"--model": WORDS, "--data": data, "--methods": "random", "-o": tmp_path / "run"}
    usual.update(zip(arguments[::2], arguments[1::2], strict=True))
    with pytest.raises(GmaskError, match=told):
        call("evaluate", *[part for option in usual.items() for part in option])
    assert not (tmp_path / "run").exists()


def test_pairs_without_labels_can_be_studied_but_have_no_accuracy(tmp_path):
    source = tmp_path / "pairs.tsv"
    source.write_text("sentence1\tsentence2\na b\ta c\nd\td e\n")
    arguments = ["evaluate", "--model", WORDS, "--data", source, "--methods", "random"]
    assert "## 2 pairs" in call(*arguments, "-o", tmp_path / "run").stdout
    with pytest.raises(GmaskError, match="no column for the label"):
        call(*arguments, "--accuracy", source, "-o", tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_labels_that_are_not_the_models_have_no_accuracy(tmp_path):
    source = tmp_path / "pairs.tsv"
    source.write_text("sentence1\tsentence2\tlabel\na b\ta c\tperhaps\n")
    with pytest.raises(GmaskError, match="label 'perhaps' is none of the model's"):
        call(
            "evaluate",
            "--model",
            WORDS,
            "--data",
            source,
            "--methods",
            "random",
            "--accuracy",
            source,
            "-o",
            tmp_path / "run",
        )


def test_the_metric_asked_for_is_printed_and_one_that_cannot_be_measured_says_so(data, tmp_path):
    told = call(
        *["evaluate", "--model", WORDS, "--data", data, "-m", "random", "--limit", 3],
        *["--metrics", "log_odds,token_f1", "-o", tmp_path / "run"],
    )
    assert "| method | Log-odds |" in told.stdout
    assert "token_f1 could not be measured on any of these pairs, for want of words that people marked." in told.stdout
    assert f"gmask: wrote {tmp_path / 'run'} (gmask report" in told.stderr


def test_p_is_a_setting_of_the_one_method(data, tmp_path):
    arguments = ["evaluate", "--model", WORDS, "--data", data, "--limit", 2, "--metrics", "aopc", "-p", "preset=FAST"]
    assert "| gmask:preset=fast |" in call(*arguments, "-m", "GMASK", "-o", tmp_path / "run").stdout
    with pytest.raises(GmaskError, match="-p is for one method, and there are 2; write settings as in gmask:preset"):
        call(*arguments, "-m", "gmask,random", "-o", tmp_path / "other")


PLUGIN = """
from gmask.method.loo import Random
from gmask.metric.aopc import Aopc


class Mine(Random):
    name = "mine"


class Own(Aopc):
    name = "own"
    title = "My own"
"""


@pytest.mark.parametrize("engine", ["local", pytest.param("ray", marks=pytest.mark.slow)])
def test_methods_and_metrics_of_ones_own_on_the_command_line(data, tmp_path, engine):
    (tmp_path / "plugged.py").write_text(PLUGIN)

    def gmask(*arguments):
        command = [sys.executable, "-m", "gmask", *map(str, arguments)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)

    (tmp_path / "box.py").write_text("def words(pairs):\n    return [0.1 + 0.8 * ('p1' in a) for a, _ in pairs]\n")
    workers = ["--engine", engine, *(["--workers", 1, "--threads", 1] if engine == "ray" else [])]
    arguments = ["--model", "python:box:words", "-m", "mine", "--plugin", "plugged"]
    told = gmask("evaluate", *arguments, "--data", data, "--limit", 2, "--metrics", "own", "-o", "run", *workers)
    assert "| method | My own |" in told.stdout, told.stderr
    if engine == "ray":
        return
    assert "gmask: wrote report (" in gmask("report", "run", "-o", "report", "--plugin", "plugged").stderr
    assert "| mine |" in (tmp_path / "report" / "report.md").read_text()
    assert '"method": "mine"' in gmask("explain", "a p1", "b", *arguments, "--format", "json").stdout
    told = gmask("batch", data / "test.tsv", *arguments, "-o", "out.jsonl")
    assert "30 pairs explained" in told.stderr
    told = gmask("batch", data / "test.tsv", "--plugin", "nothing", "-o", "out.jsonl")
    assert told.stderr == "gmask: cannot import the plugin 'nothing': ModuleNotFoundError: No module named 'nothing'\n"
    assert told.returncode == 2
