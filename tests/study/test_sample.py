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


def test_what_cannot_be_read_is_left_out(tmp_path):
    source = tmp_path / "pairs.tsv"
    source.write_text("sentence1\tsentence2\tlabel\na b\ta c\t1\n?!\ta c\t1\nbroken\nd\te\t0\n")
    assert {e.first for e in draw(source)[0]} == {"a b", "d"}


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
