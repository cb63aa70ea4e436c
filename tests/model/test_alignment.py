from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gmask.model.alignment import align
from tests.model.families import TEXTS, tiny_tokenizer

KINDS = ["bert", "roberta", "xlm-roberta", "gpt2", "deberta-v2"]  # one tokenizer of each kind
texts = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(" ".join(TEXTS)), max_size=30).map("".join))


def aligned(family: str, first: str, second: str):
    encoding = tiny_tokenizer(family)(text=first, text_pair=second, return_offsets_mapping=True)
    words, owners = align((first, second), encoding["offset_mapping"], encoding.sequence_ids())
    return encoding, words, owners


def words_of(family: str, text: str) -> list[str]:
    return [w.text for w in aligned(family, text, "a man")[1] if w.sentence == 0]


@pytest.mark.parametrize("family", KINDS)
@settings(max_examples=60, deadline=None)
@given(first=texts, second=texts)
def test_words_never_overlap_and_every_token_has_one_word_or_is_special(family, first, second):
    encoding, words, owners = aligned(family, first, second)
    for sentence, text in enumerate((first, second)):
        own = [w for w in words if w.sentence == sentence]
        assert all(text[w.start : w.end] == w.text and w.text == w.text.strip() != "" for w in own)
        assert all(a.end <= b.start for a, b in pairwise(own))
    sequences = encoding.sequence_ids()
    for sequence, owner, (start, end) in zip(sequences, owners, encoding["offset_mapping"], strict=True):
        if sequence is None:
            assert owner == -1
        elif any(w.sentence == sequence for w in words):
            assert words[owner].sentence == sequence
            if any(w.sentence == sequence and w.start < end and start < w.end for w in words):
                assert words[owner].start < end
                assert start < words[owner].end
    assert set(range(len(words))) <= set(owners.tolist())


@pytest.mark.parametrize("family", KINDS)
def test_subword_tokens_follow_their_word(family):
    text = "Zoë's unbelievably underestimated photographers don't sleep."
    expected = ["Zoë's", "unbelievably", "underestimated", "photographers", "don't", "sleep", "."]
    assert words_of(family, text) == expected


def test_the_same_word_in_both_sentences_stays_two_words():
    encoding, words, owners = aligned("bert", "man man", "man")
    assert [(w.text, w.sentence) for w in words] == [("man", 0), ("man", 0), ("man", 1)]
    word_ids = encoding.word_ids()
    assert word_ids.count(0) == 2  # the tokenizer's own numbers start again in the second sentence
    assert sorted(owners[owners >= 0].tolist()) == [0, 1, 2]


def test_words_that_share_a_token_are_one_word():
    words, owners = align(("wait... now", "b"), [(0, 4), (4, 7), (8, 11), (0, 1)], [0, 0, 0, 1])
    assert [w.text for w in words] == ["wait", "...", "now", "b"]
    assert owners.tolist() == [0, 1, 2, 3]


def test_a_chain_of_shared_tokens_is_one_word():
    words, owners = align(("a-b-c d", "x"), [(0, 2), (1, 4), (3, 5), (6, 7), (0, 1)], [0, 0, 0, 0, 1])
    assert [w.text for w in words] == ["a-b-c", "d", "x"]
    assert owners.tolist() == [0, 0, 0, 1, 2]


def test_an_invisible_token_goes_with_the_next_word_and_at_the_end_with_the_last():
    words, owners = align(("a  b ", "c"), [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 0), (0, 1)], [0] * 5 + [1] * 2)
    assert [w.text for w in words] == ["a", "b", "c"]
    assert owners.tolist() == [0, 1, 1, 1, 1, 2, 2]


def test_special_tokens_have_no_word_and_words_without_tokens_are_left_out():
    words, owners = align(("a b", "c"), [(0, 0), (0, 1), (0, 0), (0, 1)], [None, 0, None, 1])
    assert [w.text for w in words] == ["a", "c"]
    assert owners.tolist() == [-1, 0, -1, 1]


def test_a_separator_written_in_the_text_is_a_word():
    _, words, owners = aligned("bert", "a [SEP] man", "a man")
    assert [w.text for w in words][:3] == ["a", "[SEP]", "man"]
    assert np.flatnonzero(owners == -1).tolist() == [0, 4, 7]


@pytest.mark.parametrize(("family", "text"), [("bert", "男人在舞台"), ("xlm-roberta", "ผู้ชายกำลังเล่นกีตาร์บนเวที")])
def test_scripts_without_spaces_are_more_than_one_word(family, text):
    words = words_of(family, text)
    assert "".join(words) == text
    assert len(words) > 1


def test_words_without_spaces_are_no_smaller_than_people_would_cut_them():
    text = "男がギターを"
    words, owners = align((text, "x"), [(i, i + 1) for i in range(len(text))] + [(0, 1)], [0] * len(text) + [1])
    assert [w.text for w in words] == ["男", "が", "ギター", "を", "x"]
    assert owners.tolist() == [0, 1, 2, 2, 2, 3, 4]
