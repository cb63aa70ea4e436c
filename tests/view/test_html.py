from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gmask.view.html import fragment, markup, script, sentences, style, to_html
from gmask.view.parts import visible
from tests.explanations import TIES, contrast, guitar, hostile, make, one_sided, passage, raw_score, single_words, twins

VOID = {"meta", "rect", "path", "img", "br"}


class Page(HTMLParser):
    """Reads a page strictly: every element is closed in order; collects tags, attributes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.sentences: list[str] = []
        self.reading = False
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if "sentence" in (dict(attrs).get("class") or ""):
            self.sentences.append("")
            self.reading = True

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self.reading = self.reading and tag != "p"

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text += data
        if self.reading:
            self.sentences[-1] += data


def test_pages_are_well_formed_and_need_nothing_from_outside(any_explanation):
    text = to_html(any_explanation)
    page = Page(text)
    assert not {"link", "img", "iframe", "object", "base", "a"} & {tag for tag, _ in page.tags}
    assert not any({"src", "href", "srcset"} & attributes.keys() for _, attributes in page.tags)
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert "url(" not in style()
    assert "default-src 'none'" in text


@given(st.text(min_size=1, max_size=80), st.text(min_size=1, max_size=20))
@settings(max_examples=60)
def test_any_text_stays_text(text, name):
    e = make(text, text, label=name, target=name, labels=(name,), probabilities=(1.0,), warnings=(text,), model=name)
    page = Page(to_html(e))
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert page.sentences == [visible(text)] * 2


def test_hostile_text_is_shown_and_does_nothing():
    page = Page(to_html(hostile()))
    assert page.sentences[0].startswith("<script>alert('1')</script> \"quoted\" & $x_1$ 100% \\end{document} ␛[31mred")
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert [tag for tag, _ in page.tags].count("b") == 0


def test_sentences_stand_as_typed():
    e = make("  Two  SPACES\n and a line ", "B\tc")
    page = Page(markup(e))
    assert page.sentences[0] == "  Two  SPACES\n and a line "
    assert "white-space: pre-wrap" in style()


def test_everything_a_reader_needs_is_there():
    text = " ".join(Page(to_html(one_sided())).text.split())
    for part in (
        "contradiction 0.98",
        "Why “contradiction”?",
        "the second sentence alone is enough.",
        "electric guitar banjo",
        "importance 0.93",
        "alone keeps 0.93; without it 0.35",
        "Probability of “contradiction”: 0.98 with all words, 0.28 with nothing of the pair left.",
        "gmask on nli · 728 rows in 2.4 s · removal: drop · seed 0",
    ):
        assert part in text


def test_words_carry_their_shade_groups_and_numbers():
    e = guitar()
    marks = {a["data-w"]: a for tag, a in Page(markup(e)).tags if tag == "mark" and "data-w" in a}
    electric = next(str(i) for i, w in enumerate(e.words) if w.text == "electric")
    assert marks[electric]["title"] == "electric: attribution 0.41, reason 1: 0.55, reason 2: 0.25"
    assert marks[electric]["data-in"] == "0 1"
    assert marks[electric]["style"] == "--s:0.441"
    assert marks[electric]["tabindex"] == "0"
    assert len(marks) == 5


def test_the_evidence_table_has_a_row_a_word():
    text = Page(markup(guitar())).text
    found = re.findall(r"(guitar|\+ banjo|\+ floor|\+ stage)(0\.\d\d)(0\.\d\d)", text)
    assert [" ".join(row) for row in found] == [
        "guitar 0.61 0.44",
        "+ banjo 0.90 0.21",
        "+ floor 0.95 0.12",
        "+ stage 0.97 0.08",
    ]


def test_a_word_listed_from_both_sentences_says_which_it_is_from():
    tables = re.findall(r'<table class="evidence">(.*?)</table>', markup(twins()), re.DOTALL)
    strongest, evidence = (re.findall(r"<bdi>(.*?)</bdi>", table) for table in tables)
    assert strongest[:5] == ["dog (first)", "dog (second)", "cat (first)", "cat (second)", "sees"]
    assert evidence[:4] == ["dog (first)", "dog (second)", "cat", "run"]  # of “cat” only one is among the top words


def test_scores_have_no_bars_and_contrasts_say_against_what():
    assert "score −2.31" in markup(raw_score())
    assert '<dl class="classes"' not in markup(raw_score())
    assert "Why “neutral” rather than “contradiction”?" in markup(contrast())


def test_words_whose_attributions_only_break_ties_are_neither_marked_nor_listed():
    text = markup(make("a b", "c d", TIES))
    assert "<mark" not in text
    assert "strongest first</h3><p>none</p>" in text
    assert "Words do speak for it" in text


def test_words_that_hardly_matter_are_not_listed_among_the_strongest():
    text = markup(make("a b", "c d", {(0, "a"): 0.5, (0, "b"): 0.001, (1, "c"): -0.1, (1, "d"): -0.002}))
    listed = re.findall(r"<bdi>(.*?)</bdi>", text[text.index("strongest first") : text.index("Evidence")])
    assert listed == ["a", "c"]


def test_a_passage_is_set_smaller_and_told_in_short_where_asked():
    whole, short = Page(sentences(passage())), Page(sentences(passage(), short=True))
    assert [a["class"] for _, a in whole.tags if "sentence" in a.get("class", "")] == [
        "sentence first long",
        "sentence second",
    ]
    assert whole.sentences == [passage().first, passage().second]
    assert short.sentences[0].startswith("… 146 words … w146 ")
    assert short.sentences[1] == passage().second


def test_single_word_methods_show_words_and_those_against():
    text = markup(single_words())
    assert "Words, strongest first" in text
    assert "Dotted: speaks against it." in text
    assert "class=against" in text
    assert "<svg" not in text


def test_a_fragment_brings_style_and_script_and_no_page():
    text = fragment(guitar())
    assert style().replace(".gmask {", ":is(.gmask, #gmask) {").splitlines()[0] in text
    assert script() in text
    assert "<body" not in text
    assert " id=" not in text  # so that several fit on one page


def test_two_thousand_words_make_a_page_of_reasonable_size():
    words = " ".join(f"w{i}" for i in range(2000))
    e = make(words, words, {(0, f"w{i}"): i / 2000 for i in range(2000)})
    assert len(to_html(e)) < 500_000
    assert "and 3940 words more" in to_html(e)


@pytest.mark.parametrize("part", ["</style", "</script"])
def test_style_and_script_cannot_be_ended_early(part):
    assert part not in style()
    assert part not in script()
