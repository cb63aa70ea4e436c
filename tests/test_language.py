"""The language of a text is guessed from its common words, and not guessed where there are none to go by."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmask.language import COMMON, language_of


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Two dogs run through a field."),
        ("en", "What's the director's worst movie, in the critic's view?"),
        ("de", "Zwei Hunde rennen über eine Wiese."),
        ("fr", "Deux chiens courent dans un pré."),
        ("es", "Dos perros corren por un campo."),
        ("it", "Due cani corrono nel prato."),
        ("pt", "Dois cães correm para o campo."),
        ("nl", "Twee honden rennen door een veld."),
    ],
)
def test_common_words_tell_the_language_however_accents_are_written(language, text):
    assert language_of(text) == language
    assert language_of(unicodedata.normalize("NFD", text).upper()) == language


@pytest.mark.parametrize(
    "text", ["aeroelastic model similarity laws", "Poincaré inequality", "42", "🙂", "Stocks fall"]
)
def test_a_short_text_without_common_words_counts_as_english(text):
    assert language_of(text) == "en"


def test_a_text_that_does_not_tell_goes_by_the_one_beside_it():
    passage = "Die Bücherei ist am Samstag von neun bis zwölf Uhr geöffnet."
    assert language_of("Öffnungszeiten Bücherei", passage) == "de"
    assert language_of("de Broglie wavelength", "It is the wavelength that is associated with a particle.") == "en"
    assert language_of("Un hombre toca la guitarra.", "El hombre es músico.") == "es"
    assert language_of("The library is closed on Saturday.", passage) == "en"


@pytest.mark.parametrize(
    "text",
    [
        "Кошка спит на диване.",
        "如何在GPU上训练模型",
        "ผู้ชายเล่นกีตาร์",
        "مرحبا بالعالم",
        "Ένας άντρας παίζει κιθάρα.",
        "男性がギターを弾く",
    ],
)
def test_other_scripts_are_not_known_whatever_stands_beside(text):
    assert language_of(text) is None
    assert language_of(text, "This is a text in English.") is None


def test_a_foreign_word_in_a_sentence_does_not_change_its_language():
    assert language_of("What does 你好 mean?") == "en"


def test_a_long_latin_text_without_common_words_is_not_taken_for_english():
    assert language_of(" ".join(["wanyama", "wengi", "walikimbia", "haraka"] * 6)) is None


@pytest.mark.parametrize(
    "text",
    ["Katten sitter på taket och ser på fåglarna.", "Kot siedzi na dachu i patrzy na ptaki.", "Egy férfi és egy nő."],
)
def test_neighbours_of_the_languages_with_texts_are_told_from_them(text):
    assert language_of(text) in set(COMMON) - {"en", "de", "fr", "es", "it", "pt", "nl"}


@given(st.text(max_size=80), st.lists(st.text(max_size=40), max_size=2))
def test_any_text_has_a_known_language_or_none(text, others):
    assert language_of(text, *others) in {*COMMON, None}
