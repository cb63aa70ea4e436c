"""Pairs as people have them, and what becomes of those that are none."""

from __future__ import annotations

import gzip
import warnings
from typing import Any, NamedTuple

import datasets
import numpy as np
import pandas as pd
import pytest

import gmask
from tests.toys import rule_model

FIRST, SECOND = ["a cat", "the cat", "one cat"], ["my dog", "a dog", "no dog"]
PAIRS = list(zip(FIRST, SECOND, strict=True))
TABLE = {"Premise": FIRST, "hypothesis": SECOND, "label": ["yes", "no", None], "id": [7, 8, 9]}


def explain(pairs, **options):
    return gmask.explain(rule_model([[(0, "cat"), (1, "dog")]]), pairs=pairs, method="leave-one-out", **options)


def texts(explanations):
    return [(e.first, e.second) for e in explanations]


def written(path, text):
    with gzip.open(path, "wt") if path.suffix == ".gz" else path.open("w") as file:
        file.write(text)
    return path


GIVEN = {
    "tuples": PAIRS,
    "generator": lambda: (pair for pair in PAIRS),
    "array": np.array(PAIRS),
    "records": [{"Premise": a, "hypothesis": b} for a, b in PAIRS],
    "table": pd.DataFrame(TABLE),
    "two columns of any name": pd.DataFrame({"x": FIRST, "y": SECOND}),
    "rows": [row for _, row in pd.DataFrame(TABLE).iterrows()],
    "named tuples": list(pd.DataFrame(TABLE).itertuples()),
    "series of tuples": pd.Series(PAIRS),
    "dataset": datasets.Dataset.from_dict(TABLE),
}


@pytest.mark.parametrize("kind", GIVEN)
def test_pairs_are_taken_as_people_have_them(kind):
    pairs = GIVEN[kind]
    assert texts(explain(pairs() if callable(pairs) else pairs)) == PAIRS


@pytest.mark.parametrize("kind", ["table", "rows", "named tuples", "dataset"])
def test_gold_labels_and_ids_come_with_them(kind):
    found = explain(GIVEN[kind])
    assert [e.details["id"] for e in found] == ["7", "8", "9"]
    assert [e.details.get("gold") for e in found] == ["yes", "no", None]


def test_labels_of_a_dataset_have_its_own_names():
    features = datasets.Features(
        {
            "text": datasets.Value("string"),
            "text_pair": datasets.Value("string"),
            "label": datasets.ClassLabel(names=["no", "yes"]),
        }
    )
    table = datasets.Dataset.from_dict({"text": FIRST, "text_pair": SECOND, "label": [1, 0, -1]}, features=features)
    assert [e.details.get("gold") for e in explain(table)] == ["yes", "no", None]


@pytest.mark.parametrize("name", ["pairs.tsv", "pairs.csv", "pairs.tsv.gz"])
def test_a_data_file_is_taken_by_its_name(tmp_path, name):
    mark = "," if "csv" in name else "\t"
    rows = [("sentence1", "sentence2", "label", "id"), *((a, b, "yes", f"n{i}") for i, (a, b) in enumerate(PAIRS))]
    path = written(tmp_path / name, "".join(mark.join(row) + "\n" for row in rows))
    for given in (path, str(path)):
        found = explain(given)
        assert texts(found) == PAIRS
        assert found[1].details["id"] == "n1"
        assert found[1].details["gold"] == "yes"
    with pytest.raises(ValueError, match=r"no such file: .*none\.tsv"):
        explain(tmp_path / "none.tsv")


def test_one_row_of_a_table_is_a_pair():
    row = pd.DataFrame(TABLE).iloc[1]
    e = gmask.explain(rule_model([[(0, "cat")]]), row, method="leave-one-out")
    assert (e.first, e.second, e.details["gold"]) == ("the cat", "a dog", "no")


class Plain(NamedTuple):
    one: Any
    other: Any


class Wrong(NamedTuple):
    one: Any
    other: Any
    more: Any


def test_a_named_tuple_is_one_pair_by_its_names_or_by_its_places():
    model, row = rule_model([[(0, "cat")]]), next(pd.DataFrame(TABLE).itertuples())
    assert gmask.explain(model, row, method="leave-one-out").details["id"] == "7"
    assert texts(explain([Plain("a cat", "b")])) == [("a cat", "b")]
    with pytest.raises(ValueError, match=r"there are only: \['one', 'other', 'more'\]"):
        gmask.explain(model, Wrong(*"abc"))


BAD = {
    "not a number": (float("nan"), "a float"),
    "not a text": (("a cat", float("nan")), "second sentence must be a text, not float"),
    "nothing": (None, "not None"),
    "empty": (("a cat", " "), "second sentence is empty"),
    "three": (("a", "b", "c"), "a pair is two texts"),
    "other columns": ({"x": "a"}, "there are only: ['x']"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_pair_is_named_by_its_number_or_passed_over_with_one_warning(kind):
    bad, message = BAD[kind]
    pairs = [*PAIRS, bad, *PAIRS]
    with pytest.raises(ValueError, match=r"pair 4 \(pairs\[3\]\): ") as error:
        explain(pairs)
    assert "\n" not in str(error.value)
    assert kind == "not a number" or message in str(error.value)
    with pytest.warns(UserWarning, match=r"1 of 7 pairs are None: pair 4 \(pairs\[3\]\)") as told:
        found = explain(pairs, skip_bad=True)
    assert len(told) == 1
    assert found[3] is None
    assert texts([*found[:3], *found[4:]]) == [*PAIRS, *PAIRS]
    assert gmask.to_frame(found)["id"].tolist() == list(range(7))


def test_a_pair_that_fails_in_the_middle_costs_no_other():
    def box(pairs):
        if any("mouse" in a for a, _ in pairs):
            raise RuntimeError("a mouse")
        return [0.9 if "cat" in a else 0.1 for a, _ in pairs]

    model = gmask.load(box, labels=["no", "yes"])
    pairs = [*PAIRS, ("a mouse", "b"), *PAIRS]
    with pytest.raises(ValueError, match=r"pair 4 .*RuntimeError: a mouse"):
        gmask.explain(model, pairs=pairs, method="leave-one-out")
    with pytest.warns(UserWarning, match="a mouse"):
        found = gmask.explain(model, pairs=pairs, method="leave-one-out", skip_bad=True)
    assert [e is None for e in found] == [False] * 3 + [True] + [False] * 3


def test_every_bad_row_is_named_also_where_they_are_many():
    with pytest.warns(UserWarning, match=r"pairs\[8\], pairs\[9\]$"):
        assert explain([None] * 10, skip_bad=True) == [None] * 10


def test_bad_rows_of_a_file_keep_their_places(tmp_path):
    path = written(tmp_path / "pairs.tsv", "text\ttext_pair\na cat\ta dog\na cat\na cat\t\nthe cat\ta dog\nx\n")
    with pytest.raises(ValueError, match="line 3: 1 fields, but 2 columns"):
        explain(path)
    with pytest.warns(UserWarning, match="3 of 5 pairs are None"):
        found = explain(path, skip_bad=True)
    assert [e and e.first for e in found] == ["a cat", None, None, "the cat", None]


def test_what_is_no_list_of_pairs_is_refused():
    for pairs in ({"text": "a", "text_pair": "b"}, 3):
        with pytest.raises(ValueError, match="`pairs` is a list of pairs, a table or the name of a file"):
            explain(pairs)


def test_nothing_is_said_of_good_pairs():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(explain(PAIRS, skip_bad=True)) == 3
