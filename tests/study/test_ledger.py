from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from gmask.errors import GmaskError
from gmask.study.ledger import Ledger, read_records, seal, unseal

RECORDS = [{"text": f"pair {i}, naïve “quoted” \n {'x' * (i * 7 % 40)}", "values": [i / 7, -1e-9]} for i in range(30)]


def write(path, upto=None):
    said = []
    with Ledger(path, said.append) as ledger:
        before = len(ledger)
        for number, record in enumerate(RECORDS[:upto]):
            ledger.append(number, record)
        ledger.finish()
    return before, said


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "records.jsonl"
    write(path)
    return path.read_bytes()


def test_what_was_written_is_read_back(tmp_path):
    path = tmp_path / "records.jsonl"
    write(path)
    assert [record for _, record in read_records(path, pytest.fail)] == RECORDS
    assert unseal(seal(7, RECORDS[3])) == (7, RECORDS[3])


def test_it_goes_on_where_it_stopped(tmp_path, whole):
    path = tmp_path / "records.jsonl"
    write(path, 11)
    before, said = write(path)
    assert before == 11
    assert said == []
    assert path.read_bytes() == whole


@pytest.mark.parametrize("size", [1, 500, 2000, -1])
def test_a_file_cut_anywhere_is_gone_on_with(tmp_path, whole, size):
    path = tmp_path / "records.jsonl"
    path.write_bytes(whole[:size])
    before, said = write(path)
    assert path.read_bytes() == whole
    assert before == whole[:size].count(b"\n")
    assert len(said) == 1
    assert "is cut short" in said[0]
    assert f"{before} of {before + 1} records are kept" in said[0]


@pytest.mark.parametrize("seed", range(40))
def test_a_flipped_bit_anywhere_is_found_and_only_its_record_is_made_again(tmp_path, whole, seed):
    path = tmp_path / "records.jsonl"
    place = random.Random(seed).randrange(len(whole))
    damaged = bytearray(whole)
    damaged[place] ^= 1 << random.Random(seed + 1).randrange(8)
    path.write_bytes(damaged)
    lost = [number for number in range(len(RECORDS)) if number not in readable(path)]
    assert 1 <= len(lost) <= 2  # two where the end of a line was hit
    said = []
    made = []
    with Ledger(path, said.append) as ledger:
        for number in range(len(RECORDS)):
            if number not in ledger:
                made.append(number)
                ledger.append(number, RECORDS[number])
        ledger.finish()
    assert made == lost
    assert len(said) == 1
    assert "is damaged: line" in said[0]
    assert path.read_bytes() == whole
    assert list(tmp_path.iterdir()) == [path]


def readable(path):
    return {number for number, _ in read_records(path, lambda _: None)}


def test_a_line_taken_out_or_put_twice_is_found(tmp_path, whole):
    lines = whole.splitlines(keepends=True)
    for name, damaged in (("out", lines[:9] + lines[10:]), ("twice", lines[:9] + lines[8:])):
        path = tmp_path / name
        path.write_bytes(b"".join(damaged))
        before, said = write(path)
        assert before == 9
        assert len(said) == 1
        assert path.read_bytes() == whole


def test_killed_while_mending_it_mends_again(tmp_path, whole):
    path = tmp_path / "records.jsonl"
    damaged = bytearray(whole)
    damaged[len(whole) // 3] ^= 1
    path.write_bytes(damaged)
    with Ledger(path, lambda _: None) as ledger:
        first = len(ledger)
        ledger.append(first, RECORDS[first])  # and no more: what was set aside waits
    assert len(list(tmp_path.iterdir())) == 2
    with path.open("r+b") as file:  # damaged once more
        file.seek(30)
        file.write(b"?")
    made = []
    with Ledger(path, lambda _: None) as ledger:
        for number in range(len(RECORDS)):
            if number not in ledger:
                made.append(number)
                ledger.append(number, RECORDS[number])
        ledger.finish()
    assert path.read_bytes() == whole
    assert len(made) <= 1
    assert list(tmp_path.iterdir()) == [path]


def test_no_record_is_left_out(tmp_path):
    with (
        Ledger(tmp_path / "records.jsonl", pytest.fail) as ledger,
        pytest.raises(GmaskError, match="record 0 is missing"),
    ):
        ledger.append(1, RECORDS[1])


def test_two_do_not_write_at_once(tmp_path):
    path = tmp_path / "records.jsonl"
    code = f"""
from pathlib import Path
from gmask.errors import GmaskError
from gmask.study.ledger import Ledger
try:
    Ledger(Path({str(path)!r}), print)
except GmaskError as error:
    print(error)
"""
    with Ledger(path, pytest.fail):
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert "is being written by another process" in told.stdout
    with Ledger(path, pytest.fail):
        pass


def test_a_full_disk_is_told(tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    ledger = Ledger(tmp_path / "records.jsonl", pytest.fail)
    with Path("/dev/full").open("wb", buffering=0) as full:
        ledger._file, kept = full, ledger._file
        with pytest.raises(GmaskError, match=r"cannot write .*: No space left"):
            ledger.append(0, RECORDS[0])
    kept.close()


def test_numbers_that_json_cannot_hold_are_refused():
    with pytest.raises(ValueError, match="JSON"):
        seal(0, {"value": float("nan")})


def test_what_was_set_aside_goes_only_once_every_record_in_it_stands_again(tmp_path, whole):
    path = tmp_path / "records.jsonl"
    damaged = bytearray(whole)
    damaged[len(whole) // 3] ^= 1
    path.write_bytes(damaged)
    with Ledger(path, lambda _: None) as ledger:
        first = len(ledger)
        ledger.finish()  # with less than there was before
        assert first + 1 in ledger
    assert len(list(tmp_path.iterdir())) == 2
    write(path)
    assert path.read_bytes() == whole
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_that_was_set_aside_is_written_over(tmp_path, whole):
    path = tmp_path / "records.jsonl"
    path.write_bytes(whole)
    waiting = tmp_path / "records.jsonl.aside-2"
    waiting.write_bytes(b"dear\n")
    damaged = bytearray(whole)
    damaged[len(whole) // 3] ^= 1
    path.write_bytes(damaged)
    Ledger(path, lambda _: None).close()
    (tmp_path / "records.jsonl.aside-1").rename(tmp_path / "records.jsonl.aside-9")
    assert waiting.read_bytes() == b"dear\n"


def test_a_record_that_says_so_is_made_again_and_only_it(tmp_path, whole):
    path = tmp_path / "records.jsonl"
    lines = whole.splitlines(keepends=True)
    for number in (4, 9, 29):
        lines[number] = seal(number, {"error": "no route", "again": True})
    path.write_bytes(b"".join(lines))
    assert len(readable(path)) == 30
    said, made = [], []
    with Ledger(path, said.append) as ledger:
        for number in range(len(RECORDS)):
            if number not in ledger:
                made.append(number)
            ledger.append(number, RECORDS[number])
        ledger.finish()
    assert made == [4, 9, 29]
    assert said == [f"{path}: the model failed on 3 of 30 records, which are made again"]
    assert path.read_bytes() == whole


def test_a_text_about_again_is_no_reason_to_make_a_record_again(tmp_path):
    path = tmp_path / "records.jsonl"
    with Ledger(path, pytest.fail) as ledger:
        ledger.append(0, {"text": '"again":true', "details": {"again": False}})
    with Ledger(path, pytest.fail) as ledger:
        assert 0 in ledger
