"""Both levels of a long text: the sentences that decide, and the words within them."""

from __future__ import annotations

from dataclasses import replace

from gmask.explanation import Sentence
from gmask.view.parts import gist, ranked_sentences, runs, stretches
from tests.explanations import make

CLAIM, TEXT = "A cat sleeps", "One day. A dog <barks>! It rains."
STARTS = {
    "One day.": (0.02, 0.9, "neutral"),
    "A dog <barks>!": (0.97, 0.1, "contradiction"),
    "It rains.": (0.05, 0.95, "neutral"),
}


def explanation(**changes):
    sentences = tuple(
        Sentence(s, 1, TEXT.index(s), TEXT.index(s) + len(s), kept, removed, says, decisive=kept > 0.5)
        for s, (kept, removed, says) in STARTS.items()
    )
    e = make(CLAIM, TEXT, {(0, "cat"): 0.8, (1, "dog"): 0.9}, [(0.9, {(0, "cat"): 1.0, (1, "dog"): 1.0}, 0.9, 0.1)])
    return replace(e, **{"sentences": sentences, **changes})


def test_a_text_is_cut_at_its_sentences_and_nothing_is_lost():
    e = explanation()
    found = stretches(e, runs(e, 1))
    assert "".join(run.text for _, part in found for run in part) == TEXT
    assert [own.text for own, _ in found if own is not None] == list(STARTS)
    assert ["".join(run.text for run in part) for own, part in found if own is not None] == list(STARTS)
    assert [own for own, _ in stretches(e, runs(e, 0))] == [None]


def test_a_gist_is_cut_at_sentences_too():
    text = "word " * 70 + ". " + "The dog barks ."
    e = make("A cat", text, {(1, "dog"): 1.0})
    start = text.index("The")
    sentences = (
        Sentence(text[:351], 1, 0, 351, 0.1, 0.9, None, decisive=False),
        Sentence(text[start:], 1, start, len(text), 0.9, 0.1, None, decisive=True),
    )
    e = replace(e, sentences=sentences)
    dog = next(i for i, w in enumerate(e.words) if w.text == "dog")
    found = stretches(e, gist(e, 1, {dog}))
    assert [own.decisive for own, _ in found if own is not None][-1]
    assert "".join(run.text for run in found[-1][1]) == "The dog barks ."


def test_sentences_that_decide_come_first_and_then_those_that_do_more():
    assert [s.text for s in ranked_sentences(explanation())] == ["A dog <barks>!", "One day.", "It rains."]


def test_the_page_marks_the_sentences_that_decide_and_the_words_in_them():
    html = explanation().to_html()
    assert (
        '<span class="decisive" title="alone 0.97, where the model says contradiction; without it 0.10">A <mark' in html
    )
    assert html.count('<span class="aside"') == 2
    assert "&lt;barks&gt;" in html
    assert "<barks>" not in html
    assert html.index("Sentences, those that decide first") < html.index("All numbers")


def test_the_terminal_marks_them_and_says_what_they_do():
    text = explanation().to_text()
    assert "▸ A [dog] <barks>!" in text
    line = next(line for line in text.splitlines() if line.startswith("▸ "))
    assert line.split() == ["▸", "A", "dog", "<barks>!", "0.97", "0.10", "contradiction"]
    assert "says" not in replace(explanation(), sentences=()).to_text()


def test_notes_say_which_words_were_asked_about():
    (told,) = [note for note in explanation().notes() if "asked about" in note]
    assert (
        told == "1 of 3 sentences decides; only their words, and those of the other text, were asked about one by one."
    )


def test_that_no_sentence_is_missed_is_an_answer():
    sentences = tuple(replace(s, kept=0.97, removed=0.95) for s in explanation().sentences)
    notes = explanation(sentences=sentences).notes()
    assert any(
        "No sentence of the second text is missed: without any one of them it stands at 0.95 or more" in n
        for n in notes
    )
    assert any("3 give it by themselves" in n for n in notes)
    assert not any("missed" in n for n in explanation().notes())


def test_what_no_sentence_gives_is_said_in_the_direction_from_nothing_to_the_answer():
    e = explanation(value=0.01)  # it stands below nothing
    values = zip(e.sentences, (0.97, 0.3, 0.5), strict=True)
    e = replace(e, sentences=tuple(replace(s, kept=kept, removed=0.01) for s, kept in values))
    (told,) = [note for note in e.notes() if "missed" in note]
    assert told.endswith("it stands at 0.01 or less, and none gives less than 0.30 by itself.")


def test_that_no_sentence_says_anything_is_an_answer():
    e = explanation()
    neutral = tuple(replace(s, says="contradiction") for s in e.sentences)
    anyway = replace(e.evidence, anyway=1.0)
    (told,) = [n for n in replace(e, sentences=neutral, evidence=anyway).notes() if "Unrelated" in n]
    assert (
        told
        == "Unrelated texts get “contradiction” too, and no sentence of the second text says anything else by itself."
    )
    notes = replace(e, evidence=anyway).notes()
    assert "By itself a sentence says “neutral”: “One day.”" in notes
