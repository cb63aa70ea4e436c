from __future__ import annotations

import numpy as np
import pytest
import torch

from gmask.absence.delete import Delete
from gmask.errors import GmaskError
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair
from gmask.pair import Word, segment


class Counting(PairModel):
    """Answers with the share of words kept, and records every row it is asked."""

    name = "counting"
    labels = ("few", "many")

    def __init__(self, budget: int | None = None) -> None:
        self.budget = budget
        self.asked: list[bytes] = []

    def _bind(self, first, second, removal):
        words = [Word(t[s:e], i, s, e) for i, t in enumerate((first, second)) for s, e in segment(t)]
        return BoundPair(self, (first, second), words, removal)

    def _forward(self, questions, on_rows):
        self.asked += [kept.tobytes() for _, kept in questions]
        on_rows(len(questions))
        share = np.array([kept.mean() for _, kept in questions])
        return np.stack([1 - share, share], axis=1)


def test_a_row_is_put_to_the_model_once_ever():
    model = Counting()
    bound = model.bind("a b", "c d")
    rows = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 0, 0]])
    assert np.allclose(bound(rows)[:, 1], 0.5)
    bound(rows[::-1])
    assert len(model.asked) == bound.rows_asked == 2


def test_answers_come_back_in_the_order_of_the_rows_of_each_pair():
    model = Counting()
    first, second = model.bind("a b", "c"), model.bind("a", "b c d")
    rows = [np.eye(3, dtype=bool)[:2], np.array([[1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 0, 0]])]
    told: list[int] = []
    answers = model.answer([(first, rows[0]), (second, rows[1])], on_rows=told.append)
    assert np.allclose(answers[0][:, 1], [1 / 3, 1 / 3])
    assert np.allclose(answers[1][:, 1], [1, 0, 0.5])
    assert told == [5]


def test_the_mean_of_equal_answers_is_that_answer_to_the_last_bit():
    class Steady(Counting):
        removals = ("delete", "blank", "swap")

        def _forward(self, questions, on_rows):
            return np.tile([0.05, 0.95], (len(questions), 1))

    assert np.mean([0.95] * 3) != 0.95
    bound = Steady().bind("a b", "c", removal="delete+blank+swap")
    assert (bound(np.zeros((1, 3)))[0] == [0.05, 0.95]).all()


def test_no_rows_have_no_answers():
    bound = Counting().bind("a b", "c")
    assert bound(np.zeros((0, 3), dtype=bool)).shape == (0, 2)


@pytest.mark.parametrize("rows", [np.ones(3), np.ones((2, 4)), np.ones((1, 1, 3))])
def test_rows_of_another_shape_are_refused(rows):
    with pytest.raises(GmaskError, match=r"\[rows, 3\]"):
        Counting().bind("a b", "c")(rows)


def test_the_budget_counts_different_rows_of_each_pair():
    model = Counting(budget=3)
    bound = model.bind("a b", "c")
    bound(np.eye(3))
    bound(np.eye(3))
    model.bind("a", "b c")(np.eye(3))
    with pytest.raises(GmaskError, match=r"budget of 3 rows .* 4 are needed"):
        bound(np.ones((1, 3)))
    assert len(model.asked) == 6


def test_an_answer_that_is_no_number_is_refused():
    class Broken(Counting):
        def _forward(self, questions, on_rows):
            return np.full((len(questions), 2), np.inf)

    with pytest.raises(GmaskError, match="not finite"):
        Broken().bind("a", "b")(np.ones((1, 2)))


def test_a_model_that_gives_only_probabilities_says_so():
    bound = Counting().bind("a", "b")
    for ask in (lambda: bound.soft(torch.ones(1, 2)), bound.embed, bound.token_words):
        with pytest.raises(GmaskError, match="gives no gradients"):
            ask()
    with pytest.raises(GmaskError, match="gives no gradients"):
        bound.from_embeddings(torch.ones(1, 2, 3))
    with pytest.raises(GmaskError, match="no attention weights"):
        bound.attentions()


def test_an_unknown_removal_is_refused_with_the_valid_ones():
    with pytest.raises(GmaskError, match="'drop'; valid: delete"):
        Counting().bind("a", "b", removal="drop")


@pytest.mark.parametrize(
    ("gone", "texts"),
    [
        ([], ("The  cat sat.", "On a mat!")),
        ([1], ("The sat.", "On a mat!")),
        ([0, 1, 2, 3], ("", "On a mat!")),
        ([3, 7], ("The cat sat", "On a mat")),
        ([0, 4, 6], ("cat sat.", "a !")),
    ],
)
def test_deleted_words_leave_no_double_spaces(gone, texts):
    bound = Counting().bind("The  cat sat.", "On a mat!")
    kept = np.ones(len(bound.words), dtype=bool)
    kept[gone] = False
    assert Delete().texts(bound, kept) == texts
