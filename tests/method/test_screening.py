"""Candidates on functions of words whose truth is known."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gmask.method.screening import grow, promising, removals, screen, three_in_five


def run(questions, model):
    """Answer a generator's questions with a function of rows; what it returns, and how many rows it asked."""
    asked, values = 0, None
    while True:
        try:
            rows = questions.send(values)
        except StopIteration as end:
            return end.value, asked
        if isinstance(rows, list):
            rows = np.concatenate([own for _, own in rows])
        asked, values = asked + len(rows), model(rows).astype(float)


def task(n, seed=0, ways=1):
    return SimpleNamespace(
        n=n,
        random=lambda: np.random.default_rng(seed),
        bound=SimpleNamespace(ways=list(range(ways))),
        in_turn=lambda rows: [(way, rows[way::ways]) for way in range(ways)],
        keep=lambda words: np.isin(np.arange(n), list(words)),
    )


def first_look(task, rows, model, *, alone=False):
    """A score a word, what its absence does, and how many rows were asked."""
    near, removed = run(removals(task), model)
    score, asked = run(screen(task, near, rows, alone=alone), model)
    return score, near, removed + asked


def test_a_word_that_matters_alone_scores_highest():
    score, near, asked = first_look(task(12), 50, lambda s: s[:, 7], alone=True)
    assert score.argmax() == 7
    assert near.nonzero()[0].tolist() == [7]  # what its absence does
    assert asked == 1 + 2 * 12 + 50


def test_alone_only_words_count_that_stand_out():
    noise = np.random.default_rng(0).uniform(0.3, 0.5, 12)

    def model(s):  # single words say this and that; word 3 is needed, word 8 is enough alone
        single = s.sum(axis=1) == 1
        return np.where(single, np.where(s[:, 8], 1.0, s @ noise), 0.5 + 0.1 * s[:, 3])

    score, near, _ = first_look(task(12), 0, model, alone=True)
    assert near.nonzero()[0].tolist() == [3]
    assert score.nonzero()[0].tolist() == [3, 8]


def test_random_rows_see_what_single_words_do_not():
    rule = lambda s: (s[:, 0] & s[:, 1]) | (s[:, 2] & s[:, 3])
    blind, _, _ = first_look(task(12), 0, rule, alone=True)
    assert (blind == 0).all()
    score, _, _ = first_look(task(12), 200, rule)
    assert set(np.argsort(-score)[:4]) == {0, 1, 2, 3}


def test_words_that_would_turn_a_sure_answer_are_found_before_words_that_please():
    def model(s):  # sure until three of words 0 to 3 are gone; few words alone are liked the better the more of 8 to 11
        sure = 1 / (1 + np.exp(3 * (~s[:, :4]).sum(axis=1) - 8))
        return np.where(s.sum(axis=1) > 6, sure, 0.5 + 0.1 * s[:, 8:].sum(axis=1))

    score, _, _ = first_look(task(12), 0, model)
    (chosen, _), _ = run(grow(task(12), score, 4), model)
    assert chosen.tolist() == [0, 1, 2, 3]
    assert model(~np.eye(12, dtype=bool)).min() > 0.99  # none of which any single removal tells


@pytest.mark.parametrize("ways", [1, 2])
def test_more_random_rows_begin_with_the_same_ones_in_each_way(ways):
    few, more = (next(screen(task(6, ways=ways), np.zeros(6), rows)) for rows in (5, 50))
    assert len(few) == len(more) == ways
    assert sum(len(rows) for _, rows in more) == 50
    for (way, rows), (same, others) in zip(few, more, strict=True):
        assert way == same
        assert (others[: len(rows)] == rows).all()


def test_each_way_of_removing_words_has_a_level_of_its_own():
    other = task(8, ways=2)
    requests = next(questions := screen(other, np.zeros(8), 60))
    values = [0.3 * rows[:, 5] + (0.5 if way else 0.0) for way, rows in requests]
    with pytest.raises(StopIteration) as end:
        questions.send(np.concatenate(values))
    score = end.value.value
    assert score.argmax() == 5
    assert abs(np.delete(score, 5)).max() < 0.1 * score[5]


def test_a_word_in_the_shadow_of_others_is_found():
    def model(s):  # 0, 1 and 2 are each enough, and so hide 9
        return np.where(s[:, :3].any(axis=1), 1.0, 0.8 * s[:, 9])

    score = np.zeros(12)
    score[:3] = 1
    (candidates, rest), _ = run(grow(task(12), score, 4), model)
    assert candidates.tolist() == [0, 1, 2, 9]
    assert sorted([*candidates, *rest]) == list(range(12))


def test_further_words_are_found_given_the_candidates_and_each_other():
    def model(s):  # with few words, 4 or 5 is enough; with many, both are needed; 6 does less, but something else
        few = s.sum(axis=1) <= 4
        return 0.3 * np.where(few, s[:, 4] | s[:, 5], s[:, 4] & s[:, 5]) + 0.1 * s[:, 6]

    score = np.eye(8)[0]
    (candidates, rest), _ = run(grow(task(8), score, 1, start=1), model)
    assert (candidates.tolist(), rest[:3]) == ([0], [4, 5, 6])
    (candidates, rest), _ = run(grow(task(8), score, 1, start=1, further=1), model)
    assert (candidates.tolist(), rest[:3]) == ([0], [4, 6, 5])


def test_of_too_many_words_the_promising_ones_are_taken():
    rule = lambda s: s[:, 2] | (s[:, 5] & s[:, 7])
    assert run(promising(task(9), 9), rule)[1] == 0
    found, asked = run(promising(task(9), 1), rule)
    assert (found.tolist(), asked) == ([2], 2 + 2 * 9)


@pytest.mark.parametrize(("k", "pool"), [(1, None), (4, None), (8, 5), (20, None)])
def test_every_word_is_a_candidate_or_in_the_rest_and_the_pool_is_kept(k, pool):
    (candidates, rest), asked = run(grow(task(20), np.arange(20.0), k, pool=pool), lambda s: s.sum(axis=1))
    assert len(candidates) == k
    assert sorted([*candidates, *rest]) == list(range(20))
    assert asked <= 2 * (k + 1 - three_in_five(k)) * (pool or 20)


def test_single_removals_alone_and_growth_from_the_first_word():
    score, near, asked = first_look(task(9), 0, lambda s: s[:, 4] & s[:, 6])
    assert asked == 1 + 9
    np.testing.assert_allclose(near, 2 * score)
    assert score.nonzero()[0].tolist() == [4, 6]
    (candidates, _), _ = run(grow(task(9), np.eye(9)[4], 2, start=1), lambda s: s[:, 4] & s[:, 6])
    assert candidates.tolist() == [4, 6]


def test_candidates_are_no_more_than_the_answer_stands_on_and_falls_without():
    rule = lambda s: s[:, 2] & s[:, 5]
    score = np.eye(12)[2] + np.eye(12)[5]
    (candidates, rest), few = run(grow(task(12), score, 8, start=2, later=3, needed=[2, 5]), rule)
    assert {2, 5} <= set(candidates.tolist())
    assert len(candidates) == 4
    assert sorted([*candidates, *rest]) == list(range(12))
    (candidates, _), more = run(grow(task(12), score, 8, start=2, needed=[2, 5, 9]), rule)
    assert {2, 5, 9} <= set(candidates.tolist()) or len(candidates) == 8  # a word that is needed is waited for
    (candidates, _), all_asked = run(grow(task(12), score, 8, start=2), rule)
    assert len(candidates) == 8
    assert few < all_asked
    assert few < more


def test_what_is_kept_and_what_is_removed_are_asked_in_different_ways_in_turn():
    asked = []
    questions = grow(task(6, ways=2), np.arange(6.0), 3, start=1)
    wanted = next(questions)
    while True:
        asked.append([(way, int(rows[0].sum())) for way, rows in wanted])
        try:
            wanted = questions.send(np.concatenate([rows.sum(axis=1) for _, rows in wanted]).astype(float))
        except StopIteration:
            break
    assert [[way for way, _ in requests] for requests in asked] == [[1, 0], [0, 1], [1, 0]]


def test_the_words_that_are_missed_most_are_removed_in_all_ways():
    from gmask.method.screening import CLOSER

    other = task(CLOSER + 5, ways=2)
    questions = removals(other)
    ((first, rows),) = next(questions)
    assert first == other.bound.ways[0]
    assert len(rows) == CLOSER + 6
    closer = questions.send(np.where(rows.all(axis=1), 0.9, 0.9 - 0.1 * ~rows[:, 3]))
    assert len(closer) == CLOSER
    assert (~closer[:, 3]).any()
