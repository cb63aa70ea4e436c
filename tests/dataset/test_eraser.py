from __future__ import annotations

import json

import pytest

from gmask.dataset.corpora import Example, load
from gmask.dataset.table import DataError
from gmask.errors import GmaskError

ANNOTATION = {
    "annotation_id": "34.jpg#4r1n",
    "classification": "neutral",
    "docids": ["34.jpg#4r1n_hypothesis", "34.jpg#4r1n_premise"],
    "evidences": [
        [
            {"docid": "34.jpg#4r1n_hypothesis", "start_token": 1, "end_token": 3, "text": "boy runs"},
            {"docid": "34.jpg#4r1n_premise", "start_token": 0, "end_token": 1, "text": "A"},
        ],
        [{"docid": "34.jpg#4r1n_hypothesis", "start_token": 2, "end_token": 4, "text": "runs ."}],
    ],
    "query": None,
    "query_type": None,
}
DOCUMENTS = {"34.jpg#4r1n_premise": "A man .\nHe walks .", "34.jpg#4r1n_hypothesis": "A boy runs ."}


def write(folder, annotation=ANNOTATION):
    folder.mkdir(exist_ok=True)
    (folder / "val.jsonl").write_text(json.dumps(annotation) + "\n")
    return folder


def with_table(folder):
    rows = ({"docid": name, "document": text} for name, text in DOCUMENTS.items())
    (folder / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def with_folder(folder):
    (folder / "docs").mkdir()
    for name, text in DOCUMENTS.items():
        (folder / "docs" / name).write_text(text)


@pytest.mark.parametrize("documents", [with_table, with_folder])
def test_annotations_are_joined_with_their_documents(tmp_path, documents):
    folder = write(tmp_path / "esnli")
    documents(folder)
    assert load(folder, "dev") == [
        Example("A man . He walks .", "A boy runs .", "neutral", "34.jpg#4r1n", (((0,), (1, 2, 3)),))
    ]


def test_missing_documents_are_named(tmp_path):
    folder = write(tmp_path / "esnli")
    with pytest.raises(GmaskError, match=r"no docs\.jsonl and no docs folder"):
        load(folder, "dev")
    with_table(write(folder, {**ANNOTATION, "annotation_id": "other"}))
    with pytest.raises(DataError, match="line 1, column 'annotation_id': no document other_premise"):
        load(folder, "dev")


@pytest.mark.parametrize(
    "evidence",
    [
        {"docid": "34.jpg#4r1n_premise", "start_token": 5, "end_token": 9},
        {"docid": "34.jpg#4r1n_premise", "start_token": 5},
        {},
    ],
)
def test_evidence_that_points_nowhere_is_refused(tmp_path, evidence):
    folder = write(tmp_path / "esnli", {**ANNOTATION, "evidences": [[evidence]]})
    with_table(folder)
    with pytest.raises(DataError, match="line 1, column 'evidences'"):
        load(folder, "dev")


CLAIM = {
    "annotation_id": "7",
    "classification": "neutral",
    "docids": ["b", "a"],
    "evidences": [
        [{"docid": "a", "start_token": 1, "end_token": 2}],
        [{"docid": "b", "start_token": 0, "end_token": 2}],
    ],
    "query": " He runs . ",
}


@pytest.mark.parametrize(
    ("docids", "first", "marked"),
    [(["b", "a"], "One two three He walks .", (0, 1, 4)), (None, "He walks . One two three", (1, 3, 4))],
)
def test_documents_are_read_beside_a_query_in_which_nobody_marked_anything(tmp_path, docids, first, marked):
    folder = write(tmp_path / "esnli", {**CLAIM, "docids": docids})
    rows = [{"docid": "a", "document": "He walks\n."}, {"docid": "b", "document": "One two three"}]
    (folder / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert load(folder, "dev") == [Example(first, "He runs .", "neutral", "7", ((marked, None),))]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"docids": ["c"]}, "no document c"),
        ({"docids": [], "evidences": []}, "documents to read beside the query are wanted"),
    ],
)
def test_a_query_without_its_documents_is_refused(tmp_path, change, message):
    folder = write(tmp_path / "esnli", {**CLAIM, **change})
    (folder / "docs.jsonl").write_text(json.dumps({"docid": "a", "document": "He walks ."}) + "\n")
    with pytest.raises(DataError, match=f"column 'docids': {message}"):
        load(folder, "dev")
