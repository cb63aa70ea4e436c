"""What stands beside the weights when training is done: accuracy on the held-out splits, and the model card."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from torch import nn

from gmask.dataset.example import Example
from gmask.files import write_text
from gmask.model.training.card import write_card
from gmask.model.training.corpus import TrainingData
from gmask.model.training.loop import Collate, Encoded, accuracy

__all__ = ["report"]


def report(
    folder: Path,
    model: nn.Module,
    encode: Callable[[Sequence[Example]], Encoded],
    collate: Collate,
    *,
    kind: str,
    data: TrainingData,
    training: Mapping[str, Any],
    command: str,
    log: Callable[[str], None],
) -> Path:
    """Measure the model, write `scores.json` and the card, and remove the checkpoints.

    Args:
        folder: Where the weights are.
        model: With those weights; called as in `fit`.
        encode: Makes examples ready for the model.
        collate: Turns records into tensors.
        kind: What the model is, for the card.
        data: What it was trained on.
        training: What `fit` returned.
        command: The command that made it.
        log: Told a line a split.

    Returns:
        The folder.
    """
    scores = [
        {"title": c.title, "split": s, "pairs": len(e), "accuracy": accuracy(model, encode(e), collate)}
        for c, s, e in data.held_out
    ]
    for score in scores:
        log(f"{score['title']}, {score['split']}: {score['accuracy']:.4f} of {score['pairs']}")
    write_text(folder / "scores.json", json.dumps({"scores": scores, **training}, indent=1))
    write_card(
        folder,
        title=folder.name,
        kind=kind,
        data=[{"title": c.title, "terms": c.terms, "pairs": n} for c, n in data.corpora],
        scores=scores,
        training=training,
        command=command,
        overlap=data.overlap,
        parameters=sum(p.numel() for p in model.parameters()),
    )
    shutil.rmtree(folder / ".training", ignore_errors=True)
    return folder
