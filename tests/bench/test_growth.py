"""How the cost grows, measured and drawn."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import gmask
from gmask.bench.growth import grow_pairs, grow_words, growth_figure
from gmask.cli.app import app
from gmask.errors import GmaskError


def test_rows_stop_growing_with_the_words_and_time_does_not_grow_with_their_square():
    (_, few, short), (_, many, long) = grow_words((600, 2000))
    assert many < 1.2 * few
    assert long < 8 * short


def test_lists_are_of_the_lengths_asked_for_and_drawn(tmp_path):
    pairs = [("A cat is asleep.", "A cat sleeps.")]
    grown = grow_pairs(gmask.load("nli-dattn"), pairs, (1, 2))
    assert [count for count, _ in grown] == [1, 2]
    figure = growth_figure([(10, 300, 0.1), (20, 310, 0.2)], {"nli-dattn": grown})
    rows, seconds, lists = figure.axes
    assert list(rows.lines[0].get_ydata()) == [300, 310]
    assert list(seconds.lines[0].get_ydata()) == [0.1, 0.2]
    assert [text.get_text() for text in lists.get_legend().get_texts()] == ["nli-dattn"]
    figure.savefig(tmp_path / "growth.svg")


def test_a_figure_needs_both_that_it_shows(tmp_path):
    asked = ["bench", "speed", str(tmp_path), "--parts", "words", "--figure", str(tmp_path / "growth.svg")]
    with pytest.raises(GmaskError, match="pairs and words"):
        CliRunner().invoke(app, asked, catch_exceptions=False)


def test_a_figure_of_another_kind_is_told_before_anything_is_measured(tmp_path):
    asked = ["bench", "speed", str(tmp_path), "--figure", str(tmp_path / "growth.txt")]
    with pytest.raises(GmaskError, match=r"unknown file ending '.txt'; valid: .svg, .png"):
        CliRunner().invoke(app, asked, catch_exceptions=False)
