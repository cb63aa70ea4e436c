from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmask.errors import GmaskError
from gmask.model.vocabulary import Vocabulary, tokens_of
from gmask.pair import segment


def tokens(text: str) -> list[str]:
    return [t for s, e in segment(text) for t in tokens_of(text[s:e])]


@pytest.mark.parametrize(
    ("running", "tokenised"),
    [
        ("Don't you?", "Do n't you ?"),
        ("I can’t.", "I ca n't ."),
        ('He said "no".', "He said `` no '' ."),
        ("John's dog, they'll", "John 's dog , they 'll"),
        ("It costs 10,000.5 dollars", "It costs 10,000.5 dollars"),
        ("$20 at 10:30, 5%", "$ 20 at 10 : 30 , 5 %"),
        ("a.com", "a . com"),
    ],
)
def test_running_and_tokenised_text_are_read_alike(running, tokenised):
    assert tokens(running) == tokens(tokenised)


@given(st.text(min_size=1))
def test_every_word_has_at_least_one_token(text):
    for start, end in segment(text):
        assert tokens_of(text[start:end])


def test_a_vocabulary_survives_its_file(tmp_path):
    vocabulary = Vocabulary(["a", "é", "n't", "\u2028x"], unknown=3)
    (tmp_path / "vocab.txt").write_text(vocabulary.text(), encoding="utf-8")
    again = Vocabulary.read(tmp_path / "vocab.txt", 3)
    assert again.tokens == vocabulary.tokens
    assert [again.row(t) for t in ("a", "é", "unheard")] == [vocabulary.row(t) for t in ("a", "é", "unheard")]


def test_rows_of_known_and_unknown_words_never_meet():
    vocabulary = Vocabulary(["a", "b"], unknown=3)
    assert [vocabulary.row("a"), vocabulary.row("b")] == [4, 5]
    assert {vocabulary.row(str(i)) for i in range(99)} == {1, 2, 3}
    assert len(vocabulary) == 6


def test_a_missing_file_is_an_error_of_one_line(tmp_path):
    with pytest.raises(GmaskError, match="cannot read"):
        Vocabulary.read(tmp_path / "none.txt", 3)
