from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from gmask.errors import GmaskError
from gmask.model.training import loop
from gmask.model.training.loop import Encoded, Settings, accuracy, fit

SETTINGS = Settings(epochs=3, batch_size=8, lr=0.05, checkpoint_steps=3, patience=3)


class Toy(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(5)
        self.layers = nn.Sequential(nn.Linear(4, 16), nn.Dropout(0.3), nn.ReLU(), nn.Linear(16, 2))

    def forward(self, x):
        return self.layers(x)


def collate(records):
    return {"x": torch.stack(list(records))}


def data(n: int, seed: int) -> Encoded:
    x = torch.from_numpy(np.random.default_rng(seed).normal(size=(n, 4)).astype(np.float32))
    return Encoded(list(x), np.arange(n) % 7, (x[:, 0] * x[:, 1] > 0).long())


def train(folder, settings=SETTINGS, fingerprint="a", log=lambda _: None):
    model = Toy()
    history = fit(
        model,
        data(60, 0),
        data(40, 1),
        collate,
        settings,
        checkpoint=folder / "checkpoint.safetensors",
        fingerprint=fingerprint,
        log=log,
    )
    return {n: v.clone() for n, v in model.state_dict().items()}, history


class Killed(BaseException):
    pass


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return train(tmp_path_factory.mktemp("whole"))


@pytest.mark.parametrize("moment", range(1, 25))
def test_training_stopped_after_any_step_and_resumed_ends_with_the_same_weights(whole, tmp_path, monkeypatch, moment):
    steps = 0

    def step(self, *args, real=torch.optim.AdamW.step, **kwargs):
        nonlocal steps
        steps += 1
        if steps == moment:
            raise Killed
        return real(self, *args, **kwargs)

    monkeypatch.setattr(torch.optim.AdamW, "step", step)
    with pytest.raises(Killed):
        train(tmp_path)
    resumed, again = train(tmp_path)
    weights, history = whole
    assert again == history
    assert all(torch.equal(resumed[name], weights[name]) for name in weights)


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("which", range(1, 11))
def test_training_stopped_around_any_write_ends_with_the_same_weights(whole, tmp_path, monkeypatch, which, moment):
    writes = 0

    def stopping(real):
        def write(*args, **kwargs):
            nonlocal writes
            writes += 1
            if writes == which and moment == "before":
                raise Killed
            real(*args, **kwargs)
            if writes == which:
                raise Killed

        return write

    for name in ("save", "save_weights"):
        monkeypatch.setattr(loop, name, stopping(getattr(loop, name)))
    with pytest.raises(Killed):
        train(tmp_path)
    resumed, again = train(tmp_path)
    weights, history = whole
    assert again == history
    assert all(torch.equal(resumed[name], weights[name]) for name in weights)


def test_a_checkpoint_of_other_settings_or_data_is_refused(tmp_path):
    train(tmp_path)
    with pytest.raises(GmaskError, match=r"other data or settings; give another -o, or delete"):
        train(tmp_path, fingerprint="b")


def test_a_damaged_checkpoint_is_refused_in_one_line(tmp_path):
    train(tmp_path)
    path = tmp_path / "checkpoint.safetensors"
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(GmaskError, match="is damaged") as error:
        train(tmp_path)
    assert "\n" not in str(error.value)


def test_a_finished_training_is_not_repeated(tmp_path):
    first, _ = train(tmp_path)
    lines: list[str] = []
    second, _ = train(tmp_path, log=lines.append)
    assert lines == ["resumed at step 24 of 24"]
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_the_best_epoch_on_dev_is_kept(tmp_path):
    model = Toy()
    weights, history = train(tmp_path, Settings(epochs=8, batch_size=8, lr=0.2, patience=8))
    model.load_state_dict(weights)
    best = max(entry["dev_accuracy"] for entry in history["history"])
    assert accuracy(model, data(40, 1), collate) == best
    assert best > history["history"][0]["dev_accuracy"]


def test_training_stops_when_dev_gets_no_better(tmp_path):
    lines: list[str] = []
    _, history = train(tmp_path, Settings(epochs=50, batch_size=60, lr=1e-9, patience=2), log=lines.append)
    assert len(history["history"]) == 3
    assert "stopped: no better on dev for 2 epochs" in lines


def test_every_pair_is_seen_once_an_epoch_in_another_order():
    encoded = data(60, 0)
    epochs = [np.concatenate(list(loop._batches(encoded, SETTINGS, epoch))) for epoch in (0, 1, 0)]
    assert all(sorted(order) == list(range(60)) for order in epochs)
    assert not (epochs[0] == epochs[1]).all()
    assert (epochs[0] == epochs[2]).all()


@pytest.mark.parametrize("name", ["epochs", "batch_size", "lr", "patience", "checkpoint_steps"])
def test_settings_that_make_no_sense_are_refused(name):
    with pytest.raises(GmaskError, match=f"{name} must be more than 0, not 0"):
        Settings(**{name: 0})
