from __future__ import annotations

from gmask.model.training import display as module
from gmask.model.training.display import display


def test_a_log_gets_lines_with_loss_accuracy_and_time_left(monkeypatch):
    clock = iter([0.0, 10.0, 40.0, 50.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    lines: list[str] = []
    with display(110, 10, lines.append, terminal=False) as show:
        show(1, 20, 0.9, 0.5)
        show(2, 30, 0.8123, 0.61)
        show(2, 40, 0.7, 0.7)
    assert lines == ["epoch 2, step 30/110: loss 0.8123, accuracy 0.6100, 0:02:40 left"]


def test_a_terminal_gets_a_bar(capsys):
    with display(10, 0, lambda _: None, terminal=True) as show:
        show(1, 10, 0.25, 0.875)
    shown = capsys.readouterr().out
    assert "10/10" in shown
    assert "loss 0.250  accuracy 0.875" in shown
