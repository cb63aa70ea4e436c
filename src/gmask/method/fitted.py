"""Files that `gmask fit` makes: tensors that belong to one model, and the means to tell."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from gmask.errors import GmaskError
from gmask.files import atomic
from gmask.model.base import PairModel

if TYPE_CHECKING:
    import torch

__all__ = ["Fitted", "locate", "read", "save"]

PROBES = 4  # pairs whose outputs a file remembers, so as to know its model again
TOLERANCE = 0.02  # weights rounded to half precision, other versions of libraries: the same model


@dataclass(frozen=True, eq=False)
class Fitted:
    """What was fitted, and how."""

    tensors: Mapping[str, torch.Tensor]
    settings: Mapping[str, Any]


# What was read and found to belong to a model; forgotten with the model.
_known: WeakKeyDictionary[PairModel, dict[tuple[Path, int, str], Fitted]] = WeakKeyDictionary()


def locate(model: PairModel, given: str | None, name: str) -> Path | None:
    """The file a user named, or else the one beside the model, if there is one."""
    if given is not None:
        if not Path(given).is_file():
            raise GmaskError(f"no such file: {given}")
        return Path(given)
    beside = None if model.folder is None else model.folder / name
    return beside if beside is not None and beside.is_file() else None


def save(
    path: Path,
    tensors: Mapping[str, torch.Tensor],
    *,
    method: str,
    model: PairModel,
    pairs: Sequence[tuple[str, str]],
    settings: Mapping[str, Any],
) -> None:
    """Write a file that `read` takes for the same model only.

    Args:
        path: Where.
        tensors: What was fitted.
        method: The method it is for.
        model: The model it was fitted to.
        pairs: Some of the pairs it was fitted on; the model's outputs for a few of them are kept with it.
        settings: How it was fitted.
    """
    from safetensors.torch import save_file

    probes = [
        [*pair, outputs.round(4).tolist()] for pair, outputs in zip(pairs, _say(model, pairs[:PROBES]), strict=False)
    ]
    about = {"method": method, "model": model.name, "settings": dict(settings), "probes": probes}
    with atomic(path) as temporary:
        save_file(dict(tensors), temporary, metadata={"gmask": json.dumps(about, ensure_ascii=False)})


def read(path: Path, *, method: str, model: PairModel) -> Fitted:
    """Read a file for a method and a model; a file made for another is refused."""
    key = (path.resolve(), path.stat().st_mtime_ns, method)
    known = _known.setdefault(model, {})
    if key not in known:
        known[key] = _checked(path, method, model)
    return known[key]


def _checked(path: Path, method: str, model: PairModel) -> Fitted:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            about = json.loads((file.metadata() or {})["gmask"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, KeyError, ValueError):
        raise GmaskError(f"{path} was not made by `gmask fit {method}`") from None
    if about["method"] != method:
        raise GmaskError(f"{path} was made by `gmask fit {about['method']}`, not by `gmask fit {method}`")
    said = _say(model, [(a, b) for a, b, _ in about["probes"]])
    for (*_, remembered), now in zip(about["probes"], said, strict=True):
        if len(remembered) != len(now) or not np.allclose(remembered, now, rtol=TOLERANCE, atol=TOLERANCE):
            raise GmaskError(
                f"{path} was fitted to another model ({about['model']}); make one for this with `gmask fit {method}`"
            )
    return Fitted(tensors, about["settings"])


def _say(model: PairModel, pairs: Sequence[tuple[str, str]]) -> list[np.ndarray]:
    """The model's outputs for whole pairs."""
    bounds = [model.bind(*pair) for pair in pairs]
    return [rows[0] for rows in model.answer([(b, np.ones((1, len(b.words)), bool)) for b in bounds])]
