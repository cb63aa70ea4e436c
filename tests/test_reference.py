"""What an answer is held against: chosen so that it is not there already, recorded, and said in words."""

import numpy as np
import pytest

import gmask
from gmask.errors import GmaskError
from gmask.explanation import Explanation
from gmask.reference import EMPTY, Reference, References

FIRST, SECOND = "the red guitar is loud", "a red guitar sounds loud"
OTHERS = [("snow fell all night", "rivers rise in spring"), ("bread is baked early", "ships leave at noon")]


def words(text):
    return set(text.lower().split())


def same(pairs):
    """The share of common words: two empty texts are a perfect match."""
    return [1.0 if words(a) == words(b) else len(words(a) & words(b)) / len(words(a) | words(b)) for a, b in pairs]


def alike(pairs):
    return [float(s > 0.3) for s in same(pairs)]


@pytest.fixture
def model():
    return gmask.load(alike, labels=["different", "same"])


def test_an_answer_is_held_against_what_does_not_give_it(model):
    e = gmask.explain(model, FIRST, SECOND)
    assert (e.label, e.reference.kind, e.evidence.nothing) == ("same", "unrelated", 0.0)
    e = gmask.explain(model, FIRST, "we sail at dawn")
    assert (e.label, e.reference.kind, e.evidence.nothing) == ("different", "empty", 0.0)


def test_the_words_that_make_two_texts_the_same_are_found_though_two_empty_texts_are_the_same(model):
    e = gmask.explain(model, FIRST, SECOND)
    assert {w.text for w in e.top(6)} == {"red", "guitar", "loud"}
    assert not any("No word speaks" in note for note in e.notes())


def test_a_reference_that_is_asked_for_is_taken(model):
    assert gmask.explain(model, FIRST, SECOND, reference="empty").reference == EMPTY
    e = gmask.explain(model, FIRST, SECOND, reference=OTHERS)
    assert e.reference == Reference("given", *(tuple(texts) for texts in zip(*OTHERS, strict=True)))
    e = gmask.explain(model, FIRST, SECOND, reference=OTHERS[0])
    assert e.reference.pairs == [OTHERS[0]]


def test_a_reference_may_be_a_data_file(model, tmp_path):
    path = tmp_path / "others.tsv"
    path.write_text("sentence1\tsentence2\n" + "".join(f"{a}\t{b}\n" for a, b in OTHERS), encoding="utf-8")
    assert gmask.explain(model, FIRST, SECOND, reference=str(path)).reference.firsts[0] == OTHERS[0][0]


@pytest.mark.parametrize("wrong", ["nothing", [("a",)], []])
def test_what_is_no_reference_is_refused(model, wrong):
    with pytest.raises(GmaskError, match=r"reference|pair"):
        gmask.explain(model, FIRST, SECOND, reference=wrong)


def test_texts_that_have_nothing_to_do_with_the_pair_stand_in_for_a_sentence_that_is_gone(model):
    from gmask.model.held import hold

    bound = model.bind(FIRST, SECOND)
    held = hold(bound, References(OTHERS).unrelated(FIRST, SECOND))
    only_second = bound.sentences == 1
    asked = {part.texts for part, _ in held.made_of(only_second)}
    assert asked == {(a, SECOND) for a, _ in OTHERS}
    assert {part.texts for part, _ in held.made_of(np.zeros(len(bound.words), bool))} == {
        (OTHERS[0][0], OTHERS[1][1]),
        (OTHERS[1][0], OTHERS[0][1]),
    }
    there = np.ones(len(bound.words), bool)
    there[0] = False
    assert [part for part, _ in held.made_of(there)] == [bound]
    assert held(np.array([only_second]))[0, 1] == 0


def test_a_row_that_is_asked_in_one_way_is_asked_beside_one_text_only(model):
    from gmask.model.held import hold

    reference = References(OTHERS).unrelated(FIRST, SECOND)
    held = hold(model.bind(FIRST, SECOND, removal="delete+blank"), reference)
    gone = held.sentences == 1
    beside = [[part.texts for part, _ in way.made_of(gone)] for way in held.ways]
    assert beside == [[(OTHERS[0][0], SECOND)], [(OTHERS[1][0], SECOND)]]
    assert {part.texts for part, _ in held.made_of(gone)} == {texts for way in beside for texts in way}
    assert held.ways[0].made_of(~np.zeros(len(gone), bool))[0][0] is held.inner.ways[0]  # what it knows is shared
    alone = hold(model.bind(FIRST, SECOND), reference)
    assert alone.ways == [alone]


def test_one_text_of_each_side_belongs_to_no_pair_where_there_are_several():
    reference = Reference("unrelated", ("a", "b", "c"), ("x", "y", "z"))
    assert [reference.only(i).pairs for i in range(4)] == [[("a", "y")], [("b", "z")], [("c", "x")], [("a", "y")]]
    assert EMPTY.only(1) == EMPTY


def test_an_answer_rests_on_one_sentence_only_if_it_survives_other_real_ones():
    loud = gmask.load(lambda pairs: [float("loud" in b) for _, b in pairs], labels=["no", "yes"])
    e = gmask.explain(loud, FIRST, SECOND)
    assert e.rests_on == 1
    assert e.evidence.survival == (1.0, 0.0)
    assert any("with the first sentence exchanged for others" in note for note in e.notes())


def test_an_answer_that_unrelated_texts_get_too_rests_on_no_sentence(model):
    e = gmask.explain(model, FIRST, "we sail at dawn")
    assert e.evidence.anyway == 1.0
    assert e.rests_on is None
    assert not any("exchanged" in note for note in e.notes())


def test_a_high_score_is_called_high_and_told_in_its_own_units():
    cosine = gmask.load(same, outputs="score")
    e = gmask.explain(cosine, FIRST, SECOND)
    assert e.target == "high"
    assert e.value == e.score == pytest.approx(3 / 7)
    assert e.evidence.nothing < 0.1
    assert max(e.evidence.kept) <= 1
    assert e.groups[0].removed < e.score


def test_texts_in_an_unknown_language_are_held_against_an_empty_pair_or_asked_for(model):
    e = gmask.explain(model, "猫が好き", "猫が好き")
    assert e.reference == EMPTY
    with pytest.raises(GmaskError, match="reference="):
        gmask.explain(model, "猫が好き", "犬が好き", reference="unrelated")


def test_the_reference_is_recorded_and_older_files_are_read(model):
    e = gmask.explain(model, FIRST, SECOND)
    assert Explanation.from_json(e.to_json()).reference == e.reference
    old = {k: v for k, v in e.to_dict().items() if k != "reference"} | {"schema": 1}
    assert Explanation.from_dict(old).reference == EMPTY
    assert "Held against unrelated texts in the place of" in " ".join(str(e).split())


def test_studies_draw_their_texts_from_their_own_pairs(model):
    pairs = [(FIRST, SECOND), *OTHERS, ("four hills", "five roads"), ("old maps fade", "new maps tear")]
    references = References("auto", drawn=pairs)
    assert references.unrelated(*pairs[3]).firsts == (FIRST, "snow fell all night", "bread is baked early")
    assert not {first for first, _ in pairs} & set(references.unrelated(*pairs[0]).firsts)  # none stands before it


def test_a_long_text_that_stands_in_is_quoted_with_a_mark_where_it_is_cut():
    told = str(Reference("given", ("many words " * 10,), ("b",)))
    assert told.endswith("“many words many words many words many words many words many…”")
