from __future__ import annotations

import gzip
import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gmask.dataset.table import DataError, read_rows
from gmask.errors import GmaskError


def rows(path, **options):
    return [row.fields for row in read_rows(path, **options)]


def test_a_quote_in_tsv_is_a_character_like_any_other(tmp_path):
    (tmp_path / "a.tsv").write_text('a\tb\n"open\tnever closed\n"x"\t""y""\n')
    assert rows(tmp_path / "a.tsv") == [{"a": '"open', "b": "never closed"}, {"a": '"x"', "b": '""y""'}]


def test_csv_fields_may_hold_commas_quotes_and_lines(tmp_path):
    (tmp_path / "a.csv").write_text('a,b\n"x, ""y""","two\nlines"\nlast,row\n')
    found = list(read_rows(tmp_path / "a.csv"))
    assert found[0].fields == {"a": 'x, "y"', "b": "two\nlines"}
    assert [row.line for row in found] == [2, 4]


def test_byte_order_marks_windows_line_ends_and_gzip_are_read(tmp_path):
    with gzip.open(tmp_path / "a.tsv.gz", "wb") as file:
        file.write("\ufeffa\tb\r\n1\t2\r\n".encode())
    assert rows(tmp_path / "a.tsv.gz") == [{"a": "1", "b": "2"}]


def test_a_file_without_header_takes_given_names(tmp_path):
    (tmp_path / "a.tsv").write_text("1\tx\n0\ty\n")
    assert rows(tmp_path / "a.tsv", header=("label", "text")) == [
        {"label": "1", "text": "x"},
        {"label": "0", "text": "y"},
    ]


BAD = {
    "a.tsv": (b"a\tb\n1\t2\n1\t2\t3\n4\t5\n", 3, "3 fields, but 2 columns"),
    "b.tsv": (b"a\tb\n1\t2\n\xff\t2\n4\t5\n", 3, "not UTF-8 at byte 1"),
    "c.tsv": (b"a\tb\n1\t2\nx\0\t2\n4\t5\n", 3, "NUL byte at character 2"),
    "d.csv": (b'a,b\n1,2\n"open,2\n4,5\n', 3, "a quote is opened and not closed"),
    "e.csv": (b"a,b\n1,2\n\xff,2\n4,5\n", 3, "not UTF-8 at byte 1"),
    "f.jsonl": (b'{"a": "1", "b": "2"}\n\n{"a": 1,}\n{"a": "4", "b": "5"}\n', 3, "not JSON at character"),
    "g.jsonl": (b'{"a": "1", "b": "2"}\n\n[1]\n{"a": "4", "b": "5"}\n', 3, "a JSON object is wanted, not list"),
    "h.jsonl": (b'{"a": "1", "b": "2"}\n\n' + b"[" * 100_000 + b'\n{"a": "4", "b": "5"}\n', 3, "nested"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_named_and_refuses_the_file(tmp_path, name):
    content, line, message = BAD[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message) as error:
        rows(tmp_path / name)
    assert error.value.line == line
    assert str(tmp_path / name) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_can_be_skipped_without_losing_the_good_ones(tmp_path, name):
    content, line, _ = BAD[name]
    (tmp_path / name).write_bytes(content)
    errors: list[DataError] = []
    assert rows(tmp_path / name, on_bad=errors.append) == [{"a": "1", "b": "2"}, {"a": "4", "b": "5"}]
    assert [error.line for error in errors] == [line]


def test_a_quote_that_is_never_closed_costs_one_line_of_a_long_file(tmp_path):
    lines = [f"{i},x" for i in range(1000)]
    lines[500] = '"500,x'
    (tmp_path / "a.csv").write_text("a,b\n" + "\n".join(lines) + "\n")
    errors: list[DataError] = []
    assert len(rows(tmp_path / "a.csv", on_bad=errors.append)) == 999
    assert [error.line for error in errors] == [502]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_json_array_is_refused_whatever_is_done_with_bad_rows(tmp_path, indent):
    (tmp_path / "a.json").write_text(json.dumps([{"a": "1"}, {"a": "2"}], indent=indent))
    with pytest.raises(DataError, match=r"a\.json, line 1: a JSON array; wanted is JSONL"):
        rows(tmp_path / "a.json", on_bad=lambda _: None)


def test_a_column_named_twice_is_refused(tmp_path):
    (tmp_path / "a.tsv").write_text("a\tb\ta\n1\t2\t3\n")
    with pytest.raises(DataError, match="the header names a more than once"):
        rows(tmp_path / "a.tsv")


def test_broken_gzip_is_an_error_with_its_place(tmp_path):
    whole = gzip.compress(b"a\tb\n" + b"1\t2\n" * 50_000)
    (tmp_path / "a.tsv.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="broken gzip data"):
        rows(tmp_path / "a.tsv.gz")


def test_an_unknown_ending_lists_the_known_ones(tmp_path):
    (tmp_path / "a.parquet").write_text("x")
    with pytest.raises(GmaskError, match=r"\.tsv, \.csv, \.jsonl"):
        rows(tmp_path / "a.parquet")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(GmaskError, match=r"no such file: .*none\.tsv"):
        rows(tmp_path / "none.tsv")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.lists(st.text(), min_size=1, max_size=5))
def test_any_text_survives_jsonl(tmp_path, texts):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"t": t}) + "\n" for t in texts), encoding="utf-8")
    assert [row["t"] for row in rows(path)] == texts


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(st.binary())
def test_any_bytes_end_in_rows_or_data_errors(tmp_path, content):
    for name in ("a.tsv", "a.csv", "a.jsonl"):
        (tmp_path / name).write_bytes(content)
        with suppress(DataError):  # a header that names a column twice
            rows(tmp_path / name, on_bad=lambda _: None)
