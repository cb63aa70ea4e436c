"""Pairs and their revisions."""

from __future__ import annotations

import gzip

import pytest

from gmask.dataset.example import Example
from gmask.dataset.revisions import revised
from gmask.dataset.table import DataError
from gmask.errors import GmaskError

HEADER = "group\tpart\tsentence1\tsentence2\tlabel\n"


def test_groups_of_all_splits_in_their_order(tmp_path):
    folder = tmp_path / "cad_nli"
    folder.mkdir()
    row = "{}\toriginal\tA man.\t{}\tneutral\n"
    with gzip.open(folder / "train.tsv.gz", "wt") as file:
        file.write(HEADER + row.format(0, "a") + row.format(0, "b") + row.format(1, "c"))
    (folder / "dev.tsv").write_text(HEADER + row.format(1, "d"))
    assert [[e.second for e in group] for group in revised(folder)] == [["a", "b"], ["c"], ["d"]]
    assert next(revised(folder))[0] == Example("A man.", "a", "neutral")


def test_what_is_wrong_is_told(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("sentence1\tsentence2\tlabel\na\tb\tneutral\n")
    with pytest.raises(DataError, match="no column 'group', which says what pairs belong together; there are: sent"):
        list(revised(f"cad_nli={path}"))
    with pytest.raises(GmaskError, match="no such file or folder"):
        list(revised(tmp_path / "none"))
    path.write_text(HEADER + "0\toriginal\tA man.\tA boy.\tmaybe\n")
    with pytest.raises(DataError, match="line 2, column 'label': unknown label 'maybe'"):
        list(revised(f"cad_nli={path}"))
