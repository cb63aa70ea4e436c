from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmask.segmentation import atoms, segment

PIECES = [
    "https://",
    "www.",
    "a.com",
    "x@y.org",
    "$",
    "20",
    ":",
    "%",
    "3.5",
    "°C",
    "เ",
    "ก",
    "ำ",
    "์",
    "ခ",
    "်",
    "ក",
    "្",
    "か",
    "カ",
    "ー",
    "漢",
]
texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from([*PIECES, " ", ".", "a"]), max_size=20).map("".join))


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in segment(text)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A man plays.", ["A", "man", "plays", "."]),
        ("don't rock'n'roll 'quoted'", ["don't", "rock'n'roll", "'", "quoted", "'"]),
        ("1,000.50 dollars, or 3.", ["1,000.50", "dollars", ",", "or", "3", "."]),
        (
            "state-of-the-art (really)...",
            ["state", "-", "of", "-", "the", "-", "art", "(", "really", ")", ".", ".", "."],
        ),
        ("Zoë e\u0301te\u0301 naïve", ["Zoë", "e\u0301te\u0301", "naïve"]),
        ("Здравствуйте, мир!", ["Здравствуйте", ",", "мир", "!"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("男人在", ["男", "人", "在"]),
        ("👍🏽👩\u200d🚀 ok", ["👍🏽", "👩\u200d🚀", "ok"]),
        ("a\U0010fffd \ue000b", ["a", "\U0010fffd", "\ue000", "b"]),
        ("a\u00a0b\tc\n\nd", ["a", "b", "c", "d"]),
        ("", []),
        ("  ", []),
    ],
)
def test_a_text_is_cut_into_the_words_a_person_reads(text, words):
    assert cut(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("see https://a.org/b?c=d#e. (www.f.com)", ["see", "https://a.org/b?c=d#e", ".", "(", "www.f.com", ")"]),
        ("ask me.x+y@foo.co.uk, or quora.com/x!", ["ask", "me.x+y@foo.co.uk", ",", "or", "quora.com/x", "!"]),
        ("the end.Next b.c", ["the", "end", ".", "Next", "b", ".", "c"]),
        ("地図はhttp://a.jp/xを見て", ["地図", "は", "http://a.jp/x", "を", "見", "て"]),
    ],
)
def test_addresses_are_whole(text, words):
    assert cut(text) == words


@pytest.mark.parametrize(
    "word",
    [
        *("5kg", "3.5%", "$20", "10:30", "10:30pm", "€3,50", "$1,000.50", "20€", "25°C", "$50k", "−5", "±0.1%", "−5°C"),
        *("5m/s", "100km/h", "2mg/l", "1e-5", "2E+10", "1/2", "2024-05-06", "06/05/2024", "6.5.24", "12V", "3D"),
    ],
)
def test_numbers_with_their_signs_are_whole(word):
    assert cut(f"It was {word}, or so.") == ["It", "was", word, ",", "or", "so", "."]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("20 km/h at −5 °C", ["20", "km/h", "at", "−5", "°C"]),
        ("and/or he/she 3 he/she", ["and", "/", "or", "he", "/", "she", "3", "he", "/", "she"]),
        ("10-20 pages, a−5", ["10", "-", "20", "pages", ",", "a", "−", "5"]),
        ("1e-5x 2/3/4/5", ["1e", "-", "5x", "2", "/", "3", "/", "4", "/", "5"]),
    ],
)
def test_units_apart_from_their_numbers_are_whole_and_what_is_none_is_not(text, words):
    assert cut(text) == words


@pytest.mark.parametrize("text", ["50 % of it", "a:b", "me: 5", "5, 6", "100%cotton $ 5"])
def test_what_only_stands_beside_a_number_is_not(text):
    assert not any(len(w) > 1 and not w.isalnum() and w != "100%" for w in cut(text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("男性がステージで弾いている。", ["男性", "が", "ステージ", "で", "弾", "いている", "。"]),
        ("人々はらーめんを食べた", ["人々", "はらーめんを", "食", "べた"]),
        ("男人在舞台上", ["男", "人", "在", "舞", "台", "上"]),
        ("ผู้ชายกำลังเล่นกีตาร์บนเวที", ["ผู้", "ชาย", "กำ", "ลัง", "เล่น", "กี", "ตาร์", "บน", "เว", "ที"]),
        ("ຂ້ອຍມັກຫຼິ້ນ", ["ຂ້ອຍ", "ມັກ", "ຫຼິ້ນ"]),
        ("မိန်းကလေးတစ်ယောက်", ["မိန်း", "က", "လေး", "တစ်", "ယောက်"]),
        ("ខ្ញុំចង់ទៅផ្សារ", ["ខ្ញុំ", "ចង់", "ទៅ", "ផ្សារ"]),
    ],
)
def test_scripts_without_spaces_are_cut_into_units_that_mean_something(text, words):
    assert cut(text) == words


@given(texts)
def test_words_are_disjoint_in_order_and_made_of_whole_atoms(text):
    spans, small = segment(text), atoms(text)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    covered = {i for start, end in spans for i in range(start, end)}
    assert covered == {i for start, end in small for i in range(start, end)}
    assert all(i in covered for i, c in enumerate(text) if c.isalnum())
    assert not any(text[i].isspace() for i in covered)
    assert all(any(s <= a and b <= e for s, e in spans) for a, b in small)


@pytest.mark.parametrize(
    "piece", ["a", "a.", "a@", "1:", "1/", "1", "1.", "1e-", "ก", "ห", "เ", "www.", "-", "(", "か"]
)
def test_a_long_text_is_cut_in_no_time(piece):
    began = time.process_time()
    segment("http://" + piece * (100_000 // len(piece)))
    assert time.process_time() - began < 2
