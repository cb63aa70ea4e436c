from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest

from gmask.study.report import write_report
from gmask.study.report.collect import collect
from gmask.study.report.figures import degradation_figure, post_hoc_figure
from tests.study.report.conftest import METHODS


@pytest.fixture(scope="module")
def report(runs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    return folder, write_report(runs, folder, examples=2)


def test_everything_is_written(report):
    folder, files = report
    names = {path.name for path in files}
    assert names == {path.name for path in folder.iterdir()}
    assert {"report.html", "report.md", "tables.tex", "figures.csv", "aopc.csv", "degradation.csv"} <= names
    assert {"post-hoc-accuracy.svg", "post-hoc-accuracy.png", "degradation-bert-on-mrpc.svg"} <= names
    for path in files:
        assert path.stat().st_size > 40
        if path.suffix == ".png":
            assert path.read_bytes().startswith(b"\x89PNG")
        if path.suffix == ".svg":
            ET.parse(path)


def test_the_same_runs_give_the_same_report(runs, tmp_path):
    files, again = (write_report(runs[:1], tmp_path / name) for name in ("one", "again"))
    for path, other in zip(files, again, strict=True):
        assert path.read_bytes() == other.read_bytes(), path.name


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.outside, self.targets, self.wanted, self.open = [], set(), set(), []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.targets |= {given["id"]} if "id" in given else set()
        for name in ("src", "href", "xlink:href"):
            value = given.get(name) or ""
            if value.startswith("#") and tag == "a":
                self.wanted.add(value[1:])
            elif value and not value.startswith("#"):
                self.outside.append(value)


def test_the_page_needs_nothing_from_outside_and_its_links_lead_somewhere(report):
    folder, _ = report
    page = (folder / "report.html").read_text(encoding="utf-8")
    links = Links()
    links.feed(page)
    assert links.outside == []
    assert links.wanted
    assert links.wanted <= links.targets
    assert "<script" not in page
    assert "url(http" not in page


def test_the_page_shows_every_method_side_by_side(report):
    folder, _ = report
    page = (folder / "report.html").read_text(encoding="utf-8")
    shown = re.findall(r"<div class=examples>(.*?)</div>\n", page.replace("</div><h3", "</div>\n<h3"), re.DOTALL)
    assert page.count("<div class=examples>") == 6  # two pairs of three cells
    assert shown
    for method in METHODS:
        assert page.count(f"<h4>{method}</h4>") == 6
    assert "people “same”" in page


def test_texts_of_pairs_are_escaped(tmp_path):
    import gmask
    from gmask.model.callable import CallableModel

    pair = ("<script>alert(1)</script> & co", "a <b>bold</b> claim")
    gmask.evaluate(CallableModel(lambda pairs: [0.6] * len(pairs)), [pair], methods=["random"], output=tmp_path / "run")
    write_report([tmp_path / "run"], tmp_path / "report")
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "<b>" not in page


def test_post_hoc_curves_are_those_of_the_results(runs):
    cells = collect(runs, pytest.fail)
    figure = post_hoc_figure(cells)
    axes = figure.axes[0]
    assert axes.get_title() == "DAttn on e-SNLI"
    lines = {line.get_label(): list(line.get_ydata()) for line in axes.get_lines()}
    assert lines["gmask"] == pytest.approx([100 * v for v in cells[0].results["gmask"]["post_hoc_accuracy"]])
    assert len(lines) == len(METHODS)


def test_degradation_curves_run_from_one_to_zero(runs):
    cell = collect(runs, pytest.fail)[0]
    figure = degradation_figure(cell)
    drawn = [axes for axes in figure.axes if axes.axison]
    assert [axes.get_title().rsplit(": ", 1)[0] for axes in drawn] == METHODS
    for axes in drawn:
        for line in axes.get_lines()[:2]:
            assert line.get_ydata()[0] == pytest.approx(1)
            assert line.get_ydata()[-1] == pytest.approx(0)
