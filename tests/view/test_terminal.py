from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from gmask.view.terminal import to_text
from tests.explanations import ALL, TIES, contrast, guitar, hostile, make, one_sided, raw_score, single_words, twins


def test_plain_text_has_no_escape_codes_and_fits_the_width(any_explanation):
    for width in (40, 80, 120):
        text = to_text(any_explanation, colour=False, width=width)
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)
        assert max(cell_len(line) for line in text.splitlines()) <= width


@given(st.text(min_size=1, max_size=80), st.text(min_size=1, max_size=20))
def test_no_text_of_the_user_steers_the_terminal(text, label):
    e = make(text, text, label=label, target=label, labels=(label,), probabilities=(1.0,), warnings=(text,))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", to_text(e, colour=False, width=80))


def coloured(**environment: str) -> str:
    """The guitar pair in colour, from a process of its own: rich remembers the first kind of terminal it met."""
    code = "from tests.explanations import guitar; print(guitar().to_text(colour=True))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "80", **environment},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return run.stdout


def test_colour_never_comes_from_the_user():
    assert "\x1b[31m" not in to_text(hostile(), colour=True)


def test_colour_is_given_when_asked_for_whatever_the_environment_says():
    text = coloured(TERM="dumb", NO_COLOR="1", COLORTERM="")
    assert "\x1b[1;38;5;16;48;5;" in text
    assert re.sub(r"\x1b\[[\d;]*m", "", text).startswith("contradiction ███")


def test_first_sentence_is_pink_second_blue_and_saturation_falls_with_attribution():
    text = coloured(COLORTERM="truecolor")

    def background(word: str) -> tuple[int, int, int]:
        red, green, blue = re.search(rf"48;2;(\d+);(\d+);(\d+)m{word}", text).groups()
        return int(red), int(green), int(blue)

    (red, green, blue), weak = background("guitar"), background("electric")
    assert red > blue > green
    assert max(weak) - min(weak) < red - green
    red, green, blue = background("banjo")
    assert blue > green > red


def test_everything_a_reader_needs_is_there():
    text = to_text(one_sided(), colour=False, width=140)
    for part in (
        "contradiction ███",
        "0.98",
        "A man playing an [electric] [guitar] on [stage].",
        "A man playing [banjo] on the [floor].",
        "electric guitar  banjo",
        "0.93        0.35",
        "only these     0.61  0.90",
        "all but these  0.44  0.21",
        "gmask on nli · 728 rows in 2.4 s · removal: drop · seed 0",
    ):
        assert part in text
    assert "the second sentence alone is enough." in " ".join(text.split())


def test_an_explanation_fits_one_screen():
    assert len(to_text(one_sided(), colour=False, width=100).splitlines()) <= 24


def test_a_word_listed_from_both_sentences_says_which_it_is_from():
    text = to_text(twins(), colour=False, width=100)
    assert "Strongest words: dog (first) 0.50, dog (second) 0.40, cat (first) 0.30, run 0.20" in text
    assert "Against it: cat (second), sees" in text


def test_scores_contrasts_and_single_words_have_their_own_words():
    assert to_text(raw_score(), colour=False).startswith("score −2.31  Why is the score high?")
    assert "Why “neutral” rather than “contradiction”? 0.01" in to_text(contrast(), colour=False)
    text = to_text(single_words(), colour=False)
    assert "Strongest words: A 0.30, playing 0.10" in text
    assert "Against it: man, an, guitar, stage" in text


@pytest.mark.parametrize("ties", [{}, TIES])
def test_attributions_of_zero_or_that_only_break_ties_mark_nothing(ties):
    e = make("a b", "c d", ties)
    text = to_text(e, colour=False)
    assert "1  a b\n2  c d" in text
    assert "Words do speak for it (0.08 to 0.98 with some of them, 0.28 with none)" in " ".join(text.split())
    assert "Strongest words: none" in text


def test_spacing_and_case_stay_as_typed_and_long_words_stay_whole():
    long = "Donaudampfschiff" * 12
    text = to_text(make("Two  SPACES\nand a line", long), colour=False, width=60)
    assert "1  Two  SPACES\n   and a line" in text
    assert long in text.replace("\n   ", "")


def test_many_groups_are_cut_short():
    e = guitar()
    e = replace(e, groups=e.groups * 5)
    assert "and 4 more" in to_text(e, colour=False)


@pytest.mark.parametrize("name", ALL)
def test_the_default_width_follows_the_terminal(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    assert max(cell_len(line) for line in to_text(ALL[name](), colour=False).splitlines()) <= 50
