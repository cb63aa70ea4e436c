"""The training loop both kinds of model share: seeded, checkpointed, resumable to the same weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from gmask.errors import GmaskError
from gmask.model.training.checkpoint import Tensors, load_weights, restore, save, save_weights
from gmask.model.training.display import display

__all__ = ["Collate", "Encoded", "Settings", "accuracy", "fit"]

POOL = 64  # batches drawn together and sorted by length, so that a batch has little padding


@dataclass(frozen=True)
class Settings:
    """How to train; recorded in the model card."""

    epochs: int = 3
    batch_size: int = 32
    lr: float = 1e-4
    weight_decay: float = 0.01
    warmup: float = 0.06
    clip: float = 1.0
    patience: int = 2
    seed: int = 0
    checkpoint_steps: int = 500

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size", "lr", "patience", "checkpoint_steps"):
            if not getattr(self, name) > 0:
                raise GmaskError(f"{name} must be more than 0, not {getattr(self, name)}")


@dataclass(frozen=True)
class Encoded:
    """Pairs made ready for a model: one record a pair, its length, its class."""

    records: Sequence[Any]
    lengths: np.ndarray
    classes: torch.Tensor

    def __len__(self) -> int:
        return len(self.records)


Collate = Callable[[Sequence[Any]], Tensors]


def fit(
    model: nn.Module,
    train: Encoded,
    dev: Encoded,
    collate: Collate,
    settings: Settings,
    *,
    checkpoint: Path,
    fingerprint: str,
    log: Callable[[str], None] = print,
) -> dict[str, Any]:
    """Train in place; the model ends with the weights of the epoch that did best on `dev`.

    A run killed at any moment goes on from its last checkpoint and ends with the same weights as one left alone: the
    order of the batches depends on the seed and the epoch only, and the state of the random generator is kept.

    Args:
        model: Called with the collated tensors as keywords; returns logits.
        train: What to learn from.
        dev: What decides when to stop, and which epoch to keep.
        collate: Turns records into tensors.
        settings: See `Settings`.
        checkpoint: Where the state is kept while training; the best weights stand beside it.
        fingerprint: Names the data and settings; a checkpoint of other data or settings is refused.
        log: Told a line an epoch, and how far it is where there is no terminal.

    Returns:
        The history: steps, epochs, the loss and dev accuracy of each.
    """
    torch.manual_seed(settings.seed)
    steps = math.ceil(len(train) / settings.batch_size)  # an epoch
    total = steps * settings.epochs
    optimizer = torch.optim.AdamW(_decay_groups(model, settings), lr=settings.lr, fused=True)
    best = checkpoint.with_name("best.safetensors")
    state: dict[str, Any] = {"step": 0, "history": [], "best": -1.0, "fingerprint": fingerprint, "loss": 0.0, "hits": 0}
    if checkpoint.exists():
        state = restore(checkpoint, model, optimizer, fingerprint)
        log(f"resumed at step {state['step']} of {total}")
    with display(total, state["step"], log) as show:
        for epoch in range(state["step"] // steps, settings.epochs):
            if _stale(state["history"], settings.patience):
                log(f"stopped: no better on dev for {settings.patience} epochs")
                break
            model.train()
            for position, batch in enumerate(_batches(train, settings, epoch)):
                if position < state["step"] - epoch * steps:
                    continue  # done before the training was killed
                for group in optimizer.param_groups:
                    group["lr"] = settings.lr * _scale(state["step"], total, settings)
                classes = train.classes[torch.from_numpy(batch)]
                logits = model(**collate([train.records[i] for i in batch]))
                loss = functional.cross_entropy(logits, classes)
                optimizer.zero_grad()
                torch.autograd.backward(loss)
                nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
                optimizer.step()
                state["step"] += 1
                state["loss"] += loss.item() * len(batch)
                state["hits"] += int((logits.argmax(-1) == classes).sum())
                seen = min((position + 1) * settings.batch_size, len(train))
                show(epoch + 1, state["step"], state["loss"] / seen, state["hits"] / seen)
                if position + 1 < steps and state["step"] % settings.checkpoint_steps == 0:
                    save(checkpoint, model, optimizer, state)
            score = accuracy(model, dev, collate)
            state["history"].append({"epoch": epoch + 1, "loss": state["loss"] / len(train), "dev_accuracy": score})
            log(f"epoch {epoch + 1}: loss {state['loss'] / len(train):.4f}, dev accuracy {score:.4f}")
            state["loss"], state["hits"] = 0.0, 0
            if score > state["best"]:
                state["best"] = score
                save_weights(best, model)
            save(checkpoint, model, optimizer, state)
    load_weights(best, model)
    return {"steps": state["step"], "history": state["history"], "settings": asdict(settings)}


def accuracy(model: nn.Module, data: Encoded, collate: Collate, batch_size: int = 64) -> float:
    """The share of pairs whose most probable class is the right one."""
    model.eval()
    order = np.argsort(data.lengths, kind="stable")
    hits = 0
    with torch.inference_mode():
        for start in range(0, len(order), batch_size):
            batch = order[start : start + batch_size]
            logits = model(**collate([data.records[i] for i in batch]))
            hits += int((logits.argmax(-1) == data.classes[torch.from_numpy(batch)]).sum())
    return hits / len(data)


def _batches(data: Encoded, settings: Settings, epoch: int) -> Iterator[np.ndarray]:
    """Batches of like length in random order: the same for a seed and an epoch, whatever was done before."""
    random = np.random.default_rng([settings.seed, epoch])
    order = random.permutation(len(data))
    size = settings.batch_size
    batches = []
    for start in range(0, len(order), size * POOL):
        pool = order[start : start + size * POOL]
        pool = pool[np.argsort(data.lengths[pool], kind="stable")]
        batches += [pool[i : i + size] for i in range(0, len(pool), size)]
    return iter([batches[i] for i in random.permutation(len(batches))])


def _scale(step: int, total: int, settings: Settings) -> float:
    """The learning rate rises for a while, then falls to nothing."""
    warmup = max(1, round(settings.warmup * total))
    return min((step + 1) / warmup, (total - step) / max(1, total - warmup))


def _decay_groups(model: nn.Module, settings: Settings) -> list[dict[str, Any]]:
    """Weight decay for matrices, none for biases and normalisation."""
    named = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
    return [
        {"params": [p for _, p in named if p.ndim > 1], "weight_decay": settings.weight_decay},
        {"params": [p for _, p in named if p.ndim <= 1], "weight_decay": 0.0},
    ]


def _stale(history: list[dict[str, Any]], patience: int) -> bool:
    """Whether the last `patience` epochs brought nothing new."""
    scores = [entry["dev_accuracy"] for entry in history]
    return len(scores) > patience and max(scores[-patience:]) <= max(scores[:-patience])
