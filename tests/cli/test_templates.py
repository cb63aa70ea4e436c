"""A judge on the command line: a folder, a template, answers."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import gmask
from gmask.cli.app import app
from gmask.cli.options import worded
from gmask.errors import GmaskError
from tests.model.template.judges import A, B, language_model
from tests.model.template.test_layout import MESSAGES

ANSWERS = ["--answers", "no=no,yes=yes"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judge")
    for part in language_model("qwen3"):
        part.save_pretrained(folder)
    (folder / "judge.txt").write_text("First: {first}\nSecond: {second}\n{instruction} ", encoding="utf-8")
    (folder / "judge.json").write_text(json.dumps(MESSAGES), encoding="utf-8")
    return folder


def call(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def test_explain_takes_a_known_name_a_file_and_a_text(folder):
    given = [
        (["--template", "qwen3-reranker"], {"template": "qwen3-reranker"}),
        (["--template", folder / "judge.json", *ANSWERS], {"template": MESSAGES, "answers": ["no", "yes"]}),
        (
            ["--template", "{first}, so {second}: ", *ANSWERS],
            {"template": "{first}, so {second}: ", "answers": ["no", "yes"]},
        ),
    ]
    for options, wanted in given:
        settings = ["--method", "leave-one-out", "--format", "json"]
        done = call("explain", A, B, "--model", folder, *options, *settings)
        assert done.exit_code == 0, done.output
        e = gmask.explain(gmask.load(language_model("qwen3"), **wanted), A, B, method="leave-one-out")
        assert json.loads(done.stdout)["probability"] == pytest.approx(e.probability, abs=1e-5)


def test_batch_and_evaluate_know_the_template_too(folder, tmp_path):
    (tmp_path / "pairs.tsv").write_text(f"sentence1\tsentence2\n{A}\t{B}\n{B}\t{A}\n", encoding="utf-8")
    model = ["--model", folder, "--template", folder / "judge.txt", "--instruction", "Answer:", *ANSWERS]
    done = call("batch", tmp_path / "pairs.tsv", "-o", tmp_path / "out.jsonl", *model, "--method", "leave-one-out")
    assert done.exit_code == 0, done.output
    assert len((tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    measured = ["--methods", "random", "--metrics", "aopc", "-o", tmp_path / "run"]
    done = call("evaluate", "--data", tmp_path / "pairs.tsv", *model, *measured)
    assert done.exit_code == 0, done.output


def test_a_name_carries_what_was_said_of_the_template(folder):
    name = worded(str(folder), template="{first} & {second} #1=> ", answers="no=no,yes=Yes", windows=None)
    model = gmask.load(name)
    assert model.labels == ("no", "yes")
    assert model.identity["template"] == {"text": ["{first} & {second} #1=> "]}
    assert worded("nli", template=None, answers=None) == "nli"
    assert worded(worded("nli", windows="best"), answers="no=no") == "nli#windows=best&answers=no%3Dno"
    with pytest.raises(GmaskError, match="option behind a model: 'temper'"):
        gmask.load(f"{folder}#temper=1")


def test_a_folder_of_a_language_model_needs_a_template(folder):
    with pytest.raises(GmaskError, match=r"is a language model \(Qwen3ForCausalLM\); give its template and answers"):
        gmask.load(folder)
