from __future__ import annotations

import gzip
import json

import pytest

from gmask.dataset.passages import Passage, passages_of
from gmask.errors import GmaskError


def test_texts_are_named_by_their_positions():
    assert passages_of(["a b", "c"]) == [Passage("a b", "0"), Passage("c", "1")]


@pytest.mark.parametrize(
    "record",
    [
        {"_id": "d1", "title": "T", "text": "a b"},  # BEIR
        {"id": "d1", "title": "T", "text": "a b"},  # Cohere
        {"docid": "d1", "heading": "T", "contents": "a b"},
        {"ID": "d1", "Title": "T", "Passage": "a b"},
        {"id": "d1", "title": "T", "document": {"text": "a b"}},
        {"document": {"text": "a b", "id": "d1", "title": "T"}, "relevance_score": 0.5},
    ],
)
def test_records_have_a_text_an_id_and_a_title(record):
    assert passages_of([record]) == [Passage("a b", "d1", "T")]


def test_a_number_is_an_id_as_well():
    assert passages_of([{"id": 0, "text": "a"}, {"id": 7, "text": "b"}])[1].name == "passage 7"


def test_a_text_file_has_a_passage_a_line(tmp_path):
    (tmp_path / "p.txt").write_text("\ufeffone two\n\n  three \r\n", encoding="utf-8")
    assert [p.text for p in passages_of(tmp_path / "p.txt")] == ["one two", "three"]


@pytest.mark.parametrize("name", ["p.jsonl", "p.jsonl.gz"])
def test_a_file_of_objects_has_one_a_line(tmp_path, name):
    content = "\n".join(json.dumps(line) for line in ({"_id": "x", "text": "é"}, "a text")).encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    assert passages_of(str(tmp_path / name)) == [Passage("é", "x"), Passage("a text", "1")]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], "no passages"),
        ("nowhere.txt", "no such file"),
        ("passages.pdf", "unknown file of passages"),
        ({"text": "a"}, "list of texts or records"),
        (5, "list of texts or records"),
        ([{"title": "only"}], r"passage 0 has no text; .* there are: title"),
        ([{"id": "x", "text": "a"}, {"id": "x", "text": "b"}], "two passages have the id 'x'"),
    ],
)
def test_what_are_no_passages_is_told(given, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GmaskError, match=told):
        passages_of(given)


def test_a_file_that_is_cut_off_is_told(tmp_path):
    (tmp_path / "p.txt.gz").write_bytes(gzip.compress(b"one two three\n" * 100)[:-12])
    with pytest.raises(GmaskError, match=r"cannot read .*p\.txt\.gz"):
        passages_of(tmp_path / "p.txt.gz")


@pytest.mark.parametrize(("line", "told"), [(b"{", "not JSON"), (b"5", "a text or an object"), (b'"\xff"', "UTF-8")])
def test_a_bad_line_is_told_by_its_number(line, told, tmp_path):
    (tmp_path / "p.jsonl").write_bytes(b'{"text": "a"}\n' + line + b"\n")
    with pytest.raises(GmaskError, match=rf"p\.jsonl, line 2: .*{told}"):
        passages_of(tmp_path / "p.jsonl")
