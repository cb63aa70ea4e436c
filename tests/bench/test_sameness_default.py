"""The default method on black boxes to which an empty pair is a perfect match."""

import pytest

from gmask.bench.sameness import BOXES, recognise, recognised


@pytest.mark.parametrize("name", BOXES)
def test_the_default_finds_what_two_texts_share(name):
    found = [recognised(*case) for case in recognise("gmask", BOXES[name], 8, seed=1)]
    assert sum(one.on_top for one in found) >= 7
    assert sum(one.grouped for one in found) >= 7
    assert all(one.high for one in found)
    assert not any(one.speechless for one in found)
    assert max(one.rows for one in found) <= 1000
