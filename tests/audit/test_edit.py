"""Edits bring a pattern about, and their controls do not."""

from __future__ import annotations

import pytest

from gmask.audit.edit import edit, insert, remove, replace
from gmask.audit.pattern import Pattern
from gmask.audit.seen import text_of
from gmask.audit.vocabulary import Vocabulary
from tests.audit.toys import seen

HOSTS = [
    seen("Two men met Anna near a big lake .", "Two men talked to Anna there .", number=0),
    seen("A woman with a red hat plays an old guitar", "some women play music in a band", number=1),
    seen("Four dogs run on the wet sand", "four dogs run here", number=2),
    seen("people saw Paul today", "They saw Paul in town", number=3),
]
PATTERNS = [
    Pattern("word", (), ("lighthouse",)),
    Pattern("word", ("lighthouse",), ()),
    Pattern("pair", ("volcano",), ("orchard",)),
    Pattern("overlap", ("falcon",), ("falcon",)),
    Pattern("set", (), ("copper", "anchor")),
    Pattern("opening", (), ("lighthouse",)),
    Pattern("alike", (), ("cat", "cats")),
    Pattern("negation", (), ("not", "never")),
    Pattern("absent", (), ("dogs",)),
    Pattern("numbers"),
    Pattern("names"),
    Pattern("contained"),
    Pattern("longer"),
]


@pytest.fixture
def vocabulary():
    made = Vocabulary()
    for host in HOSTS:
        made.add(host)
    made.settle(frozenset())
    return made


@pytest.mark.parametrize("pattern", PATTERNS, ids=str)
def test_the_pattern_is_brought_about_and_not_by_a_control(pattern, vocabulary):
    made = [(host, arms) for host in HOSTS if (arms := edit(pattern, host, vocabulary))]
    assert made
    for host, arms in made:
        assert pattern.holds(tuple(map(text_of, arms.treated)))
        assert arms.controls
        for control in arms.controls:
            assert control not in (arms.treated, host.texts)
            if pattern.kind != "overlap":
                assert not pattern.holds(tuple(map(text_of, control)))


def test_where_it_is_already_there_nothing_is_done(vocabulary):
    assert edit(Pattern("word", (), ("men",)), HOSTS[0], vocabulary) is None


def test_two_words_are_put_in_where_neither_is(vocabulary):
    assert edit(Pattern("pair", ("woman",), ("orchard",)), HOSTS[1], vocabulary) is None
    assert edit(Pattern("pair", ("woman",), ("orchard",)), HOSTS[2], vocabulary)


def test_each_word_of_two_has_a_control_without_it_and_one_has_neither(vocabulary):
    arms = edit(Pattern("pair", ("volcano",), ("orchard",)), HOSTS[1], vocabulary)
    assert ["volcano" in a for a, _ in arms.controls] == [False, True, False]
    assert ["orchard" in b for _, b in arms.controls] == [True, False, False]
    arms = edit(Pattern("set", (), ("copper", "anchor")), HOSTS[1], vocabulary)
    assert [("copper" in b, "anchor" in b) for _, b in arms.controls] == [(False, True), (True, False), (False, False)]


def test_a_word_has_a_control_of_equal_frequency_and_one_that_no_text_has(vocabulary):
    words = {w for counts in vocabulary.counts for w in counts}
    for host in HOSTS:
        treated, *controls = [
            {*text_of(pair[1]).words} - {*host.sides[1].words}
            for arms in [edit(Pattern("word", (), ("lighthouse",)), host, vocabulary)]
            for pair in (arms.treated, *arms.controls)
        ]
        (usual,), (unknown,) = controls
        assert treated == {"lighthouse"}
        assert usual in words
        assert unknown not in words


def test_words_are_made_up_of_halves_also_where_there_are_hardly_any():
    made, none = Vocabulary(), Vocabulary()
    made.add(seen("banjo", "guitar"))
    for vocabulary in (made, none):
        vocabulary.settle(frozenset())
    assert none.made_up(0, 7) in ("woxt", "teord", "woxto", "teordo", "word", "text")
    assert made.made_up(1, 7) not in made.counts[1]


def test_a_control_uses_no_word_that_is_suspected():
    made = Vocabulary()
    for host in HOSTS:
        made.add(host)
    made.settle(frozenset(("men", "music")))
    assert not {"men", "music"} & set(list(made.stand_ins("band", 1, 7))[:20])


def test_words_are_put_in_taken_out_and_exchanged_where_they_stand():
    text = text_of("A man, sleeping.")
    assert insert(text, "loudly", place=2) == "A man, loudly sleeping."
    assert remove(text, [0]) == "man, sleeping."
    assert remove(text_of("cats sleep"), [1]) == "cats"
    assert replace(text, {1: "dog"}) == "A dog, sleeping."
