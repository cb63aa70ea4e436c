"""Black boxes that measure sameness, and what is known to be right of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import gmask
from gmask.bench.sameness import BOXES, Case, Recognised, cases, content, line, recognise, recognised
from gmask.cli.app import app
from gmask.explanation import Group

CASE = Case("the red dog of rome", "a red dog in oslo", frozenset({"red", "dog"}))


def ask(name, *pairs, case=CASE):
    return BOXES[name].model(case).function(list(pairs))


@pytest.mark.parametrize("name", BOXES)
def test_two_empty_texts_are_the_same_and_an_emptied_one_is_like_nothing(name):
    assert ask(name, ("", ""), ("the", "of a")) == [1.0, 1.0]
    assert ask(name, (CASE.first, ""), ("", CASE.second)) == [0.0, 0.0]


@pytest.mark.parametrize("name", BOXES)
def test_equal_words_are_alike_others_are_not_and_function_words_do_not_count(name):
    same, shuffled, other = ask(name, ("red dog", "red dog"), ("dog red", "the red dog"), ("red dog", "cat home"))
    assert same == shuffled == pytest.approx(1.0)
    assert abs(other) < 0.5


def test_boxes_by_hand():
    assert ask("share of words", (CASE.first, CASE.second)) == [pytest.approx(4 / 6)]
    assert ask("keywords", (CASE.first, CASE.second), ("red dog", "red cat")) == [1.0, 0.0]
    rare, common = ask("TF-IDF", ("dattel man", "dattel home"), ("man dattel", "man home"))
    assert rare > common  # man is a word of the package's sentences


@pytest.mark.parametrize("name", BOXES)
def test_cases_score_high_and_share_their_words_on_both_sides(name):
    box = BOXES[name]
    made = list(cases(box, 20))
    assert made == list(cases(box, 20))
    for case in made:
        one, other = content(case.first), content(case.second)
        assert {*one} & {*other} == case.shared
        assert (len(one), len(other)) == (box.shared + 2, box.shared + 3)
        [score] = box.model(case).function([(case.first, case.second)])
        assert 0.5 < score <= 1.0


def told(attributions, *groups, name="keywords", target="high"):
    e = gmask.explain(BOXES[name].model(CASE), CASE.first, CASE.second, method="random")
    made = tuple(Group(0.5, tuple(float(i in members) for i in range(10))) for members in groups)
    return replace(e, attributions=tuple(map(float, attributions)), groups=made, rows=7, target=target)


def test_scores_by_hand():  # red and dog are words 1 and 2, and 6 and 7
    top = (0, 4, 3, 0, 0, 0, 2, 1, 0, 0)
    assert recognised(CASE, told(top, {1, 6}, {2, 7})) == Recognised(1, 1, 1, 0, 7)
    assert recognised(CASE, told(top, {1, 6}, {2})).grouped == 0  # of one side
    assert recognised(CASE, told(top, {1, 6, 4})).grouped == 0  # with a word that is not shared
    assert np.isnan(recognised(CASE, told(top)).grouped)
    assert recognised(CASE, told((0, 4, 3, 9, 0, 0, 2, 1, 0, 0))).on_top == 0  # of four, all are wanted
    assert recognised(CASE, told((0,) * 10)).speechless == 1
    assert recognised(CASE, told(top, target="low")).high == 0


def test_of_six_words_one_may_be_missing():
    case = Case("red dog hat cat man", "red dog hat", frozenset({"red", "dog", "hat"}))
    e = gmask.explain(BOXES["share of words"].model(case), case.first, case.second, method="random")
    for cat, man, right in ((0, 0, 1), (9, 0, 1), (9, 9, 0)):
        assert recognised(case, replace(e, attributions=(6.0, 5.0, 4.0, cat, man, 3.0, 2.0, 1.0))).on_top == right


def test_a_line_has_shares_and_no_groups_where_a_method_has_none():
    nan = float("nan")
    assert line("m", "b", [Recognised(1, nan, 1, 0, 10), Recognised(0, nan, 1, 0, 20)]) == (
        "| m | b | 2 | 50% |  | 100% | 0% | 15 |"
    )
    assert "| 50% | 50% |" in line("m", "b", [Recognised(1, nan, 1, 0, 10), Recognised(0, 1, 1, 0, 20)])


@pytest.mark.parametrize("name", ["share of words", "TF-IDF", "keywords"])
def test_leave_one_out_finds_what_is_shared(name):
    found = [recognised(case, e) for case, e in recognise("leave-one-out", BOXES[name], 10)]
    assert all(f.on_top and f.high and not f.speechless for f in found)


def test_a_removal_reaches_the_explainer():
    with pytest.raises(gmask.GmaskError, match="unknown removal"):
        next(recognise("leave-one-out", BOXES["keywords"], 1, removal="shout"))


def test_the_command_has_a_line_a_method_and_box():
    done = CliRunner().invoke(app, ["bench", "sameness", "--methods", "leave-one-out", "--cases", "2"])
    assert done.exit_code == 0
    assert [text.split(" | ")[1] for text in done.stdout.splitlines()[2:]] == list(BOXES)


def test_boxes_that_score_are_asked_for_raw_scores():
    assert [name for name, box in BOXES.items() if box.model(CASE).raw] == ["TF-IDF, raw", "vectors, raw"]
