from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from gmask.cli.app import app
from gmask.errors import GmaskError

WORDS = "python:tests.cli.test_rank:shared"
QUERY = "how tall is the tower"


def shared(pairs):
    return [2.0 * len(set(a.split()) & set(b.split())) - 5.0 for a, b in pairs]


@pytest.fixture
def passages(tmp_path):
    lines = [{"_id": "d7", "text": "the tower is tall"}, {"_id": "d9", "text": "a tall man"}, {"text": "rice"}]
    path = tmp_path / "passages.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def call(*arguments):
    return CliRunner().invoke(app, ["rank", *map(str, arguments), "--model", WORDS], catch_exceptions=False)


def test_passages_of_a_file_are_put_in_order(passages):
    told = call(QUERY, passages)
    assert told.exit_code == 0
    assert [line.split()[1] for line in told.stdout.splitlines()[3:6]] == ["d7", "d9", "2"]


def test_one_is_explained_against_another_by_name_and_by_position(passages):
    for names in (("d7", "d9"), ("0", "1")):
        told = call(QUERY, passages, "--why", names[0], "--over", names[1], "-m", "leave-one-out")
        assert "Why does passage d7 stand above passage d9?" in told.stdout


def test_the_result_is_written_as_its_file_name_says(passages, tmp_path):
    for ending in ("html", "json", "txt"):
        told = call(QUERY, passages, "--why", "d9", "-m", "leave-one-out", "-o", tmp_path / f"r.{ending}")
        assert f"wrote {tmp_path}/r.{ending}" in told.stderr
        assert told.stdout == ""
    saved = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert saved["explanations"][0]["passage"] == 1
    assert json.loads(call(QUERY, passages, "--format", "json").stdout)["order"] == [0, 1, 2]
    assert call(QUERY, passages, "--format", "html").stdout.startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--over", "d7"], "name the other with --why"),
        (["--why", "d8"], "unknown passage 'd8'; valid: d7, d9, 2"),
        (["--why", "7"], "unknown passage 7"),
        (["-o", "r.pdf"], "unknown file ending"),
        (["-m", "nothing"], "unknown method"),
        (["--why", "d7", "-p", "k=0"], "k of gmask"),
        (["--target", "high"], "raw score has no labels"),
    ],
)
def test_mistakes_are_told_in_a_line(passages, arguments, told):
    with pytest.raises(GmaskError, match=told):
        call(QUERY, passages, *arguments)
