"""Reasons as a table."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

import gmask
from tests.explanations import guitar, make, single_words

COLUMNS = "id label probability target gold correct reason importance first second kept removed notes".split()


def test_a_row_a_reason_and_no_pair_vanishes():
    frame = gmask.to_frame([guitar(), single_words(), None])
    assert list(frame.columns) == COLUMNS
    assert frame["id"].tolist() == [0, 0, 1, 2]
    assert frame["first"].tolist()[:2] == ["electric guitar", "stage"]
    assert frame["second"].tolist()[:2] == ["banjo", "floor"]
    assert frame["reason"].tolist()[:2] == [1, 2]
    assert frame[["importance", "kept", "removed"]].iloc[1].tolist() == [0.58, 0.71, 0.62]
    assert frame[["reason", "importance", "first", "kept"]].iloc[2:].isna().all(axis=None)
    assert frame["label"].tolist()[:3] == ["contradiction"] * 3


def test_ids_and_gold_labels_come_with_the_pairs():
    named = [guitar(details={"id": "x7", "gold": gold}) for gold in ("contradiction", "neutral", "2")]
    frame = gmask.to_frame(e for e in named)
    assert frame["id"].tolist() == ["x7"] * 6
    assert frame["correct"].tolist() == [True, True, False, False, None, None]  # the model knows no label 2


def test_one_explanation_and_its_notes():
    e = replace(make("a", "b", {(0, "a"): 0.5}), warnings=("3 words were cut off.",))
    frame = gmask.to_frame(e)
    assert len(frame) == 1
    assert frame["notes"][0] == "3 words were cut off."


def test_without_pandas_it_is_a_list_of_dicts(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    rows = gmask.to_frame([guitar()])
    assert [list(row) for row in rows] == [COLUMNS, COLUMNS]
    assert rows[0]["first"] == "electric guitar"


def test_what_is_no_explanation_is_named():
    with pytest.raises(ValueError, match="to_frame takes explanations, not 3"):
        gmask.to_frame([3])
