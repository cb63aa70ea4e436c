"""Training a selector on what a model says of many pairs; killed at any moment, it goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from rich.progress import track
from safetensors import safe_open
from safetensors.numpy import save_file

from gmask.errors import GmaskError
from gmask.files import atomic
from gmask.method import fitted
from gmask.method.selector.network import L2X, Shape, collate, encode
from gmask.model.base import BoundPair, PairModel
from gmask.model.training.loop import Encoded, Settings, fit

__all__ = ["SETTINGS", "fit_l2x"]

SETTINGS = Settings(epochs=10, batch_size=64, lr=2e-3, patience=3, checkpoint_steps=200)
CHUNK = 512  # pairs asked about between two savings
HELD_OUT = 10  # every so many pairs, one chooses the epoch


def fit_l2x(
    model: PairModel,
    pairs: Sequence[tuple[str, str]],
    output: Path,
    *,
    shape: Shape | None = None,
    settings: Settings = SETTINGS,
    log: Callable[[str], None] = print,
) -> float:
    """Train a selector for a model and write it, in half precision.

    Args:
        model: Any model: it is asked once about each pair.
        pairs: What to train on.
        output: The selector's file; `.training` beside it holds the checkpoints until the work is done.
        shape: Of the networks. Default: `Shape()`.
        settings: How to train.
        log: Told how it goes.

    Returns:
        How often the approximator, from the selected words alone, says what the model says, on pairs held out.
    """
    shape = shape or Shape()
    bounds = _bind(model, pairs)
    texts = hashlib.sha256("\n".join("\t".join(b.texts) for b in bounds).encode()).hexdigest()[:16]
    work = output.parent / ".training" / output.stem
    asked = json.dumps([model.name, model.hash, texts])
    classes = _classes(model, _predict(model, bounds, work / "predictions.safetensors", asked))
    counts = np.bincount(classes)
    if counts.max() == len(classes):
        raise GmaskError(f"{model.name} says the same of all {len(classes)} pairs; there is nothing to learn from them")
    log(f"{model.name} was asked about {len(classes)} pairs")

    records = [encode(b.words, shape.buckets) for b in bounds]
    is_dev = np.arange(len(records)) % HELD_OUT == 0
    train, dev = (_part(records, classes, chosen) for chosen in (~is_dev, is_dev))
    torch.manual_seed(settings.seed)
    network = L2X(shape, len(counts))
    history = fit(
        network,
        train,
        dev,
        collate,
        settings,
        checkpoint=work / "checkpoint.safetensors",
        fingerprint=json.dumps([asked, asdict(shape), asdict(settings)]),
        log=log,
    )
    agreement = max(float(entry["dev_accuracy"]) for entry in history["history"])
    fitted.save(
        output,
        {name: value.half() for name, value in network.selector.state_dict().items()},
        method="l2x",
        model=model,
        pairs=[b.texts for b in bounds],
        settings={
            "shape": asdict(shape),
            "pairs": len(bounds),
            "agreement": round(agreement, 4),
            "seed": settings.seed,
        },
    )
    shutil.rmtree(work)
    return agreement


def _bind(model: PairModel, pairs: Sequence[tuple[str, str]]) -> list[BoundPair]:
    """The pairs that can be bound: a corpus has some without a word in them."""
    bounds = []
    for pair in pairs:
        try:
            bounds.append(model.bind(*pair))
        except GmaskError:
            continue
    if len(bounds) < 2 * HELD_OUT:
        raise GmaskError(f"a selector needs at least {2 * HELD_OUT} pairs to learn from, not {len(bounds)}")
    return bounds


def _predict(model: PairModel, bounds: Sequence[BoundPair], path: Path, asked: str) -> np.ndarray:
    """What the model says of each pair, float `[pairs, outputs]`; saved as it comes, and not asked twice."""
    done = np.zeros((0, model.outputs))
    if path.exists():
        with safe_open(path, framework="np") as saved:
            if saved.metadata()["asked"] == asked:
                done = saved.get_tensor("outputs")
    for start in track(range(len(done), len(bounds), CHUNK), "asking the model", disable=len(done) == len(bounds)):
        chunk = bounds[start : start + CHUNK]
        outputs = model.answer([(b, np.ones((1, len(b.words)), dtype=bool)) for b in chunk])
        done = np.concatenate([done, *outputs])
        with atomic(path) as temporary:
            save_file({"outputs": done}, temporary, metadata={"asked": asked})
    return done


def _classes(model: PairModel, outputs: np.ndarray) -> np.ndarray:
    """What the model says, as a class; a raw score is low or high, as seen from the median."""
    if model.raw:
        return (outputs[:, 0] > np.median(outputs[:, 0])).astype(np.int64)
    return outputs.argmax(axis=1)


def _part(records: Sequence[np.ndarray], classes: np.ndarray, chosen: np.ndarray) -> Encoded:
    own = [r for r, take in zip(records, chosen, strict=True) if take]
    return Encoded(own, np.array([len(r) for r in own]), torch.from_numpy(classes[chosen]))
