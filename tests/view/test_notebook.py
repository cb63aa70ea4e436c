from __future__ import annotations

import pytest

from gmask.view.html import fragment
from tests.browser import NONE, THERE
from tests.explanations import ALL, guitar

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.skipif(not THERE, reason=NONE)]

PAGE = "<!DOCTYPE html>"
PROPERTIES = (
    "display float position width height margin padding textAlign verticalAlign font letterSpacing textTransform "
    "whiteSpace color background borderWidth listStyle maxWidth overflow opacity boxSizing"
).split()
STYLES = """(names) => {
  const card = document.querySelector(".gmask");
  card.style.width = "700px";
  card.querySelector("details").open = true;
  return [card, ...card.querySelectorAll("*")].map((part) => {
    const style = getComputedStyle(part);
    return [part.tagName, part.textContent.slice(0, 20), ...names.map((name) => `${name}: ${style[name]}`)];
  });
}"""


@pytest.fixture
def styles(browser):
    """The styles of a card on a page, which gets nothing from anywhere."""
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    page.route("http**", lambda route: route.abort())

    def found(html: str):
        page.set_content(html, wait_until="domcontentloaded")
        return page.evaluate(STYLES, PROPERTIES)

    yield found
    page.close()


def notebook(html: str) -> str:
    """A notebook with one output, as JupyterLab shows it."""
    from nbconvert import HTMLExporter
    from nbformat.v4 import new_code_cell, new_notebook, new_output

    output = new_output("execute_result", data={"text/html": html}, execution_count=1)
    book = new_notebook(cells=[new_code_cell("e", outputs=[output], execution_count=1)])
    page, _ = HTMLExporter(template_name="lab").from_notebook_node(book)
    assert ".jp-RenderedHTMLCommon td" in page  # the rules that would move the card's tables
    return page


def different(here, there) -> list[str]:
    assert len(here) == len(there)
    pairs = [(part, *pair) for part, other in zip(here, there, strict=True) for pair in zip(part, other, strict=True)]
    return [f"{part[0]} {part[1]!r} {one} -> {other}" for part, one, other in pairs if one != other]


@pytest.mark.filterwarnings("ignore:IPython3 lexer unavailable")
@pytest.mark.parametrize("name", ["guitar", "single_words", "one_sided"])
def test_jupyterlab_changes_nothing_of_a_card(styles, name):
    card = fragment(ALL[name]())
    assert different(styles(PAGE + card), styles(notebook(card))) == []


def test_a_page_that_styles_everything_changes_nothing_of_a_card(styles):
    loud = """<style>
    body { letter-spacing: 3px; text-transform: uppercase; text-align: right; line-height: 3 }
    .page section, .page :is(h2, p, ol, li, dt, dd, table, tr, td, mark) { float: left; width: 20%; color: red }
    .page :is(tr:nth-child(odd), li)::before { display: block; height: 99px; content: '!' }
    </style>"""
    card = fragment(guitar())
    assert different(styles(PAGE + card), styles(f'{PAGE}{loud}<div class="page">{card}</div>')) == []
