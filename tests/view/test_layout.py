from __future__ import annotations

from itertools import pairwise

import pytest

from gmask.view.layout import BLOCK, NODE, ROW, lay_out
from gmask.view.parts import LINKED
from tests.explanations import guitar, hostile, long, make, one_sided, single_words


def test_nothing_overlaps_and_everything_is_inside(any_explanation):
    plan = lay_out(any_explanation)
    for side in (0, 1):
        ys = [row.y for row in plan.rows if row.sentence == side]
        assert all(b - a >= ROW - 1e-6 for a, b in pairwise(ys))
        assert all(plan.top <= y <= plan.height for y in ys)
    assert all(b.y - a.y >= NODE[1] for a, b in pairwise(plan.nodes))
    assert plan.blocks[0] + BLOCK < plan.centre - NODE[0] / 2 or not plan.nodes
    assert plan.centre + NODE[0] / 2 < plan.blocks[1] or not plan.nodes
    assert all(plan.foot + 18 * i < plan.height for i in range(len(plan.notes)))


def test_lines_are_the_memberships_that_count():
    e = guitar()
    plan = lay_out(e)
    drawn = {(link.group, e.words[link.word].text): link.strength for link in plan.links}
    assert drawn == {
        (0, "electric"): 0.55, (0, "guitar"): 0.97, (0, "banjo"): 0.94,
        (1, "stage"): 0.9, (1, "floor"): 0.95, (1, "electric"): 0.25,
    }  # fmt: skip


def test_short_sentences_are_shown_whole_and_in_order():
    e = guitar()
    assert [row.word for row in lay_out(e).rows] == list(range(len(e.words)))


def test_long_sentences_keep_what_matters_and_count_the_rest():
    e = long()
    plan = lay_out(e)
    shown = {row.word for row in plan.rows} - {None}
    for group in e.groups:
        assert {i for i, m in enumerate(group.memberships) if m >= LINKED} <= shown
    for side in (0, 1):
        rows = [row for row in plan.rows if row.sentence == side]
        assert len(rows) <= 25
        left_out = sum(int(row.text.split()[1]) for row in rows if row.word is None)
        assert left_out + sum(row.word is not None for row in rows) == sum(w.sentence == side for w in e.words)


def test_two_thousand_words_give_a_small_figure():
    e = make(" ".join(f"w{i}" for i in range(2000)), "b", {(0, f"w{i}"): i / 2000 for i in range(2000)})
    assert lay_out(e).height < 800


def test_very_long_words_are_cut_but_named_in_full():
    (row,) = [row for row in lay_out(hostile()).rows if row.full.startswith("Donau")]
    assert len(row.text) == 17
    assert row.full == "Donaudampfschiff" * 12


@pytest.mark.parametrize("titled", [True, False])
def test_a_page_brings_its_own_title_and_notes(titled):
    assert bool(lay_out(one_sided(), titled=titled).notes) == titled


def test_without_groups_there_is_nothing_in_the_middle():
    plan = lay_out(single_words())
    assert plan.nodes == plan.links == []
    assert len(plan.heads()) == 2
