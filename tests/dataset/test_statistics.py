from __future__ import annotations

import pytest

from gmask.dataset.example import Example
from gmask.dataset.statistics import statistics


def test_words_of_the_cleaned_texts_are_counted_over_all_splits():
    train = [Example("A man, running.", "a MAN", "x"), Example("b", "c", "y")]
    figures = statistics({"train": train, "test": [Example("new words here", "a", None)]})
    assert figures.classes == 2
    assert figures.length == pytest.approx((4 + 2 + 1 + 1 + 3 + 1) / 6)
    assert figures.vocabulary == len({"a", "man", "running", ".", "b", "c", "new", "words", "here"})
    assert figures.pairs == (2, None, 1)


def test_a_single_file_counts_as_train():
    assert statistics({"all": [Example("a", "b", "x")]}).pairs == (1, None, None)
