from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmask.explanation import FLOOR, Group
from gmask.method import order
from gmask.reference import Reference
from gmask.view.parts import (
    classes,
    gist,
    headline,
    measure,
    number,
    opposing,
    origin,
    phrase,
    question,
    reasons,
    runs,
    shades,
    supporting,
    visible,
)
from tests.explanations import TIES, contrast, guitar, make, passage, raw_score, single_words


@given(st.text(min_size=1), st.text(min_size=1))
def test_runs_joined_are_the_sentences_as_typed(first, second):
    e = make(first, second)
    for sentence, text in enumerate((first, second)):
        found = runs(e, sentence)
        assert "".join(run.text for run in found) == text
        assert [e.words[run.word].text for run in found if run.word is not None] == [
            w.text for w in e.words if w.sentence == sentence
        ]


def test_the_gist_of_a_passage_is_what_stands_near_its_marked_words():
    told = "".join(run.text for run in gist(passage(), 0, {150, 302}))
    assert told == "… 146 words … w146 w147 w148 w149 w150 w151 w152 w153 w154 … 145 words … "
    assert "".join(run.text for run in gist(passage(), 0, {302})) == "… 300 words … "
    assert gist(passage(), 1, set()) == runs(passage(), 1)


@given(st.text())
def test_visible_text_steers_no_terminal_and_fits_xml(text):
    shown = visible(text)
    assert visible(shown) == shown
    assert not any(ord(c) < 32 and c not in "\n\t" for c in shown)
    assert not any(0x7F <= ord(c) <= 0x9F or 0xD800 <= ord(c) <= 0xDFFF or c in "\u202e\ufffe\uffff" for c in shown)


def test_visible_keeps_what_people_read():
    text = "naïve  Größe 电 שלום 👩‍👩‍👧\n\tno\u200fbreak"
    assert visible(text) == text
    assert visible("\x1b[31m\r\n\x7f\u202e") == "␛[31m\n��"


def test_shades_are_shares_of_the_strongest_and_little_is_nothing():
    e = make("a b", "c d e", {(0, "a"): 0.4, (0, "b"): 0.2, (1, "c"): 0.01, (1, "d"): -0.4})
    assert shades(e) == [1.0, 0.5, 0.0, 0.0, 0.0]
    assert shades(make("a", "b", {(0, "a"): -1.0})) == [0.0, 0.0]


def test_what_only_breaks_ties_speaks_neither_for_nor_against():
    assert FLOOR > 2 * order.TIES  # the most that the default method adds
    e = make("a b", "c d", TIES)
    assert shades(e) == [0.0] * 4
    assert supporting(e) == opposing(e) == []
    assert supporting(make("a b", "c d", {**TIES, (1, "d"): 0.5, (0, "b"): 0.01})) == [3, 1]


def test_opposing_words_come_strongest_first():
    e = make("a b", "c d", {(0, "a"): 0.9, (0, "b"): -0.2, (1, "c"): -0.5, (1, "d"): -0.05})
    assert [e.words[i].text for i in opposing(e)] == ["c", "b"]


def test_reasons_keep_the_order_of_groups_and_name_words_by_sentence():
    e = guitar()
    first, second = reasons(e)
    assert [[e.words[i].text for i in side] for side in first.words] == [["electric", "guitar"], ["banjo"]]
    assert [[e.words[i].text for i in side] for side in second.words] == [["stage"], ["floor"]]
    assert (first.rank, second.rank) == (1, 2)
    assert first.share == 1.0
    assert second.share == pytest.approx(0.58 / 0.93)


def test_a_group_without_sure_words_shows_its_likely_ones_and_one_without_any_is_left_out():
    e = make("a b", "c", {(0, "a"): 1.0}, [(0.5, {(0, "a"): 0.4, (1, "c"): 0.3}, 0.1, 0.9), (0.1, {}, 0.1, 0.9)])
    (reason,) = reasons(e)
    assert not reason.sure
    assert reason.words == ((0,), (2,))


def test_groups_of_no_importance_do_not_divide_by_zero():
    e = make("a", "b", {}, [(0.0, {(0, "a"): 1.0}, 0.1, 0.9)])
    assert reasons(e)[0].share == 0.0


def test_phrases_keep_neighbours_together_and_mark_gaps():
    e = make("New York's big\n Apple, 电吉他", "b")
    position = {w.text: i for i, w in enumerate(e.words)}
    assert (
        phrase(e, [position["New"], position["York's"], position["big"], position["Apple"]]) == "New York's big Apple"
    )
    assert phrase(e, [position["New"], position["Apple"]]) == "New … Apple"
    assert phrase(e, [position["电"], position["吉"]]) == "电吉"
    assert phrase(e, []) == ""


@pytest.mark.parametrize(("value", "text"), [(0.984, "0.98"), (-0.001, "0.00"), (-2.314, "−2.31"), (1, "1.00")])
def test_numbers_have_two_decimals(value, text):
    assert number(value) == text


def test_the_words_around_the_numbers():
    assert headline(guitar()) == "contradiction 0.98"
    assert question(guitar()) == "Why “contradiction”?"
    assert question(contrast()) == "Why “neutral” rather than “contradiction”?"
    assert (headline(raw_score()), question(raw_score())) == ("score −2.31", "Why is the score high?")
    ends = "0.98 with all words, 0.28 with nothing of the pair left. Held against an empty pair."
    assert measure(guitar()) == f"Probability of “contradiction”: {ends}"
    assert measure(guitar(value=0.9999)).endswith("In log-odds: 9.21 and −0.94.")
    assert measure(contrast()).startswith("Share of “neutral” against “contradiction”")
    assert measure(raw_score()).startswith("Score: −2.31 with all words, −7.25 with nothing of the pair left.")
    texts = Reference("unrelated", ("Is rain likely?",), ("The train is late.",))
    assert measure(guitar(reference=texts)).endswith(
        "Held against unrelated texts in the place of a sentence that is gone, as “Is rain likely?”."
    )
    assert origin(guitar()) == "gmask on nli · 728 rows in 2.4 s · removal: drop · seed 0"
    assert "12 ms" in origin(guitar(seconds=0.0121))


def test_of_many_classes_the_likeliest_and_those_asked_about_are_shown():
    labels = tuple(f"class {i}" for i in range(50))
    probabilities = tuple((i + 1) / 1275 for i in range(50))
    e = guitar(labels=labels, probabilities=probabilities, label="class 49", target="class 3", against="class 0")
    assert [name for name, _ in classes(e)] == [f"class {i}" for i in (49, 48, 47, 46, 45, 44, 3, 0)]


def test_single_word_methods_have_no_reasons():
    assert reasons(single_words()) == []
    assert Group(1.0, (0.4, 0.6)).members == (1,)
