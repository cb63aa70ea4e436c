from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from rich.cells import cell_len

import gmask
from gmask.model.callable import CallableModel
from gmask.view.ranking import to_text

HOSTILE = "<script>alert(1)</script> \x1b[31mred\u202e & more"


@pytest.fixture
def ranking():
    model = CallableModel(lambda pairs: [float(len(b.split())) for _, b in pairs], outputs="score", name="<b>m</b>")
    passages = [
        {"id": "<i>1</i>", "title": HOSTILE, "text": "one two"},
        {"id": "2", "text": HOSTILE + " word" * 100},
        {"id": "3", "text": "one"},
    ]
    r = gmask.rank(model, HOSTILE, passages)
    r.why("2", over="<i>1</i>", method="leave-one-out")
    return r


def test_the_terminal_shows_places_scores_and_texts_within_its_width(ranking):
    for width in (50, 80, 120):
        text = to_text(ranking, colour=False, width=width)
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)
        assert max(cell_len(line) for line in text.splitlines()) <= width
    lines = to_text(ranking, colour=False, width=100).splitlines()
    assert re.match(r"1  2 +104\.00  ██████████  <script>", lines[3])
    assert re.match(r"3  3 +1\.00 +one$", lines[5])


def test_the_page_is_self_contained_and_shows_nothing_of_the_users_as_markup(ranking):
    page = ranking.to_html()
    assert "<script>alert" not in page
    assert "<i>" not in page
    assert "<b>m</b>" not in page
    assert not re.search(r"(?:src|href)=", page)
    assert "default-src 'none'" in page

    class Counted(HTMLParser):
        opened, closed = 0, 0

        def handle_starttag(self, tag, attrs):
            self.opened += tag in ("li", "ol", "section", "details", "summary", "div", "main")

        def handle_endtag(self, tag):
            self.closed += tag in ("li", "ol", "section", "details", "summary", "div", "main")

    counted = Counted()
    counted.feed(page)
    assert counted.opened == counted.closed > 10


def test_a_notebook_shows_the_ranking_and_what_was_explained(ranking):
    shown = ranking._repr_html_()
    assert shown.count('<li data-passage="') == 3
    assert "stand above passage" in shown
    assert shown.index('data-passage="1"') < shown.index('data-passage="0"') < shown.index('data-passage="2"')
