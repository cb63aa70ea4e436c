from __future__ import annotations

import numpy as np
import pytest

from gmask.dataset.cleaning import clean, clean_example
from gmask.dataset.example import Example
from gmask.dataset.highlights import annotated_words, highlighted_words, marked_positions
from gmask.pair import Word, segment


def words_of(*texts: str) -> list[Word]:
    return [Word(t[s:e], i, s, e) for i, t in enumerate(texts) for s, e in segment(t)]


@pytest.mark.parametrize(
    ("sentence", "marked", "positions"),
    [
        ("A man runs.", "A *man* *runs.*", (1, 2)),
        ("A man runs.", "A *man* *runs*.", (1, 2)),
        ("A man runs fast.", "A *man runs fast*.", (1, 2, 3)),
        ("A man runs.", "A man runs.", ()),
        ("A  man   runs.", "A man *runs.*", (2,)),
        ("The *star* shines.", "The *star* *shines.*", (2,)),
        ("The *star* shines.", "The **star** shines.", (1,)),
        ("A man-made lake", "A *man*-made lake", (1,)),
        ("A man runs.", "A woman *runs.*", None),
        ("A man runs.", "A *man*", None),
    ],
)
def test_stars_mark_white_space_tokens(sentence, marked, positions):
    assert marked_positions(sentence, marked) == positions


def test_marked_tokens_are_marked_words_without_the_punctuation_that_hangs_on():
    texts = ("An old man, smiling.", "A man isn't sad !")
    words = words_of(*texts)
    marked = highlighted_words(words, texts, (((2, 3), (2, 4)), ((), (0,))))
    assert [[w.text for w, m in zip(words, row, strict=True) if m] for row in marked] == [
        ["man", "smiling", "isn't", "!"],
        ["A"],
    ]


def test_a_sentence_nobody_annotated_is_told_from_one_without_marks():
    words = words_of("A man.", "A boy.")
    asked = annotated_words(words, ((None, ()), ((), (1,))))
    assert (asked[0] == np.array([False, False, False, True, True, True])).all()
    assert asked[1].all()


def test_no_highlights_are_no_rows():
    words = words_of("A man.", "A boy.")
    assert highlighted_words(words, ("A man.", "A boy."), ()).shape == (0, 6)


def test_cleaning_lowers_squeezes_and_drops_special_characters():
    assert clean('  The "Quick", (brown)\tfox_jumps #1; isn\'t it?  ') == "the quick brown fox jumps 1 isn't it ?"
    assert clean("Ärger über 3.5 %") == "ärger über 3 . 5"


def test_cleaning_keeps_highlights_on_their_words():
    example = Example("- A man, smiling.", "A well-known boy.", highlights=(((2, 3), (1,)), ((0,), None)))
    cleaned = clean_example(example)
    assert cleaned.first.split() == ["a", "man", "smiling", "."]
    assert cleaned.second.split() == ["a", "well", "known", "boy", "."]
    assert cleaned.highlights == (((1, 2), (1, 2)), ((), None))
