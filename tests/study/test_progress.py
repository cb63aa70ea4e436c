from __future__ import annotations

import io

import pytest

from gmask.study import progress
from gmask.study.progress import Progress, duration


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.4, "0 s"), (42, "42 s"), (185, "3 min 05 s"), (7830, "2 h 10 min"), (59.7, "1 min 00 s")]
)
def test_durations_for_people(seconds, told):
    assert duration(seconds) == told


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_each_method_has_its_own_time_left(clock):
    with Progress(["slow", "quick"], 12, {"slow": 2, "quick": 2}, shown=False) as bars:
        for _ in range(5):
            bars.advance("slow", 9.0)
            bars.advance("quick", 1.0)
        clock[0] += 50
        assert bars.left("slow") == "45 s left"  # five pairs to go, nine seconds each
        assert bars.left("quick") == "5 s left"
        clock[0] -= 25  # two workers: half the time went by
        assert bars.left("slow") == "22 s left"


def test_without_a_total_it_says_how_fast_it_is(clock):
    bars = Progress(["pairs"], None, {}, shown=False)
    for _ in range(30):
        bars.advance("pairs")
    clock[0] += 10
    assert bars.left("pairs") == "3 a second"


def test_where_there_is_no_terminal_a_line_is_told_now_and_then(clock, monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(progress.sys, "stderr", out)
    with Progress(["one", "two"], 4, {}, shown=True) as bars:
        for _ in range(4):
            clock[0] += 20
            bars.advance("one", 1)
            bars.advance("two", 1)
    assert out.getvalue() == "one 2/4, 20 s left; two 2/4, 20 s left\none 4/4, 0 s left; two 4/4, 0 s left\n"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_shows_a_bar_a_method(monkeypatch):
    out = Terminal()
    monkeypatch.setattr(progress.sys, "stderr", out)
    with Progress(["leave-one-out", "random"], 3, {"random": 1}, shown=True) as bars:
        bars.advance("leave-one-out", 1.0)
        bars.advance("random", 0.5)
    drawn = out.getvalue()
    assert "leave-one-out" in drawn
    assert "1/3" in drawn
    assert "2/3" in drawn
    assert "left" in drawn


def test_where_nobody_says_what_a_pair_took_the_time_left_goes_by_the_clock(clock):
    bars = Progress(["pairs"], 40, {"pairs": 10}, shown=False)
    for _ in range(10):
        bars.advance("pairs")
    clock[0] += 30
    assert bars.left("pairs") == "1 min 00 s left"
