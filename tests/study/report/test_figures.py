from __future__ import annotations

import pytest

from gmask.study.report.collect import collect
from gmask.study.report.figures import post_hoc_figure


@pytest.mark.parametrize("times", [1, 4])
def test_the_legend_stays_within_the_figure(runs, times):
    pytest.importorskip("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = post_hoc_figure(collect(runs, pytest.fail) * times)
    FigureCanvasAgg(figure).draw()
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert len(legend.get_texts()) == 5
    assert 0 <= box.x0 < box.x1 <= figure.bbox.x1
    assert box.y0 >= 0
