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
from gmask.method.selector.network import L2X, Shape, collate, encode, with_subset
from gmask.model.base import PairModel
from gmask.model.bound import BoundPair
from gmask.model.training.loop import Encoded, Settings, fit

__all__ = ["SETTINGS", "fit_l2x"]

SETTINGS = Settings(epochs=10, batch_size=64, lr=2e-3, patience=3, checkpoint_steps=200)
CHUNK = 512  # pairs asked about between two savings
HELD_OUT = 10  # every so many pairs, one chooses the epoch
GIVEN = 3  # random subsets of each pair, an epoch


def fit_l2x(
    model: PairModel,
    pairs: Sequence[tuple[str, str]],
    output: Path,
    *,
    shape: Shape | None = None,
    settings: Settings = SETTINGS,
    joint: bool = False,
    log: Callable[[str], None] = print,
) -> float:
    """Train a selector for a model and write it, in half precision.

    Args:
        model: Any model: it is asked about each pair once.
        pairs: What to train on.
        output: The selector's file; `.training` beside it holds the checkpoints until the work is done.
        shape: Of the networks. Default: `Shape()`.
        settings: How to train.
        joint: Whether the approximator learns from selected words, as published. Default: from random ones.
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
    if len(np.unique(classes)) == 1:
        raise GmaskError(f"{model.name} says the same of all {len(classes)} pairs; there is nothing to learn from them")
    log(f"{model.name} was asked about {len(classes)} pairs")

    records = [encode(b.words, shape.buckets) for b in bounds]
    is_dev = np.arange(len(records)) % HELD_OUT == 0
    random = np.random.default_rng(settings.seed)
    train = [
        (with_subset(records[i], kept), classes[i])
        for i in np.flatnonzero(~is_dev)
        for kept in [None, *([] if joint else _subsets(random, len(records[i]), 2 * shape.k))]
    ]
    dev = [(with_subset(records[i], None), classes[i]) for i in np.flatnonzero(is_dev)]
    torch.manual_seed(settings.seed)
    network = L2X(shape, int(classes.max()) + 1, joint=joint)
    history = fit(
        network,
        _encoded(train),
        _encoded(dev),
        collate,
        settings,
        checkpoint=work / "checkpoint.safetensors",
        fingerprint=json.dumps([asked, asdict(shape), asdict(settings), joint]),
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
            "joint": joint,
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


def _subsets(random: np.random.Generator, n: int, most: int) -> np.ndarray:
    """Rows `[GIVEN, n]` of random words, at most `most` each."""
    sizes = random.integers(1, min(n, most) + 1, GIVEN)
    return random.random((GIVEN, n)).argsort(axis=1).argsort(axis=1) < sizes[:, None]


def _predict(model: PairModel, bounds: Sequence[BoundPair], path: Path, asked: str) -> np.ndarray:
    """What the model says of each pair, float `[pairs, outputs]`; saved as it comes, not asked twice."""
    done = np.zeros((0, model.outputs))
    if path.exists():
        with safe_open(path, framework="np") as saved:
            if saved.metadata()["asked"] == asked:
                done = saved.get_tensor("outputs")
    for start in track(range(len(done), len(bounds), CHUNK), "asking the model", disable=len(done) == len(bounds)):
        chunk = bounds[start : start + CHUNK]
        outputs = model.answer([(b, np.ones((1, len(b.words)), bool)) for b in chunk])
        done = np.concatenate([done, *outputs])
        with atomic(path) as temporary:
            save_file({"outputs": done}, temporary, metadata={"asked": asked})
    return done


def _classes(model: PairModel, outputs: np.ndarray) -> np.ndarray:
    """What the model says, as classes `[pairs]`; a raw score is low or high, as seen from the median."""
    if model.raw:
        return (outputs[:, 0] > np.median(outputs[:, 0])).astype(np.int64)
    return outputs.argmax(axis=-1)


def _encoded(examples: Sequence[tuple[np.ndarray, int]]) -> Encoded:
    records = [record for record, _ in examples]
    return Encoded(records, np.array([len(r) for r in records]), torch.tensor([said for _, said in examples]))
