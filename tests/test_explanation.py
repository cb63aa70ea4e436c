from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gmask
from gmask.errors import GmaskError
from gmask.explanation import Evidence, Explanation
from gmask.notes import number
from tests.explanations import ALL, TIES, guitar, make, raw_score, single_words

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)
numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(first=texts, second=texts, value=numbers, label=texts, data=st.data())
def test_json_reads_back_to_an_equal_explanation(first, second, value, label, data):
    e = make(first, second, label=label, value=value, settings={"note": first, "k": [1, None, True]})
    column = st.lists(numbers, min_size=len(e.words), max_size=len(e.words)).map(tuple)
    e = replace(e, attributions=data.draw(column), groups=(gmask.Group(value, data.draw(column)),))
    text = e.to_json()
    assert Explanation.from_json(text) == e
    assert Explanation.from_json(text).to_json() == text


def test_real_explanations_survive_json():
    model = gmask.load(lambda pairs: [float("guitar" in a and "banjo" in b) for a, b in pairs], labels=["no", "yes"])
    for method in ("leave-one-out", "gmask"):
        e = gmask.explain(model, "an electric guitar", "a banjo", method=method)
        assert Explanation.from_json(e.to_json(indent=2)) == e


def test_json_has_no_nan():
    with pytest.raises(ValueError):
        replace(guitar(), value=math.nan).to_json()


def test_the_schema_version_is_checked():
    data = guitar().to_dict()
    assert data["schema"] == 2
    with pytest.raises(GmaskError, match="schema version 99; valid: 1, 2"):
        Explanation.from_dict({**data, "schema": 99})
    with pytest.raises(GmaskError, match="no schema version"):
        Explanation.from_json("{}")


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null", b"\xff", '{"schema": 1}'])
def test_what_is_no_explanation_is_refused_in_one_line(text):
    with pytest.raises(GmaskError, match=r"not (the JSON of )?an explanation") as error:
        Explanation.from_json(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "change",
    [
        {"words": [1]},
        {"words": None},
        {"groups": [{"importance": 1.0}]},
        {"evidence": []},
        {"evidence": {"kept": [1.0]}},
        {"attributions": [0.5]},
        {"groups": [{"importance": 1.0, "memberships": [1.0]}]},
        {"words": [{"text": "man", "sentence": 2, "start": 0, "end": 3}], "attributions": [1.0], "groups": []},
        {"words": [{"text": "man", "sentence": 0, "start": 0, "end": 3}], "attributions": [1.0], "groups": []},
        {"words": [{"text": "man", "sentence": 0, "start": "0", "end": 3}], "attributions": [1.0], "groups": []},
    ],
)
def test_damaged_data_is_refused(change):
    data = {**json.loads(guitar().to_json()), **change}
    with pytest.raises(GmaskError, match="not an explanation"):
        Explanation.from_dict(data)


@pytest.mark.parametrize(
    ("ending", "start"),
    [
        (".json", b"{"),
        (".html", b"<!DOCTYPE html>"),
        (".tex", b"% contradiction 0.98"),
        (".svg", b"<svg"),
        (".png", b"\x89PNG"),
        (".pdf", b"%PDF"),
        (".txt", b"contradiction"),
        (".HTML", b"<!DOCTYPE html>"),
    ],
)
def test_save_writes_what_the_ending_says(tmp_path, ending, start):
    path = tmp_path / "new" / f"e{ending}"
    guitar().save(path)
    assert path.read_bytes().startswith(start)
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_saved_file_reads_back(tmp_path):
    guitar().save(str(tmp_path / "e.json"))
    assert Explanation.from_json((tmp_path / "e.json").read_bytes()) == guitar()


def test_an_unknown_ending_is_refused(tmp_path):
    valid = ".json, .html, .tex, .svg, .png, .pdf, .txt"
    with pytest.raises(GmaskError, match=rf"unknown file ending '.docx'; valid: {valid}"):
        guitar().save(tmp_path / "e.docx")


@pytest.mark.parametrize("ending", ["html", "png"])
def test_a_path_that_cannot_be_written_is_one_clear_line(tmp_path, ending):
    (tmp_path / "file").write_text("")
    with pytest.raises(GmaskError, match=r"cannot write .*file"):
        guitar().save(tmp_path / "file" / f"e.{ending}")


def test_top_words_come_in_the_order_of_attributions_and_ties_in_reading_order():
    e = make("a b", "c d", {(1, "c"): 0.5, (0, "b"): 0.5, (1, "d"): 0.9})
    assert [w.text for w in e.top(3)] == ["d", "b", "c"]
    assert len(e.top(99)) == 3  # a does nothing


def test_top_and_repr_are_not_filled_up_with_words_that_do_nothing():
    e = make("a b", "c d", {**TIES, (1, "d"): 0.5})
    assert [w.text for w in e.top(4)] == ["d"]
    assert repr(e) == "<Explanation of 'contradiction' by gmask: 'd'>"
    assert repr(make("a b", "c d", TIES)) == "<Explanation of 'contradiction' by gmask: no word>"


def test_equal_words_are_told_apart_by_their_sentence():
    e = make("a man", "the man", {(0, "man"): 0.9, (1, "man"): 0.8, (1, "the"): 0.7}, groups=())
    assert repr(e).endswith("'man' (first), 'man' (second), 'the'>")
    assert "Strongest words: man (first) 0.90, man (second) 0.80, the 0.70" in e.to_text()
    assert [repr(w) for w in e.top(2)] == ["<Word 'man' in the first, at 2>", "<Word 'man' in the second, at 4>"]


def test_groups_and_evidence_are_short_on_a_prompt():
    e = guitar()
    assert repr(e.groups[0]) == "<Group of words 4, 5, 12: importance 0.93, kept 0.93, removed 0.35>"
    assert repr(e.evidence).startswith("<Evidence: nothing 0.28, kept 0.61 0.90 ")
    assert len(repr(e.evidence)) < 160


def test_a_group_knows_its_words():
    e = guitar()
    assert [w.text for w in e.groups[0].words(e)] == ["electric", "guitar", "banjo"]
    assert [w.text for w in e.groups[0].words(e, 0)] == ["electric", "guitar"]
    assert [w.text for w in e.groups[0].words(e, 1)] == ["banjo"]


def test_a_loaded_explanation_has_its_seconds_or_none_but_no_time_that_never_was():
    e = guitar()
    assert Explanation.from_json(e.to_json()).seconds == e.seconds == 2.4
    data = e.to_dict()
    del data["seconds"]
    loaded = Explanation.from_dict(data)
    assert loaded.seconds is None
    assert "728 rows · removal" in str(loaded)
    assert Explanation.from_json(loaded.to_json()) == loaded


def survive(first: bool, second: bool, **changes) -> Explanation:
    evidence = replace(guitar().evidence, survives=(first, second), exchanged=(0.97, 0.91))
    return guitar(evidence=evidence, **changes)


@pytest.mark.parametrize(
    ("first_gone", "second_gone", "rests_on", "words"),
    [
        (False, False, None, None),
        (
            True,
            False,
            1,
            "the first sentence {says} (0.97 on average): the second sentence alone is enough.",
        ),
        (
            False,
            True,
            0,
            "the second sentence {says} (0.91 on average): the first sentence alone is enough.",
        ),
        (
            True,
            True,
            None,
            "either sentence {says} (0.97 on average and 0.91 on average): it does not need both.",
        ),
    ],
)
def test_notes_say_which_sentence_an_answer_rests_on(first_gone, second_gone, rests_on, words):
    e = survive(first_gone, second_gone)
    assert e.rests_on == rests_on
    says = "exchanged for others, the model still says “contradiction”"
    assert e.notes() == ([f"Even with {words.format(says=says)}"] if words else [])


def test_notes_on_a_contrast_and_on_a_score_speak_of_them():
    contrast = survive(True, False, against="neutral", value=0.99)
    assert "“contradiction” still beats “neutral” (0.97 on average): the second" in contrast.notes()[0]
    changed = {"survives": (True, False), "exchanged": (-2.9, -7.0)}
    score = replace(raw_score(), evidence=replace(raw_score().evidence, **changed))
    assert "the score still counts as high (−2.90 on average): the second" in score.notes()[0]


def test_a_score_that_all_words_together_hardly_move_is_told_in_raw_numbers():
    def offsetting(pairs):
        return [5.0 * ("guitar" in a) - 5 * ("not" in b) + 0.001 * len(a) for a, b in pairs]

    model = gmask.load(offsetting, outputs="score")
    for method in ("gmask", "leave-one-out"):
        e = gmask.explain(model, "my guitar is loud", "his banjo is not", method=method)
        assert abs(e.evidence.nothing) < 0.1
        assert e.notes()[0].startswith("The score is 0.017 with all words and 0.0")
        assert "5.02 with some of them: what is explained is next to nothing." in e.notes()[0]
    e = gmask.explain(model, "my guitar is loud", "his banjo is here", method="leave-one-out")
    assert not any("next to nothing" in note for note in e.notes())


def test_a_class_the_model_does_not_say_rests_on_no_sentence():
    e = survive(True, False, target="neutral", value=0.012)
    assert e.rests_on is None
    assert e.notes() == [
        "With the first sentence exchanged for others, the model would say “neutral” (0.97 on average).",
        "The model says “contradiction”; this explains “neutral”, which was asked for.",
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"nothing": 0.9, "removed": (0.97, 0.96), "emptied": (0.95, 0.93)},
            "With nothing of the pair left it stands at 0.90 already",
        ),
        ({"kept": (0.2, 0.3)}, "The top 2 words alone keep at most 0.30"),
        ({"removed": (0.95, 0.9)}, "Without the top 2 words it still stands at 0.90"),
    ],
)
def test_notes_tell_when_the_evidence_is_weak(change, words):
    fields = {
        "nothing": 0.1,
        "kept": (0.6, 0.9),
        "removed": (0.4, 0.2),
        "emptied": (0.1, 0.1),
        "survives": (False, False),
    }
    assert replace(single_words(), evidence=Evidence(**fields)).notes() == []
    (note,) = replace(single_words(), evidence=Evidence(**{**fields, **change})).notes()
    assert note.startswith(words)


def test_a_note_tells_where_no_reason_alone_is_enough_though_the_top_words_are():
    def weak(e):
        return [note for note in e.notes() if note.startswith("No reason alone keeps more than")]

    def alone(kept):
        return replace(guitar(), groups=[replace(group, kept=kept) for group in guitar().groups])

    (note,) = weak(alone(0.3))
    assert note.startswith("No reason alone keeps more than 0.30, though the top words do")
    assert weak(alone(0.9)) == []
    few = replace(alone(0.3), evidence=replace(guitar().evidence, kept=(0.29, 0.3)))
    assert weak(few) == []  # nor are the top words, which is told instead


@pytest.mark.parametrize("change", [{"nothing": 0.6}, {"removed": (0.97, 0.1)}, {"emptied": (0.1, 0.97)}])
def test_words_add_little_only_where_nothing_that_was_removed_made_the_answer_fall(change):
    def said(e, evidence):
        return any("the words add little" in note for note in replace(e, evidence=evidence).notes())

    habit = Evidence((0.9, 0.9), (0.9, 0.9), emptied=(0.9, 0.9), survives=(False, False), nothing=0.9)
    assert said(single_words(), habit)
    assert not said(single_words(), replace(habit, **change))
    assert not said(guitar(), habit)  # without the first of its groups 0.35 is left


def flat(value: float, **changes) -> Evidence:
    same = {"kept": (value,) * 4, "removed": (value,) * 4, "emptied": (value, value), "nothing": value}
    return Evidence(**{**same, "survives": (False, False), **changes})


def test_huge_scores_are_told_in_few_digits():
    assert [number(value) for value in (1e300, -2.5e7, 123456.789, -0.001)] == [
        "1e+300",
        "−2.5e+07",
        "123456.79",
        "0.00",
    ]


def test_no_word_speaks_for_it_is_said_only_where_nothing_seen_raised_the_value():
    claim = "No word speaks for it."
    e = make("a b", "c d", TIES, value=0.3, evidence=flat(0.3))
    assert claim in e.notes()
    assert claim in replace(e, evidence=flat(0.3, nothing=0.9, emptied=(0.5, 0.6))).notes()  # words only speak against
    risen = [
        replace(e, evidence=flat(0.3, kept=(0.07, 0.2, 0.4, 0.53), nothing=0.07)),
        replace(e, evidence=flat(0.3, removed=(0.3, 0.3, 0.3, 0.1))),
        replace(e, evidence=flat(0.3, emptied=(0.3, 0.4))),
        replace(e, details={"seen": {"lowest": 0.3, "highest": 0.8}}),
    ]
    for other in risen:
        assert claim not in other.notes()
        assert any("Words do speak for it" in n and "gmask did not find which" in n for n in other.notes())
    assert "(0.07 to 0.53 with some of them, 0.07 with none)" in " ".join(risen[0].notes())


def test_what_was_seen_is_kept_with_an_explanation():
    model = gmask.load(lambda pairs: [0.9 if "cat" in a else 0.2 for a, _ in pairs], labels=["no", "yes"])
    e = gmask.explain(model, "a cat", "b d", method="leave-one-out")
    assert e.details["seen"] == {"lowest": 0.2, "highest": 0.9}


def test_warnings_of_the_model_are_notes():
    assert guitar(warnings=("3 words were cut off.",)).notes() == ["3 words were cut off."]


def test_a_notebook_shows_a_fragment_and_a_prompt_one_line():
    e = guitar()
    assert "<html" not in e._repr_html_()
    assert 'class="gmask"' in e._repr_html_()
    assert repr(e) == "<Explanation of 'contradiction' by gmask: 'guitar', 'banjo', 'floor', 'stage'>"
    assert str(e) == e.to_text(colour=False)


@pytest.mark.parametrize("name", ALL)
def test_members_more_likely_belong_than_not(name):
    for group in ALL[name]().groups:
        assert all(group.memberships[i] >= 0.5 for i in group.members)
