"""How known causes are scored, told and kept."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

import gmask
from gmask.bench.cause import Cause, spread
from gmask.bench.causes import Found, differences, find, found, known_causes, records, table
from gmask.cli.app import app
from gmask.explanation import Group
from tests.toys import rule_model

# Words 0 to 3 and 4 to 6; the cause are words 1 and 5.
FIRST, SECOND = "one two three four", "five six seven"
CAUSE = Cause(FIRST, SECOND, "yes", (1, 5), "test")


def told(attributions, *groups):
    e = gmask.explain(rule_model([[(0, "two"), (1, "six")]]), FIRST, SECOND, method="random")
    made = tuple(Group(0.5, tuple(float(i in members) for i in range(7))) for members in groups)
    return replace(e, attributions=tuple(map(float, attributions)), groups=made, rows=9)


@pytest.mark.parametrize(
    ("attributions", "groups", "expected"),
    [
        ((0, 5, 0, 0, 0, 4, 0), [{1, 5}], (1, 1, 1, 1, 1, 1, 9)),
        ((9, 5, 0, 0, 0, 4, 0), [{0, 1, 5}], (0, 1, 0, 1, 0, 1, 9)),
        ((4, 9, 4, 4, 4, 3, 0), [{1}, {5}], (0, 0, 1, 0, 0, 2, 9)),
        ((0, 5, 0, 0, 0, 4, 0), [{0}, {1, 5}], (1, 1, 1, 1, 0, 2, 9)),
        ((0, 5, 0, 0, 0, 4, 0), [], (1, 1, 1, 0, 0, 0, 9)),
    ],
)
def test_scores_by_hand(attributions, groups, expected):
    assert found(CAUSE, told(attributions, *groups)) == Found(*expected)


def test_one_case_a_sentence_spread_over_the_kinds():
    a, b = replace(CAUSE, kind="a"), replace(CAUSE, kind="b")
    assert [c.kind for c in spread([[a, b], [], [a, b], [a], [a], [a, b]])] == ["a", "b", "a", "a", "b"]


def test_tables_have_shares_with_intervals_and_differences_from_the_first_method():
    with_groups = [Found(1, 1, 1, 1, 0, 2, 10), Found(0, 1, 1, 0, 0, 1, 20)]
    without = [Found(0, 0, 1, 0, 0, 0, 5), Found(0, 0, 0, 0, 0, 0, 5)]
    lines = table({"g": with_groups, "w": without}).splitlines()
    assert lines[2].startswith("| g | 0.50 [0.00, 1.00] | 1.00 [1.00, 1.00] | ")
    assert lines[2].endswith("| 0.50 [0.00, 1.00] | 0.00 [0.00, 0.00] | 15 |")
    assert lines[3].endswith("|  |  | 5 |")  # never a group, so none is judged
    [_, _, line] = differences({"g": with_groups, "w": without}).splitlines()
    assert line.startswith("| w | −0.50 [−1.00, +0.00], p 0.")
    assert "| −1.00 [−1.00, −1.00], p 0.001 |" in line
    assert line.endswith("|  |  |")


def test_a_planted_cause_is_found_and_a_removal_reaches_the_explainer():
    model = rule_model([[(0, "two"), (1, "six")]])
    seconds = []
    [score] = find(model, "leave-one-out", [CAUSE], on_found=seconds.append, removal="delete")
    assert (score.all_first, score.first, score.groups) == (1, 1, 0)
    assert len(seconds) == 1
    assert records([CAUSE], {"m": [score]})[0]["found"]["m"]["all_first"] == 1
    with pytest.raises(gmask.GmaskError, match="unknown removal"):
        next(find(model, "leave-one-out", [CAUSE], removal="shout"))


def test_more_causes_are_added_to_fewer():
    model = gmask.load("nli-dattn")
    every = known_causes(model)
    assert known_causes(model, limit=5) == every[:5]
    assert len(every) > 20
    assert len({c.first for c in every}) == len(every)
    assert len({c.kind for c in every}) >= 6
    assert {c.label for c in every} == {"contradiction"}


def test_the_command_prints_tables_and_keeps_every_case(tmp_path):
    folder = tmp_path / "cad_nli"
    folder.mkdir()
    (folder / "train.tsv").write_text(
        "group\tpart\tsentence1\tsentence2\tlabel\n"
        "0\toriginal\tA man is sleeping.\tA man is asleep.\tentailment\n"
        "0\thypothesis\tA man is sleeping.\tA man is awake.\tcontradiction\n"
    )
    arguments = [
        "--model",
        "nli-dattn",
        "--data",
        folder,
        "--methods",
        "leave-one-out,random",
        "-o",
        tmp_path / "c.json",
    ]
    done = CliRunner().invoke(app, ["bench", "causes", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0
    assert "nli-dattn, 1 cases (second sentence 1)" in done.stdout
    assert "| against leave-one-out |" in done.stdout
    [case] = json.loads((tmp_path / "c.json").read_text())["cases"]
    assert (case["second"], case["label"]) == ("A man is awake.", "contradiction")
    assert set(case["found"]) == {"leave-one-out", "random"}


def test_data_without_a_known_cause_is_told(tmp_path):
    (tmp_path / "pairs.tsv").write_text("sentence1\tsentence2\nhello there\tgood-bye then\n")
    with pytest.raises(gmask.GmaskError, match=r"no cause of what nli-dattn says is known in .*pairs\.tsv"):
        known_causes(gmask.load("nli-dattn"), str(tmp_path / "pairs.tsv"))
