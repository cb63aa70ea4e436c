"""Texts cut into sentences, whatever they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmask.segmentation import segment
from gmask.splitting import split


def cut(text):
    return [text[start:end] for start, end in split(text)]


TEXTS = {
    "abbreviations": ["Dr. Smith et al. (2020) showed, e.g. in Fig. 3, that it fell.", "It did!"],
    "initials": ["J. R. R. Tolkien wrote it.", "He lived in the U.S.", "The end."],
    "acronyms": ["The U.S. Navy said no.", "Then it left."],
    "decimals and measures": ["It rose by 3.5 percent in the 12-in. tunnel.", "No. 5 did not.", "I said no.", "Why?"],
    "quotations": ['"Why?" he asked.', "“It is so.”", "She left (at last.)", "All was well."],
    "German": ["Am 3. Mai kam er z. B. nach Berlin.", "Dann ging er.", "Das kostet ca. 3 Mio. Euro."],
    "small letters": ["what is this?", "it is a test, i.e. a trial.", "see fig. 3 for more.", "wait... no, go on."],
    "full stops by themselves": ["a wing in a slipstream .", "at mach number . 5 it fell .", "results were good ."],
    "Chinese": ["这是第一句。", "这是第二句！", "“真的？”他说。", "好"],
    "Japanese": ["今日は良い天気です。", "明日は「雨です。」と言った。"],
}


@pytest.mark.parametrize("kind", TEXTS)
def test_sentences_end_where_people_end_them(kind):
    sentences = TEXTS[kind]
    assert cut(("" if kind in ("Chinese", "Japanese") else " ").join(sentences)) == sentences


def test_lines_end_sentences_where_they_are_headings_or_items():
    text = (
        "Results\nThe wing was long, and this line goes on and on until it is\nwrapped, and then it stops. Then more.\n"
        "Three things matter:\n- its length\n- its width\n1. Height\n2) Weight\n\nno capital begins this paragraph"
    )
    assert cut(text) == [
        "Results",
        "The wing was long, and this line goes on and on until it is\nwrapped, and then it stops.",
        "Then more.",
        "Three things matter:",
        "- its length",
        "- its width",
        "1. Height",
        "2) Weight",
        "no capital begins this paragraph",
    ]


def test_a_text_without_an_end_is_one_sentence():
    assert cut("  no end here ") == ["no end here"]
    assert cut(" \n ") == []
    assert cut("...") == ["..."]
    assert cut("Well... ! Then it went . . . on.") == ["Well... !", "Then it went . . . on."]


WRITTEN = st.lists(
    st.sampled_from(
        [
            "Word",
            "word",
            "e.g.",
            "3.5",
            "A.",
            "fig.",
            ".",
            "?",
            "!",
            '"',
            "(",
            ")",
            "。",
            "」",
            "好",
            "\n",
            "\n\n",
            "- ",
            " ",
            "…",
            "1.",
        ]
    )
).map("".join)


@given(st.one_of(st.text(), WRITTEN))
def test_spans_hold_every_word_in_order_and_none_twice(text):
    spans = split(text)
    place = 0
    for start, end in spans:
        assert place <= start < end
        assert not text[place:start].strip()
        assert text[start:end] == text[start:end].strip()
        place = end
    assert not text[place:].strip()
    starts = [start for start, _ in segment(text)]
    assert all(any(low <= start < high for low, high in spans) for start in starts if text[start].strip())


@given(
    st.lists(st.sampled_from(["It rained.", "We went home!", "Who knows?"]), min_size=1),
    st.sampled_from([" ", "\n", "  "]),
)
def test_plain_sentences_are_found_one_by_one(sentences, between):
    assert cut(between.join(sentences)) == sentences
