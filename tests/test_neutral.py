"""Neutral texts are real, unrelated to what they stand for, and like it in language, kind and length."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmask.errors import GmaskError
from gmask.language import COMMON, language_of
from gmask.neutral import FOLDER, neutral
from gmask.pair import check_pair

POOLS = {file.stem: file.read_text(encoding="utf-8").splitlines() for file in sorted(FOLDER.iterdir())}
ENDS = (".", "?", "!")


def content(text: str, language: str = "en") -> set[str]:
    return set(re.findall(r"[^\W\d_]{3,}", text.lower())) - COMMON[language]


def is_passage(text: str) -> bool:
    return len(text.split()) > 30 and len(re.findall(r"[.?!](?:\s|$)", text)) > 1


def test_there_are_texts_of_every_kind_in_seven_languages():
    assert set(POOLS) == {"de", "en", "es", "fr", "it", "nl", "pt"}
    assert len(POOLS["en"]) >= 48
    for texts in POOLS.values():
        assert len(texts) >= 12
        assert len(set(texts)) == len(texts)
        assert sum(t.endswith("?") for t in texts) >= 4
        assert sum(not t.endswith(ENDS) for t in texts) >= 4
        assert sum(t.endswith(".") and not is_passage(t) for t in texts) >= 4
        assert sum(is_passage(t) for t in texts) >= 4


@pytest.mark.parametrize("language", sorted(POOLS))
def test_every_line_is_a_text_that_can_be_explained_and_is_in_its_language(language):
    for text in POOLS[language]:
        assert check_pair(text, text) == (text, text)
        assert text == text.strip()
        if text.endswith(ENDS):
            assert language_of(text) == language


@pytest.mark.parametrize(
    ("language", "statement", "question"),
    [
        ("en", "Two dogs run through a field.", "How do I learn to cook rice?"),
        ("de", "Zwei Hunde rennen über eine Wiese.", "Wie koche ich Reis für vier Gäste?"),
        ("fr", "Deux chiens courent dans un pré.", "Comment faire cuire du riz pour quatre ?"),
        ("es", "Dos perros corren por un campo.", "¿Cómo se cocina el arroz para cuatro?"),
        ("it", "Due cani corrono nel prato.", "Come si cuoce il riso per quattro?"),
        ("pt", "Dois cães correm para o campo.", "Como se faz arroz para quatro, e em quanto tempo?"),
        ("nl", "Twee honden rennen door een veld.", "Hoe kook ik rijst voor vier gasten?"),
    ],
)
def test_they_are_in_the_language_of_the_text_and_of_its_kind(language, statement, question):
    for text in (statement, question):
        found = neutral(text)
        assert len(set(found)) == 3
        assert set(found) <= set(POOLS[language])
        assert all(t.endswith(text[-1]) and not is_passage(t) for t in found)


@pytest.mark.parametrize("text", ["aeroelastic model similarity laws", "cheap flights", "Symptoms flu children", "42"])
def test_keywords_get_keywords(text):
    assert not any(t.endswith(ENDS) for t in neutral(text))


def test_keywords_go_by_the_language_of_the_passage_beside_them():
    passage = "Die Ausleihe ist von neun bis zwölf Uhr möglich, und die Rückgabe ist es an jedem Tag."
    assert set(neutral("Ausleihe Rückgabe Bücher", avoid=[passage])) <= set(POOLS["de"])


@pytest.mark.parametrize("text", ["how do i cook rice", "what laws must be obeyed when constructing heated models ."])
def test_a_question_in_lower_case_is_one_without_its_mark(text):
    assert all(t.endswith("?") for t in neutral(text))


@pytest.mark.parametrize("text", ["a man is sleeping", "A man sleeping on the bench", "Is it so? It is."])
def test_a_sentence_without_its_stop_is_no_query(text):
    assert all(t.endswith(".") for t in neutral(text))


@pytest.mark.parametrize("words", [40, 80, 150, 300])
def test_a_passage_gets_passages_of_its_length(words):
    text = " ".join(["The flow over a slender wing is turbulent ."] * words)
    found = neutral(" ".join(text.split()[:words]))
    assert all(is_passage(t) for t in found)
    assert all(0.9 * words < len(t.split()) < 1.1 * words for t in found)


def test_a_sentence_gets_sentences_of_about_its_length():
    short = neutral("A wing bends.")
    long = neutral(
        "The investigators announced on Sunday that both suspects had crossed the border earlier and that neither of "
        "them had yet spoken to a lawyer."
    )
    assert max(len(t.split()) for t in short) <= 6
    assert min(len(t.split()) for t in long) >= 15


def test_they_share_no_content_word_with_the_text_with_those_to_avoid_or_each_other():
    first = "A gardener and two carpenters share lunch beside the green bridge."
    second = "The sheep, the owl and the tailor are an odd trio."
    found = neutral(first, avoid=[second])
    for text in found:
        assert not content(text) & (content(first) | content(second))
    for a, b in combinations(found, 2):
        assert not content(a) & content(b)
    again = neutral(second, avoid=[first, *found])
    assert not set(found) & set(again)


def test_a_word_in_another_form_is_the_same_word():
    assert not any("graz" in t or "Olive" in t for t in neutral("They grazed olives.", 8))


def test_a_topic_is_left_out_for_passages_too():
    bread = (
        "Making bread takes patience more than skill. Mix flour, water and leaven, knead the dough and let it rest in "
        "a basket. In the morning rake out the embers, shape the loaf and bake it on hot bricks until it browns. Rye "
        "makes a darker loaf than wheat. "
    )
    assert not any("bakery" in t for t in neutral(bread * 4))


@given(st.sampled_from([t for texts in POOLS.values() for t in texts]))
def test_a_text_never_stands_for_itself_and_is_the_same_every_time(text):
    found = neutral(text)
    assert text not in found
    assert len(set(found)) == 3
    assert neutral(text) == found


@given(st.text(max_size=80), st.lists(st.text(max_size=40), max_size=2))
def test_any_text_gets_three_or_one_line_that_says_why_not(text, avoid):
    try:
        assert len(neutral(text, avoid=avoid)) == 3
    except GmaskError as error:
        assert "\n" not in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    "text", ["Кошка спит на диване.", "猫が寝ている", "Katten sitter på taket och ser på fåglarna."]
)
def test_a_language_without_texts_is_refused_in_one_line_that_names_a_way_out(text):
    with pytest.raises(
        GmaskError, match=r"there are no neutral texts in the language of .*; give reference=\["
    ) as error:
        neutral(text)
    assert text[:10] in str(error.value)
    with pytest.raises(GmaskError, match="there are no neutral texts"):
        neutral(text, 0)


def test_more_than_there_are_is_refused():
    with pytest.raises(GmaskError, match=f"there are only {len(POOLS['nl'])} neutral texts"):
        neutral("De auto is rood.", 100)


def test_it_costs_next_to_nothing():
    pair = ("A man playing an electric guitar on stage.", "A man playing banjo on the floor.")
    times = []
    for _ in range(20):
        began = time.process_time()
        neutral(pair[0], avoid=pair[1:])
        times.append(time.process_time() - began)
    assert min(times) < 1e-3


def test_it_needs_no_heavy_import():
    code = "import sys, gmask.neutral; print([m for m in ('torch', 'numpy', 'transformers') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
