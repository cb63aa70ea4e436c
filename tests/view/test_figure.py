from __future__ import annotations

import re
import warnings
import xml.etree.ElementTree as ET
from dataclasses import replace

import matplotlib.image
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gmask.view.figure import save_figure, to_svg
from tests.explanations import guitar, hostile, make, one_sided, raw_score

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> str:
    return " ".join("".join(t.itertext()) for t in ET.fromstring(svg).iter(f"{SVG}text"))


def test_svg_is_xml_and_needs_nothing_from_outside(any_explanation):
    svg = to_svg(any_explanation)
    root = ET.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert {e.tag for e in root.iter()} <= {f"{SVG}{t}" for t in ("svg", "style", "g", "rect", "path", "text", "title")}
    assert not any(name in svg for name in ("href", "url(", "<image", "@import"))


@given(st.text(min_size=1, max_size=60), st.text(min_size=1, max_size=20))
@settings(max_examples=50)
def test_any_text_gives_well_formed_svg(text, label):
    e = make(text, text, label=label, target=label, labels=(label,), probabilities=(1.0,), warnings=(text,))
    e = replace(e, attributions=(0.5,) * len(e.words))
    ET.fromstring(to_svg(e))
    ET.fromstring(to_svg(e, inline=True))


def test_saturation_is_attribution_and_membership():
    e = guitar()
    root = ET.fromstring(to_svg(e))
    guitar_word = next(i for i, w in enumerate(e.words) if w.text == "guitar")
    stage = next(i for i, w in enumerate(e.words) if w.text == "stage")
    blocks = {int(g.get("data-w")): g.find(f"{SVG}rect") for g in root.iter(f"{SVG}g") if g.get("data-w")}
    assert float(blocks[guitar_word].get("fill-opacity")) == 1
    assert float(blocks[stage].get("fill-opacity")) == pytest.approx(0.52 / 0.93, abs=1e-3)
    lines = {(p.get("data-w"), p.get("data-g")): float(p.get("stroke-opacity")) for p in root.iter(f"{SVG}path")}
    assert lines[str(guitar_word), "0"] == 0.97
    assert lines[str(stage), "1"] == 0.9
    groups = [g.findall(f"{SVG}rect")[1] for g in root.iter(f"{SVG}g") if g.get("data-g")]
    assert [float(r.get("fill-opacity")) for r in groups] == [1.0, pytest.approx(0.58 / 0.93, abs=1e-3)]


def test_the_figure_says_what_the_model_said_the_proof_and_the_notes():
    shown = texts(to_svg(one_sided()))
    for part in (
        "contradiction 0.98",
        "neutral 0.01",
        "1 · 0.93",
        "alone 0.93 · without 0.35",
        "second sentence alone is",
    ):
        assert part in shown
    assert "score −2.31 Why is the score high?" in texts(to_svg(raw_score()))
    assert "contradiction 0.98" not in texts(to_svg(one_sided(), inline=True))


def test_the_figure_can_be_heard():
    label = ET.fromstring(to_svg(guitar())).get("aria-label")
    assert (
        "group 1, importance 0.93: “electric guitar” in the first sentence and “banjo” in the second sentence" in label
    )


def test_png_has_the_proportions_of_the_layout(any_explanation, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # this machine's fonts are not the test's business
        save_figure(any_explanation, tmp_path / "e.png")
    root = ET.fromstring(to_svg(any_explanation))
    height, width = matplotlib.image.imread(tmp_path / "e.png").shape[:2]
    assert width == pytest.approx(2 * float(root.get("width")), abs=3)
    assert height == pytest.approx(2 * float(root.get("height")), abs=3)


def test_png_shows_pink_blue_and_violet(tmp_path):
    save_figure(guitar(), tmp_path / "e.png")
    pixels = {tuple(p) for p in (matplotlib.image.imread(tmp_path / "e.png")[..., :3] * 255).round().reshape(-1, 3)}
    for colour in ((255, 141, 189), (180, 156, 255)):
        assert colour in pixels


def test_pdf_is_drawn_with_lines_and_letters_and_the_same_every_time(tmp_path, monkeypatch):
    save_figure(guitar(), tmp_path / "one.pdf")
    monkeypatch.setattr("time.time", lambda: 4e9)  # another day
    save_figure(guitar(), tmp_path / "two.pdf")
    found = (tmp_path / "one.pdf").read_bytes()
    assert found == (tmp_path / "two.pdf").read_bytes()
    assert found.startswith(b"%PDF")
    assert b"CreationDate" not in found
    assert b"/FontFile2" in found  # TrueType: its text can be searched and copied
    assert b"/Subtype /Image" not in found


@pytest.mark.filterwarnings("ignore:no font here")
@pytest.mark.parametrize("made", [one_sided, hostile])
def test_pdf_has_the_size_of_the_layout(made, tmp_path):
    save_figure(made(), tmp_path / "e.PDF")
    root = ET.fromstring(to_svg(made()))
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", (tmp_path / "e.PDF").read_bytes())
    assert [float(side) for side in box.groups()] == [
        pytest.approx(float(root.get(side)), abs=1) for side in ("width", "height")
    ]


def test_png_takes_dollars_literally(tmp_path):
    save_figure(make(r"$\frac{ $x^2$", "$", label=r"$\oops$"), tmp_path / "e.png")


def test_characters_without_a_font_are_warned_about_once(tmp_path, monkeypatch):
    monkeypatch.setattr("gmask.view.figure._MORE_FONTS", ())
    with pytest.warns(UserWarning, match="no font here has some of the characters") as caught:
        save_figure(make("电吉他", "𓀀"), tmp_path / "e.png")
    assert len(caught) == 1


def test_hostile_text_is_text():
    svg = to_svg(hostile())
    assert "<script" not in svg
    assert "<img" not in svg
    assert "script" in texts(svg)
