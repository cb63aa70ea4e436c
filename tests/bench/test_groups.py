"""The scores of planted groups, on explanations whose scores are known."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import gmask
from gmask.bench.boxes import Box, BoxModel, Planted, boxes
from gmask.bench.groups import Recovery, recover, recovery, story, table
from gmask.explanation import Group

# Words 0 to 3 and 4 to 6: an AND of 0 and 4, an OR of 1 and 5.
GROUPS = (Planted("AND", (0, 4), 5.0), Planted("OR", (1, 5), 7.0))
BOX = Box("mixed", (("a", "b", "c", "d"), ("e", "f", "g")), GROUPS, (), (0.0,) * 7)


def told(groups, attributions=(5, 4, 0, 0, 3, 2, 0), box=BOX):
    """An explanation of the box with these groups: (importance, words)."""
    e = gmask.explain(BoxModel(box), *(" ".join(s) for s in box.sentences), method="random")
    made = tuple(Group(importance, tuple(float(i in words) for i in range(7))) for importance, words in groups)
    return replace(e, groups=made, attributions=tuple(map(float, attributions)))


def test_the_truth_scores_one_everywhere():
    found = recovery(BOX, told([(0.9, {1}), (0.9, {5}), (0.5, {0, 4})]))
    assert (found.rand, found.match, found.exact, found.top, found.precision, found.tau) == (1, 1, 1, 1, 1, 1)
    assert math.isnan(found.one_sided)


@pytest.mark.parametrize("groups", [[], [(0.9, set(range(7)))], [(0.04, {1}), (0.04, {5}), (0.03, {0, 4})]])
def test_to_find_nothing_or_everything_or_what_does_not_matter_scores_nothing(groups):
    found = recovery(BOX, told(groups))
    assert (found.rand, found.exact, found.tau) == (0, 0, 0)


def test_match_is_the_likeness_of_reasons_and_groups():
    found = recovery(BOX, told([(0.9, {1, 5}), (0.5, {0, 4})]))
    assert found.match == pytest.approx(((0.5 + 0.5 + 1) / 3 + (0.5 + 1) / 2) / 2)
    assert recovery(BOX, told([])).match == 0


@pytest.mark.parametrize("kind", ["AND", "XOR"])
def test_planted_words_that_are_not_put_together_have_a_high_rand_index_but_no_match(kind):
    alone = []
    for box in boxes(kind, 20):
        e = gmask.explain(BoxModel(box), *(" ".join(s) for s in box.sentences), method="random")
        groups = (Group(0.9, tuple(float(i == word) for i in range(len(e.words)))) for word in box.words)
        alone.append(recovery(box, replace(e, groups=tuple(groups))))
    assert sum(r.rand for r in alone) / 20 > 0.8
    assert max(r.match for r in alone) <= 0.5
    assert not any(r.exact for r in alone)


def test_an_or_taken_for_one_group_is_no_exact_recovery():
    found = recovery(BOX, told([(0.9, {1, 5}), (0.5, {0, 4})]))
    assert found.exact == 0
    assert 0 < found.rand < 1


def test_importances_in_the_wrong_order_have_a_tau_of_minus_one():
    assert recovery(BOX, told([(0.5, {1}), (0.5, {5}), (0.9, {0, 4})])).tau == -1


def test_a_reason_that_is_not_found_has_no_importance():
    assert recovery(BOX, told([(0.9, {1}), (0.5, {0, 4})])).tau == 0  # above one word of the OR, below the other


def test_without_different_strengths_there_is_no_tau():
    lone = replace(BOX, groups=GROUPS[1:])
    assert math.isnan(recovery(lone, told([(0.9, {1}), (0.9, {5})], box=lone)).tau)


def test_top_words_are_counted_among_as_many_as_were_planted():
    assert recovery(BOX, told([], attributions=(5, 4, 9, 0, 3, 0, 0))).top == 0.75


def test_a_word_of_the_other_sentence_in_any_group_is_not_one_sided():
    box = replace(BOX, groups=(Planted("AND", (0, 2), 5.0),))
    assert recovery(box, told([(0.9, {0, 2})], box=box)).one_sided == 1
    assert recovery(box, told([(0.9, {0, 2}), (0.1, {4})], box=box)).one_sided == 0
    assert recovery(box, told([], box=box)).one_sided == 0


def test_a_table_has_a_line_a_kind_and_the_mean_of_the_kinds():
    nan = float("nan")
    scores = {
        "AND": [Recovery(1, 1, 1, 1, 1, nan, nan, 10), Recovery(0, 0, 0, 1, 1, 1, nan, 20)],
        "OR": [Recovery(1, 0.5, 0, 0, 1, 0, nan, 30)],
    }
    assert table("m", scores).splitlines() == [
        "| m | AND | 2 | 0.500 | 0.500 | 0.500 | 1.000 | 1.000 | 1.000 |  | 15 |",
        "| m | OR | 1 | 1.000 | 0.500 | 0.000 | 0.000 | 1.000 | 0.000 |  | 30 |",
        "| m | all | 3 | 0.750 | 0.500 | 0.250 | 0.500 | 1.000 | 0.500 |  | 22 |",
    ]


def test_a_story_tells_what_was_planted_and_what_was_found():
    e = replace(told([(0.9, {1})]), details={"candidates": [0, 1, 4]})
    assert story(BOX, e) == "planted AND 5.0 (a/1 e/2), OR 7.0 (b/1 f/2); found 0.90 (b/1); no candidates: f/2"


def test_gmask_recovers_single_ands_and_one_sided_stays_one_sided():
    lone = [recovery(box, e).exact for box, e in recover("gmask", "AND", 12) if len(box.groups) == 1]
    assert len(lone) >= 2
    assert all(lone)
    assert all(recovery(box, e).one_sided for box, e in recover("gmask", "one-sided", 5))


def test_methods_can_be_given_with_settings_and_all_see_the_same_boxes():
    seen = {name: [box for box, _ in recover(name, "OR", 2)] for name in ("gmask:preset=fast", "archipelago")}
    assert seen["gmask:preset=fast"] == seen["archipelago"] == list(boxes("OR", 2))
