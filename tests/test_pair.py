from __future__ import annotations

import pytest

from gmask.errors import GmaskError
from gmask.pair import MAX_WORDS, check_pair, segment


def cut(text: str, *, pieces: bool = False) -> list[str]:
    return [text[start:end] for start, end in segment(text, pieces=pieces)]


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


def test_scripts_without_spaces_are_cut_finely_only_for_a_tokenizer():
    assert cut("กีตาร์ ดี") == ["กีตาร์", "ดี"]
    assert len(cut("กีตาร์ ดี", pieces=True)) > 2
    assert "".join(cut("กีตาร์ ดี", pieces=True)) == "กีตาร์ดี"


def test_two_good_texts_come_back_unchanged():
    assert check_pair(" A man. ", "好") == (" A man. ", "好")


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("", "is empty"),
        (" \t\n", "is empty"),
        ("...!?", "only punctuation"),
        (None, "must be a text, not NoneType"),
        (b"bytes", "must be a text, not bytes"),
        (["a"], "must be a text, not list"),
        ("a\0b", "NUL byte"),
        ("a\ud800", "not valid Unicode"),
        ("word " * (MAX_WORDS + 1), f"at most {MAX_WORDS:,}"),
        ("x" * 300_000, "300,000 characters; at most"),
    ],
)
def test_a_bad_text_is_named_with_its_place(bad, message):
    for place, pair in (("first", (bad, "ok")), ("second", ("ok", bad))):
        with pytest.raises(GmaskError, match=message) as caught:
            check_pair(*pair)
        assert place in str(caught.value)
        assert "\n" not in str(caught.value)


def test_an_emoji_can_be_a_sentence():
    assert check_pair("👍", "ok") == ("👍", "ok")
