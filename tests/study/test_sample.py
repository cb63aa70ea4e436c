from __future__ import annotations

import pytest

from gmask.errors import GmaskError
from gmask.study.sample import draw
from tests.study import boxes


def test_an_order_that_is_the_same_for_everyone(tmp_path):
    source = boxes.write_tsv(tmp_path / "pairs.tsv", boxes.some(50))
    everything, about = draw(source)
    assert sorted(e.first for e in everything) == sorted(a for a, _ in boxes.some(50))
    assert [e.first for e in everything] != [a for a, _ in boxes.some(50)]
    assert draw(source, limit=7)[0] == everything[:7]
    assert about == {"name": "pairs.tsv", "title": "pairs.tsv", "split": None, "file": "pairs.tsv", "pairs": 50}


def test_pairs_after_those_of_an_earlier_study(tmp_path):
    source = boxes.write_tsv(tmp_path / "pairs.tsv", boxes.some(50))
    everything, about = draw(source)
    later, told = draw(source, limit=7, skip=40)
    assert later == everything[40:47]
    assert told == {**about, "skip": 40}
    assert len(draw(source, limit=20, skip=40)[0]) == 10
    with pytest.raises(GmaskError, match="has 50 pairs, so after the first 50 there is none"):
        draw(source, skip=50)
    with pytest.raises(GmaskError, match="counted from 0, not -1"):
        draw(source, skip=-1)


def test_what_cannot_be_read_is_left_out_and_told(tmp_path, capsys):
    source = tmp_path / "pairs.tsv"
    source.write_text("sentence1\tsentence2\tlabel\na b\ta c\t1\n\u200b\ta c\t1\nbroken\nd\te\t0\n")
    assert {e.first for e in draw(source)[0]} == {"a b", "d"}
    told = f"gmask: rows left out of {source}: 2; the first: {source}, line 4: 1 fields, but 3 columns"
    assert capsys.readouterr().err == f"{told} (sentence1, sentence2, label)\n"
    source.write_text("sentence1\tsentence2\tlabel\na b\ta c\t1\n\u200b\ta c\t1\n")
    draw(source)
    assert "the first: '\\u200b' / 'a c': " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("d.json", '[{"sentence1": "a", "sentence2": "b", "label": "1"}]', "line 1: a JSON array"),
        ("d.jsonl", "{'sentence1': 'a'}\n", "line 1: not JSON at character 2"),
        ("d.tsv", "sentence1\tsentence2\tlabel\n\u200b\tb\t1\n", "no word"),
    ],
)
def test_where_no_row_can_be_read_the_fault_is_told(tmp_path, name, content, fault):
    (tmp_path / name).write_text(content)
    with pytest.raises(GmaskError, match=fault):
        draw(tmp_path / name)


def test_pairs_need_no_labels_unless_they_are_asked_for(tmp_path):
    source = tmp_path / "pairs.tsv"
    for rows in ("sentence1\tsentence2\na b\ta c\nd\te\n", "sentence1\tsentence2\tlabel\na b\ta c\t-\nd\te\t\n"):
        source.write_text(rows)
        assert {(e.first, e.label) for e in draw(source)[0]} == {("a b", None), ("d", None)}
        with pytest.raises(GmaskError, match=r"no column for the label|no labelled pair"):
            draw(source, labelled=True)
    source.write_text("sentence1\tsentence2\tlabel\na b\ta c\t-\nd\te\tyes\n")  # some have one: the others are not
    assert [e.first for e in draw(source)[0]] == ["d"]


def test_a_split_of_a_folder(tmp_path):
    for split, count in (("test", 4), ("dev", 2)):
        boxes.write_tsv(tmp_path / f"{split}.tsv", boxes.some(count))
    assert len(draw(tmp_path)[0]) == 4
    assert len(draw(tmp_path, "dev")[0]) == 2
    assert draw(tmp_path)[1]["split"] == "test"
    with pytest.raises(GmaskError, match="no train split"):
        draw(tmp_path, "train")
    with pytest.raises(GmaskError, match="at least one pair is needed, not -1"):
        draw(tmp_path, limit=-1)
