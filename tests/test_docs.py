"""Every example in the README and the docs runs."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from gmask.method.base import Method
from gmask.method.base import methods as every_method
from gmask.metric.base import Metric
from gmask.metric.base import metrics as every_metric

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(kind):
    for page in PAGES:
        if page.name == "page.md":  # needs a server: tests/web/test_guide.py
            continue
        code = [text for language, text in BLOCK.findall(page.read_text(encoding="utf-8")) if language == kind]
        if code:
            yield pytest.param(code, id=page.name)


@pytest.mark.slow
@pytest.mark.parametrize("code", blocks("python"))
def test_python_examples_run(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    every_method(), every_metric()  # are all there before the copy is made
    for base in (Method, Metric):  # what an example adds is not for the tests after it
        monkeypatch.setattr(base, "registry", dict(base.registry))
    names = {"__name__": "example"}
    for text in code:
        exec(compile(text, "example", "exec"), names)


@pytest.mark.slow
@pytest.mark.parametrize("code", blocks("console"))
def test_commands_run(code, tmp_path):
    for line in "".join(code).splitlines():
        if line.startswith("$ gmask "):
            command = [sys.executable, "-m", "gmask", *shlex.split(line)[2:]]
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{line}\n{done.stderr}"


CLAIMS = {  # what was once said, and is not so
    "GMASK as published": "preset=paper is the paper's objective, solved exactly",
    "from a bound": "optimal is the same objective on a larger table, not a bound",
    "from the bound": "optimal is the same objective on a larger table, not a bound",
    "there is to be had": "optimal is the same objective on a larger table, not a bound",
    "the same thing every time": "it does with the same seed",
    "in a second or two, and": "it does for short pairs and a model of six layers",
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_no_page_claims_what_is_not_so(claim):
    pages = [*PAGES, ROOT / "CHANGELOG.md", *(ROOT / "docs" / "results").rglob("*.md")]
    pages += [*(ROOT / "docs" / "results").rglob("*.tex"), *(ROOT / "src").rglob("*.py")]
    for page in pages:
        assert claim not in " ".join(page.read_text(encoding="utf-8").split()), f"{page.name}: {CLAIMS[claim]}"


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
