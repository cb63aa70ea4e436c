from __future__ import annotations

import pytest

from gmask.view.colours import DARK, LIGHT, contrast, mix


def test_contrast_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_mixing():
    assert mix("#000000", "#ffffff", 0.0) == "#000000"
    assert mix("#000000", "#ff8000", 1.0) == "#ff8000"
    assert mix("#000000", "#ff8000", 0.5) == "#804000"


@pytest.mark.parametrize("palette", [LIGHT, DARK])
@pytest.mark.parametrize("shade", [0.0, 0.05, 0.25, 0.5, 0.75, 1.0])
def test_text_is_readable_on_every_shade(palette, shade):
    for colour in (*palette.sentences, palette.group):
        for paper in (palette.paper, palette.raised):
            assert contrast(palette.ink, mix(paper, colour, shade)) >= 4.5


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_quiet_text_and_notes_are_readable_too(palette):
    for paper in (palette.paper, palette.raised):
        assert contrast(palette.muted, paper) >= 4.5
    assert contrast(palette.ink, palette.alert) >= 4.5
    assert contrast(palette.link, palette.paper) >= 3
