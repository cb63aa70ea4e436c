"""The state of a training on disk: one file, so that weights, optimiser and position can never disagree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import nn

from gmask.errors import GmaskError
from gmask.files import atomic

__all__ = ["load_weights", "restore", "save", "save_weights", "workplace"]

Tensors = dict[str, torch.Tensor]


def workplace(output: Path) -> Path:
    """The folder for the checkpoints of a model that is not finished yet."""
    work = output / ".training"
    if output.exists() and not output.is_dir():
        raise GmaskError(f"{output} is a file; -o must name a folder")
    if not work.exists() and (output / "config.json").exists():
        raise GmaskError(f"{output} already holds a finished model; give another -o, or delete it to train anew")
    work.mkdir(parents=True, exist_ok=True)
    return work


def save(path: Path, model: nn.Module, optimizer: torch.optim.Optimizer, state: dict[str, Any]) -> None:
    """Write everything a training needs to go on, the state of the random generator included."""
    tensors = {f"model.{name}": value for name, value in _weights(model).items()}
    for index, slots in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{index}.{slot}": value.clone() for slot, value in slots.items()}
    tensors["random"] = torch.get_rng_state()
    with atomic(path) as temporary:
        save_file(tensors, temporary, metadata={"state": json.dumps(state)})


def restore(path: Path, model: nn.Module, optimizer: torch.optim.Optimizer, fingerprint: str) -> dict[str, Any]:
    """Put a training back where `save` left it; returns its state.

    Raises:
        GmaskError: The checkpoint is of other data or settings.
    """
    try:
        with safe_open(path, framework="pt") as saved:
            state: dict[str, Any] = json.loads(saved.metadata()["state"])
            if state["fingerprint"] != fingerprint:
                raise GmaskError(
                    f"{path} is of other data or settings; give another -o, or delete {path.parent} to start anew"
                )
            tensors = {name: saved.get_tensor(name) for name in saved.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise GmaskError(f"{path} is damaged ({error}); delete {path.parent} to start anew") from None
    model.load_state_dict({name: tensors[f"model.{name}"] for name in model.state_dict()})
    slots: dict[int, Tensors] = {}
    for name, value in tensors.items():
        if name.startswith("optimizer."):
            _, index, slot = name.split(".")
            slots.setdefault(int(index), {})[slot] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": slots})
    torch.set_rng_state(tensors["random"])
    return state


def save_weights(path: Path, model: nn.Module) -> None:
    """Write the weights alone."""
    with atomic(path) as temporary:
        save_file(_weights(model), temporary)


def load_weights(path: Path, model: nn.Module) -> None:
    """Read what `save_weights` wrote."""
    with safe_open(path, framework="pt") as saved:
        model.load_state_dict({name: saved.get_tensor(name) for name in saved.keys()})  # noqa: SIM118


def _weights(model: nn.Module) -> Tensors:
    return {name: value.detach().clone().contiguous() for name, value in model.state_dict().items()}
