from __future__ import annotations

import pytest

from gmask.errors import GmaskError
from gmask.pair import MAX_WORDS, Word, check_pair


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


def test_a_word_tells_where_it_stands():
    assert repr(Word("guitar", 0, 25, 31)) == "<Word 'guitar' in the first, at 25>"
    assert repr(Word("guitar", 1, 0, 6)) == "<Word 'guitar' in the second, at 0>"
