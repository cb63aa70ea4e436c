"""What people aligned: read, and found on the words of a pair."""

from __future__ import annotations

import numpy as np
import pytest

from gmask.dataset.alignments import aligned_words
from gmask.dataset.cleaning import clean_example
from gmask.dataset.corpora import stream
from gmask.dataset.example import Alignment, Example
from gmask.dataset.table import DataError
from gmask.pair import Word, segment

HEADER = "sentence1\tsentence2\tsure\tpossible\n"


def words_of(*texts):
    return [Word(t[s:e], i, s, e) for i, t in enumerate(texts) for s, e in segment(t)]


def read(folder, line):
    path = folder / "multimwa" / "dev.tsv"
    path.parent.mkdir()
    path.write_text(HEADER + line + "\n")
    return list(stream(f"multimwa={path.parent}", "dev", labelled=False))


def test_sure_and_possible_links_are_read_and_told_apart(tmp_path):
    [example] = read(tmp_path, "he did n't go .\the stayed .\t4-2 0-0\t3-1 1-1")
    assert example.alignment == Alignment(((0, 0), (4, 2)), ((1, 1), (3, 1)))


def test_nothing_aligned_is_told_from_nobody_asked(tmp_path):
    [example] = read(tmp_path, "a b\tc d\t\t")
    assert example.alignment == Alignment(())
    (tmp_path / "plain.tsv").write_text("sentence1\tsentence2\na\tb\n")
    assert next(stream(tmp_path / "plain.tsv", labelled=False)).alignment is None


@pytest.mark.parametrize("links", ["0-2", "2-0", "0", "0-0-0", "a-b", "-1-0", "٠-0"])
def test_a_link_that_leads_nowhere_is_told_with_its_place(tmp_path, links):
    with pytest.raises(DataError, match=r"line 2, column 'sure': '.*' is no link; wanted are positions i-j below 2"):
        read(tmp_path, f"a b\tc d\t{links}\t")


def test_tokens_lead_to_the_words_in_them_both_ways():
    texts = ("the man's well-known dog .", "a famous dog.")
    words = words_of(*texts)
    aligned = aligned_words(words, texts, Alignment(((2, 1), (3, 2)), ((4, 2),)))
    found = {(words[i].text, words[j].text) for i, j in np.argwhere(aligned) if i < j}
    famous = {("well", "famous"), ("-", "famous"), ("known", "famous")}
    assert found == famous | {("dog", "dog"), ("dog", "."), (".", "dog"), (".", ".")}
    assert (aligned == aligned.T).all()


def test_cleaning_keeps_alignments_on_their_words():
    example = Example(
        "A well-known man , they say", "( a famous man )", alignment=Alignment(((1, 2), (3, 0)), ((2, 3),))
    )
    cleaned = clean_example(example)
    assert (cleaned.first, cleaned.second) == ("a well known man they say", "a famous man")
    assert cleaned.alignment == Alignment(((1, 1), (2, 1)), ((3, 2),))
