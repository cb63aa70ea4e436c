from __future__ import annotations

import numpy as np
import pytest

from gmask.metric import bootstrap
from gmask.metric.base import create
from gmask.metric.bootstrap import compare, interval


def column(values):
    return np.array(values, dtype=float)[:, None]


def test_the_interval_of_a_mean_is_near_the_normal_one():
    numbers = column(np.random.default_rng(0).normal(0.3, 0.1, 400))
    low, high = interval(create("aopc"), numbers)
    half = 1.96 * numbers.std() / 20
    assert low[0] == pytest.approx(numbers.mean() - half, abs=0.001)
    assert high[0] == pytest.approx(numbers.mean() + half, abs=0.001)


def test_the_same_seed_gives_the_same_interval():
    numbers = column(np.random.default_rng(1).random(30))
    assert interval(create("aopc"), numbers, seed=5) == interval(create("aopc"), numbers, seed=5)
    assert interval(create("aopc"), numbers, seed=5) != interval(create("aopc"), numbers, seed=6)


def test_pairs_are_drawn_in_blocks_that_bound_the_memory(monkeypatch):
    numbers = column(np.random.default_rng(1).random(30))
    whole = interval(create("aopc"), numbers)
    monkeypatch.setattr("gmask.metric.bootstrap._BLOCK", 30 * 7)
    bootstrap._draw.cache_clear()
    assert interval(create("aopc"), numbers) == whole
    assert len(bootstrap._draw(30, 0)) > 200
    bootstrap._draw.cache_clear()


def test_weights_are_drawn_once_for_all_figures_however_many_pairs_there_are():
    bootstrap._draw.cache_clear()
    numbers = column(np.random.default_rng(1).random(1_500))
    for _ in range(16):
        interval(create("aopc"), numbers)
    assert bootstrap._draw.cache_info().misses == 1
    assert sum(block.nbytes for block in bootstrap._draw(1_500, 0)) == 2_000 * 1_500
    bootstrap._draw.cache_clear()


def test_every_part_of_a_figure_has_its_interval_and_their_mean_one_of_its_own():
    numbers = np.random.default_rng(2).integers(0, 2, (50, 10)).astype(float)
    metric = create("post_hoc_accuracy")
    low, high = interval(metric, numbers)
    assert low.shape == high.shape == (10,)
    assert (low < numbers.mean(axis=0)).all()
    mean_low, mean_high = interval(metric, numbers, overall=True)
    assert mean_high[0] - mean_low[0] < (high - low).mean()  # parts that vary on their own even out


def test_a_clear_difference_is_found_and_no_difference_is_not():
    random = np.random.default_rng(3)
    difficulty = random.normal(0, 1, 60)
    one, same = column(difficulty + 0.2), column(difficulty + random.normal(0, 0.1, 60))
    better = compare(create("aopc"), one, column(difficulty))
    assert better.difference == pytest.approx(0.2)
    assert better.low > 0
    assert better.p < 0.01
    assert better.pairs == 60
    none = compare(create("aopc"), same, column(difficulty))
    assert none.low < 0 < none.high
    assert none.p > 0.05


def test_a_method_is_no_better_than_itself():
    numbers = column(np.random.default_rng(4).random(20))
    found = compare(create("aopc"), numbers, numbers)
    assert (found.difference, found.low, found.high, found.p) == (0.0, 0.0, 0.0, 1.0)


def test_degradation_is_compared_by_the_score_of_averaged_curves():
    metric = create("degradation")
    random = np.random.default_rng(5)

    def curves(steep):
        ends = random.uniform(0.7, 0.9, 40)
        middle = [[e, e - steep, 0.2, e, e - 0.05, 0.2] for e in ends]
        return np.array([metric.common(m) for m in middle])

    one, other = curves(0.4), curves(0.1)
    found = compare(metric, one, other)
    wanted = metric.figure(one.mean(axis=0)) - metric.figure(other.mean(axis=0))
    assert found.difference == pytest.approx(float(wanted[0]))
    assert found.low > 0


def test_draws_without_a_figure_widen_the_interval():
    metric = create("degradation")
    flat, steep = metric.common([0.5] * 6), metric.common([0.9, 0.3, 0.2, 0.9, 0.8, 0.2])
    low, high = interval(metric, np.array([flat, flat, steep]))
    assert low[0] == -np.inf
    assert high[0] == np.inf
