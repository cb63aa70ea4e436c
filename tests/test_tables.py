"""The figures on the pages are those of the study's tables, and these are those of its records."""

from __future__ import annotations

import csv
import importlib.util
import io
import tarfile
from pathlib import Path

import pytest

from gmask.study.report.collect import collect
from gmask.study.report.tables import averages_table

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def make_tables():
    spec = importlib.util.spec_from_file_location("make_tables", DOCS / "make_tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_agrees_with_the_tables_of_the_study(make_tables):
    marked = 0
    for page in make_tables.PAGES:
        text = page.read_text(encoding="utf-8")
        marked += len(make_tables.TABLE.findall(text))
        assert make_tables.filled(text) == text, f"{page.name}: python docs/make_tables.py writes it anew"
    assert marked >= 2


def test_a_figure_that_is_not_that_of_the_study_is_seen(make_tables, tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text("method,AOPC,Model rows\nlime,0.5 -10.0 %,900\ngmask,0.6,1000\noptimal,0.7,2\n")
    monkeypatch.setattr(make_tables, "DOCS", tmp_path)
    table = "<!-- table t.csv\ngmask -> **ours**\nlime\n-->\n| wrong |\n<!-- end of table -->\n"
    page = f"{table}It has <!-- is t.csv | lime | AOPC -->0.9<!-- -->."
    made = make_tables.filled(page)
    assert "| **ours** | **0.6** | 1,000 |\n| lime | 0.5 −10.0 % | 900 |\n" in made
    assert "It has <!-- is t.csv | lime | AOPC -->0.5<!-- -->." in made
    assert make_tables.filled(made) == made
    with pytest.raises(SystemExit, match="no single figure"):
        make_tables.filled("<!-- is t.csv | lime | F1 -->0<!-- -->")
    with pytest.raises(SystemExit, match="no row lyme"):
        make_tables.filled("<!-- table t.csv\nlyme\n-->\n<!-- end of table -->")


def test_the_tables_of_the_study_are_those_of_its_records(tmp_path):
    for name in ("runs-dattn.tar.xz", "runs-bert.tar.xz"):
        with tarfile.open(DOCS / "results" / name) as archive:
            archive.extractall(tmp_path, filter="data")
    runs = sorted(path.parent for path in tmp_path.rglob("run.json"))
    made = averages_table(collect(runs, pytest.fail)).to_csv()
    there = (DOCS / "results" / "averages.csv").read_text(encoding="utf-8")
    assert sorted(csv.reader(io.StringIO(made))) == sorted(csv.reader(io.StringIO(there)))
