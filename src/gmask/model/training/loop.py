"""The training loop both kinds of model share: seeded, checkpointed, resumable to the same weights."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F

from gmask.errors import GmaskError
from gmask.files import atomic

__all__ = ["Encoded", "Settings", "accuracy", "fit"]

POOL = 64  # batches drawn together and sorted by length, so that a batch has little padding
Tensors = dict[str, torch.Tensor]


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
    checkpoint: Path,
    *,
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
        log: Told a line an epoch.

    Returns:
        The history: steps, epochs, the loss and dev accuracy of each.
    """
    torch.manual_seed(settings.seed)
    steps_per_epoch = math.ceil(len(train) / settings.batch_size)
    total = steps_per_epoch * settings.epochs
    optimizer = torch.optim.AdamW(_decay_groups(model, settings), lr=settings.lr, fused=True)
    warmup = max(1, round(settings.warmup * total))
    state: dict[str, Any] = {
        "step": 0,
        "history": [],
        "best": -1.0,
        "fingerprint": fingerprint,
        "loss": 0.0,
        "hits": 0,
    }
    best_path = checkpoint.with_name("best.safetensors")
    if checkpoint.exists():
        state = _restore(checkpoint, model, optimizer, fingerprint)
        log(f"resumed at step {state['step']} of {total}")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("loss {task.fields[loss]:.3f}  accuracy {task.fields[accuracy]:.3f}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    began = time.monotonic()
    with Progress(*columns) as progress:
        bar = progress.add_task("training", total=total, completed=state["step"], loss=0.0, accuracy=0.0)
        for epoch in range(state["step"] // steps_per_epoch, settings.epochs):
            if _stale(state["history"], settings.patience):
                break
            model.train()
            done = state["step"] - epoch * steps_per_epoch
            for position, batch in enumerate(_batches(train, settings, epoch)):
                if position < done:
                    continue
                scale = min((state["step"] + 1) / warmup, (total - state["step"]) / max(1, total - warmup))
                for group in optimizer.param_groups:
                    group["lr"] = settings.lr * scale
                classes = train.classes[torch.from_numpy(batch)]
                logits = model(**collate([train.records[i] for i in batch]))
                loss = F.cross_entropy(logits, classes)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
                optimizer.step()
                state["step"] += 1
                state["loss"] += loss.item() * len(batch)
                state["hits"] += int((logits.argmax(-1) == classes).sum())
                seen = min((position + 1) * settings.batch_size, len(train))
                shown = {"loss": state["loss"] / seen, "accuracy": state["hits"] / seen}
                progress.update(bar, completed=state["step"], description=f"epoch {epoch + 1}", **shown)
                if position + 1 < steps_per_epoch and state["step"] % settings.checkpoint_steps == 0:
                    _save(checkpoint, model, optimizer, state)
                    log(
                        f"step {state['step']}/{total}  loss {shown['loss']:.4f}  accuracy {shown['accuracy']:.4f}"
                        f"  {time.monotonic() - began:.0f} s"
                    )
            score = accuracy(model, dev, collate)
            entry = {"epoch": epoch + 1, "loss": state["loss"] / len(train), "dev_accuracy": score}
            state["history"].append(entry)
            state["loss"], state["hits"] = 0.0, 0
            if score > state["best"]:
                state["best"] = score
                with atomic(best_path) as path:
                    save_file(_weights(model), path)
            _save(checkpoint, model, optimizer, state)
            log(f"epoch {epoch + 1}: loss {entry['loss']:.4f}, dev accuracy {score:.4f}")
    with safe_open(best_path, framework="pt") as best:
        model.load_state_dict({name: best.get_tensor(name) for name in best.keys()})  # noqa: SIM118
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


def _weights(model: nn.Module) -> Tensors:
    return {name: value.detach().clone().contiguous() for name, value in model.state_dict().items()}


def _save(path: Path, model: nn.Module, optimizer: torch.optim.Optimizer, state: dict[str, Any]) -> None:
    """One file, so that weights, optimiser and position can never disagree."""
    tensors = {f"model.{name}": value for name, value in _weights(model).items()}
    for index, slots in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{index}.{slot}": value.clone() for slot, value in slots.items()}
    tensors["random"] = torch.get_rng_state()
    with atomic(path) as temporary:
        save_file(tensors, temporary, metadata={"state": json.dumps(state)})


def _restore(path: Path, model: nn.Module, optimizer: torch.optim.Optimizer, fingerprint: str) -> dict[str, Any]:
    with safe_open(path, framework="pt") as saved:
        state = json.loads(saved.metadata()["state"])
        if state["fingerprint"] != fingerprint:
            raise GmaskError(
                f"{path} was made with other data or settings; give another -o, or delete {path.parent} to start anew"
            )
        model.load_state_dict({n: saved.get_tensor(f"model.{n}") for n in model.state_dict()})
        slots: dict[int, Tensors] = {}
        for name in saved.keys():  # noqa: SIM118
            if name.startswith("optimizer."):
                _, index, slot = name.split(".")
                slots.setdefault(int(index), {})[slot] = saved.get_tensor(name)
        optimizer.load_state_dict({**optimizer.state_dict(), "state": slots})
        torch.set_rng_state(saved.get_tensor("random"))
    return state
