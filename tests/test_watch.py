from __future__ import annotations

import pytest
import torch

import gmask
from gmask.watch import tell, watching
from tests.toys import ScoreModel, rule_model


def test_the_watcher_is_told_of_every_row_the_model_answers():
    told: list[int] = []
    with watching(told.append):
        gmask.explain(rule_model([[(0, "amber")]]), "amber birch", "cedar delta", method="leave-one-out")
    bound = rule_model([[(0, "amber")]]).bind("amber birch", "cedar delta")
    assert sum(told) >= len(bound.words) + 2


def test_rows_through_the_gradient_are_told_too():
    model = ScoreModel(lambda weights, words: weights.sum(dim=1) - 2)
    told: list[int] = []
    with watching(told.append):
        model.bind("amber birch", "cedar delta").soft(torch.ones(7, 4))
    assert told == [7]


def test_an_error_of_the_watcher_ends_the_work():
    class Enough(Exception):
        pass

    def stop(rows: int) -> None:
        raise Enough

    with pytest.raises(Enough), watching(stop):
        gmask.explain(rule_model([[(0, "amber")]]), "amber birch", "cedar delta")


def test_after_the_block_nobody_watches():
    told: list[int] = []
    with watching(told.append):
        tell(1)
    tell(2)
    assert told == [1]
