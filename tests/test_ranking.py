from __future__ import annotations

import json

import numpy as np
import pytest

import gmask
from gmask.errors import GmaskError
from gmask.explanation import Explanation
from gmask.model.callable import CallableModel
from tests.toys import rule_model

QUERY = "how tall is the tower"
PASSAGES = [
    "a man sleeps in the garden",
    "the tower is tall , 330 metres",
    "the bridge is tall and long",
    "rice is cooked in water",
    "a river runs through the town",
]


def shared(pairs):
    """A raw score: shared words, and a little for each word there is."""
    return [2.0 * len(set(a.split()) & set(b.split())) - 5.0 + 0.01 * len(b.split()) for a, b in pairs]


@pytest.fixture
def ranking():
    return gmask.rank(CallableModel(shared, outputs="score"), QUERY, PASSAGES)


def words(e, positions):
    return {(e.words[i].sentence, e.words[i].text) for i in positions}


def test_passages_stand_in_the_order_of_the_models_own_scores(ranking):
    assert ranking.scores == pytest.approx(shared([(QUERY, text) for text in PASSAGES]))
    assert ranking.order == [1, 2, 0, 4, 3]
    assert ranking.place(1) == 1
    assert repr(ranking) == "<Ranking of 5 passages by shared: 1 (3.07), 2 (1.06), 0 (-2.94)>"


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["no", "yes"], "yes"),
        (["relevant", "not relevant"], "relevant"),
        (["A", "B"], "B"),
        (["contradiction", "entailment", "neutral"], "entailment"),
    ],
)
def test_of_a_classifier_the_score_is_the_probability_of_what_means_relevant(labels, expected):
    def says(pairs):
        rows = np.full((len(pairs), len(labels)), 0.2 / (len(labels) - 1))
        for row, (_, b) in zip(rows, pairs, strict=True):
            row[labels.index(expected) if "tower" in b else (labels.index(expected) + 1) % len(labels)] = 0.8
        return rows

    r = gmask.rank(CallableModel(says, labels=labels), QUERY, PASSAGES[:2])
    assert (r.label, r.scores[1], r.order) == (expected, pytest.approx(0.8), [1, 0])
    assert r.why(0, method="leave-one-out").target == expected
    other = next(label for label in labels if label != expected)
    assert gmask.rank(CallableModel(says, labels=labels), QUERY, PASSAGES[:2], target=other).label == other


def test_labels_that_say_nothing_of_relevance_want_a_target():
    model = CallableModel(lambda pairs: [[0.2, 0.3, 0.5]] * len(pairs), labels=["x", "y", "z"])
    with pytest.raises(GmaskError, match=r"which label of .* means relevant.* x, y, z"):
        gmask.rank(model, QUERY, PASSAGES)
    with pytest.raises(GmaskError, match="raw score has no labels"):
        gmask.rank(CallableModel(shared, outputs="score"), QUERY, PASSAGES, target="high")


def test_a_score_is_held_against_the_passages_with_the_lowest(ranking):
    e = ranking.why(1, method="leave-one-out")
    assert (e.reference.kind, e.reference.seconds) == ("passages", (PASSAGES[3], PASSAGES[4], PASSAGES[0]))
    assert QUERY not in e.reference.firsts
    assert "other passages of the ranking" in str(e.reference)
    assert e.score == ranking.scores[1]
    assert words(e, e.order()[:4]) <= {(s, w) for s in (0, 1) for w in ("the", "tower", "is", "tall")}
    assert ranking.why(1, method="leave-one-out", reference="empty").reference.kind == "empty"


def test_reasons_of_a_difference_are_its_words():
    """The first answers the query by two words together, the second by none."""
    model = rule_model([[(0, "tall"), (1, "metres")]])
    r = gmask.rank(model, QUERY, PASSAGES)
    e = r.why(1, over=2)
    assert (e.target, e.score) == ("high", pytest.approx(0.9))
    assert {frozenset(words(e, g.members)) for g in e.groups} == {frozenset({(0, "tall"), (1, "metres")})}
    assert e.over.scores == pytest.approx((0.95, 0.05))
    assert e.over.turn is None  # without them both are the same, so neither stands above the other
    assert "No words were found" in e.notes()[0]


@pytest.mark.parametrize("method", ["gmask", "lime"])
def test_what_would_turn_the_order_does_turn_it(ranking, method):
    e = ranking.why(1, over=2, method=method)
    assert words(e, e.over.turn) <= {(1, "tower"), (1, "tall"), (1, "is"), (1, "the"), (0, "tower")} | {(0, "the")}
    left = [
        " ".join(w.text for i, w in enumerate(e.words) if w.sentence == side and i not in e.over.turn)
        for side in range(3)
    ]
    one, other = shared([(left[0], left[1]), (left[0], left[2])])
    assert one < other
    assert e.over.turned == pytest.approx((one, other), abs=0.05)
    assert "the order" in e.notes()[0]


@pytest.mark.parametrize(("method", "budget"), [("leave-one-out", 85), ("leave-one-out", 120), ("gmask", 200)])
def test_a_budget_holds_for_what_would_turn_it_too(method, budget):
    asked = []

    def counted(pairs):
        asked.extend(pairs)
        return shared(pairs)

    r = gmask.rank(CallableModel(counted, outputs="score", budget=budget), QUERY, PASSAGES)
    asked.clear()
    e = r.why(1, over=2, method=method)
    assert e.rows <= budget
    assert len(asked) <= budget + 10  # those of other texts


def test_one_that_stands_below_is_explained_as_such(ranking):
    e = ranking.why(2, over=1, method="leave-one-out")
    assert (e.target, e.second, e.over.text) == ("low", PASSAGES[2], PASSAGES[1])
    assert e.score == pytest.approx(ranking.scores[2] - ranking.scores[1])
    its = {(2, word) for word in ("the", "tower", "is", "tall")}  # what the other shares with the query
    assert words(e, e.order()[:5]) == {(0, "tower"), *its}
    assert "below passage 1?" in str(e)


@pytest.mark.parametrize("method", ["gmask", "leave-one-out"])
def test_an_explanation_of_three_texts_comes_back_from_its_json(ranking, method):
    e = ranking.why(1, over=2, method=method)
    assert Explanation.from_json(e.to_json()) == e
    assert e.texts == (QUERY, PASSAGES[1], PASSAGES[2])


def test_what_is_no_difference_is_refused_in_a_line(ranking):
    with pytest.raises(GmaskError, match="passage 1 does not stand above itself"):
        ranking.why(1, over=1)
    with pytest.raises(GmaskError, match="unknown passage 5; valid: 0, 1, 2, 3, 4"):
        ranking.why(5)
    with pytest.raises(GmaskError, match="unknown passage -1"):
        ranking.why(-1)
    with pytest.raises(GmaskError, match="leave `target` out"):
        ranking.why(1, over=2, target="high")
    with pytest.raises(GmaskError, match="explained by words; leave `units` out"):
        ranking.why(1, over=2, units="sentences")
    twice = gmask.rank(CallableModel(shared, outputs="score"), QUERY, [*PASSAGES, PASSAGES[1]])
    with pytest.raises(GmaskError, match="passage 1 and passage 5 are the same text"):
        twice.why(1, over=5)
    same = gmask.rank(CallableModel(shared, outputs="score"), QUERY, [PASSAGES[1], PASSAGES[1] + "\n"])
    with pytest.raises(GmaskError, match=r"have the same score \(3.07\)"):
        same.why(0, over=1)
    assert "Places with the same score: 1 to 2." in same.notes()


def test_passages_may_be_asked_for_by_their_ids():
    named = [{"_id": name, "text": text} for name, text in zip("abcde", PASSAGES, strict=True)]
    r = gmask.rank(CallableModel(shared, outputs="score"), QUERY, named)
    assert r.why("b", over="c", method="leave-one-out") == r.explanations[1, 2]
    assert r.explanations[1, 2].over.names == ("passage b", "passage c")
    with pytest.raises(GmaskError, match="unknown passage 'x'; valid: a, b, c, d, e"):
        r.why("x")


def test_a_passage_alone_is_held_against_unrelated_texts_and_that_is_said():
    r = gmask.rank(CallableModel(shared, outputs="score"), QUERY, PASSAGES[1:2])
    e = r.why(0, method="leave-one-out")
    assert e.reference.kind == "unrelated"
    assert any("no other passage" in note for note in e.notes())
    two = gmask.rank(CallableModel(shared, outputs="score"), QUERY, PASSAGES[1:3])
    assert two.why(0, over=1, method="leave-one-out").reference.kind == "unrelated"


def test_a_query_in_a_language_without_neutral_texts_has_stand_ins_too():
    texts = ["ala ma kota", "kot ma ale psa", "pies je"]
    r = gmask.rank(CallableModel(shared, outputs="score"), "czy ala ma kota", texts)
    e = r.why(0, method="leave-one-out")
    assert len(e.reference.firsts) == len(e.reference.seconds) == 2


@pytest.mark.parametrize("bad", ["", "  ", "?!", None, 5, "a\0b"])
def test_what_cannot_be_read_is_an_error_or_comes_last(bad):
    given = [*PASSAGES[:2], bad]
    with pytest.raises(GmaskError, match=r"^passage 2 "):
        gmask.rank(CallableModel(shared, outputs="score"), QUERY, given)
    r = gmask.rank(CallableModel(shared, outputs="score"), QUERY, given, skip_bad=True)
    assert (r.scores[2], r.order) == (None, [1, 0, 2])
    assert r.notes() == ["passage 2 could not be read and is last."]
    with pytest.raises(GmaskError, match="passage 2 was not scored"):
        r.why(2)
    assert str(r)
    assert r.to_html()


def test_nothing_to_rank_is_told():
    for query, passages, told in (("", PASSAGES, "the query is empty"), (QUERY, [], "no passages")):
        with pytest.raises(GmaskError, match=told):
            gmask.rank(CallableModel(shared, outputs="score"), query, passages)
    with pytest.raises(GmaskError, match="no passage could be read: passage 0 is empty"):
        gmask.rank(CallableModel(shared, outputs="score"), QUERY, ["", " "], skip_bad=True)


def test_a_thousand_passages_are_scored_once_each_and_explained_only_when_asked(capsys):
    asked = []

    def counted(pairs):
        asked.extend(pairs)
        return shared(pairs)

    many = [f"{PASSAGES[i % 5]} w{i}" for i in range(1000)]
    r = gmask.rank(CallableModel(counted, outputs="score"), QUERY, many, progress=True)
    assert len(asked) <= 1002  # the first pair tells what kind of number it is
    assert len(r.order) == 1000
    assert "scoring: 1,000 of 1,000" in capsys.readouterr().err
    assert not r.explanations
    assert "and 950 more" in str(r)


def test_what_is_cut_off_is_said_of_its_passage():
    class Short(CallableModel):
        def _bind(self, first, second, removal):
            bound = super()._bind(first, second, removal)
            if len(bound.words) > 12:
                bound.warnings.append("short reads at most 12 words.")
            return bound

    long = PASSAGES[1] + " and more than that"
    r = gmask.rank(Short(shared, outputs="score"), QUERY, [PASSAGES[0], long, PASSAGES[2]])
    assert r.notes() == ["passage 1: short reads at most 12 words."]
    assert "passage 1: short reads at most 12 words." in r.why(2, over=1, method="leave-one-out").notes()


def test_a_ranking_is_saved_with_what_was_explained(ranking, tmp_path):
    ranking.why(1, method="leave-one-out")
    e = ranking.why(1, over=2, method="leave-one-out")
    for name in ("r.html", "r.json", "r.txt"):
        ranking.save(tmp_path / name)
    saved = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert (saved["order"], saved["query"]) == ([1, 2, 0, 4, 3], QUERY)
    assert [p["place"] for p in saved["passages"]] == [3, 1, 2, 5, 4]
    assert Explanation.from_dict(saved["explanations"][1]["explanation"]) == e
    assert "Why does passage 1 stand above passage 2?" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert (tmp_path / "r.txt").read_text(encoding="utf-8") == f"{ranking}\n"
    with pytest.raises(GmaskError, match=r"unknown file ending .\.pdf.; valid: \.html, \.json, \.txt"):
        ranking.save(tmp_path / "r.pdf")


def test_of_long_passages_the_sentences_that_make_the_difference_come_first():
    plain = "The sky over the old town was grey and it rained on the roofs for days . "
    long = [
        4 * plain + "The tower is tall and stands 330 metres high . " + 4 * plain,
        5 * plain + "A bridge is tall too . " + 3 * plain,
        plain,
    ]
    read = []

    def counting(pairs):
        read.append(sum(len(text.split()) for pair in pairs for text in pair))
        return [3.0 * len({"tall", "tower"} & set(a.split()) & set(b.split())) for a, b in pairs]

    r = gmask.rank(CallableModel(counting, outputs="score"), "how tall is the tower", long)
    assert r.scores[:2] == (6.0, 3.0)
    e, sentences = r.why(0, over=1), sum(read)
    assert {s.sentence for s in e.sentences} == {1, 2}
    assert [s.text for s in e.sentences if s.decisive and s.sentence == 1] == [
        "The tower is tall and stands 330 metres high ."
    ]
    assert {e.words[i].text for i in e.over.turn} <= {"tower", "tall"}
    assert len(e.words) == 5 + sum(len(text.split()) for text in long[:2])
    r.why(0, over=1, units="words")
    assert sum(read) - sentences > 1.5 * sentences
