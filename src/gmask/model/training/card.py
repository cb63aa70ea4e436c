"""The model card: what a model was trained on, how, and how well it does."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gmask.files import write_text

__all__ = ["write_card"]


def write_card(
    folder: Path,
    *,
    title: str,
    kind: str,
    data: Sequence[Mapping[str, Any]],
    scores: Sequence[Mapping[str, Any]],
    training: Mapping[str, Any],
    command: str,
    overlap: int,
    parameters: int,
) -> None:
    """Write `README.md` beside the weights.

    Args:
        folder: The model's folder.
        title: Its name.
        kind: What it is.
        data: Per corpus: title, terms, training pairs.
        scores: Per corpus and split: pairs and accuracy.
        training: What `fit` returned.
        command: The command that made the model.
        overlap: How many held-out pairs were found in the training data before they were left out.
        parameters: How many weights it has.
    """
    size = sum(f.stat().st_size for f in folder.iterdir() if f.is_file()) / 1e6
    lines = [f"# {title}", "", f"{kind}, {parameters:,} parameters, {size:.1f} MB on disk (half precision).", ""]
    lines += ["## Trained on", "", "| corpus | pairs | terms of use |", "|---|---|---|"]
    lines += [f"| {d['title']} | {d['pairs']:,} | {d['terms']} |" for d in data]
    lines += ["", "## Accuracy", "", "| corpus | split | pairs | accuracy |", "|---|---|---|---|"]
    lines += [f"| {s['title']} | {s['split']} | {s['pairs']:,} | {100 * s['accuracy']:.2f} % |" for s in scores]
    lines += [
        "",
        "The dev split chose the epoch; the test split took no part in training or in choosing anything.",
        f"Held-out pairs found in the training data (case, spacing and order of the sentences aside): {overlap}"
        + (", all left out of training." if overlap else "."),
        "",
        "## Made with",
        "",
        "```",
        command,
        "```",
        "",
    ]
    lines += ["| epoch | training loss | dev accuracy |", "|---|---|---|"]
    lines += [f"| {e['epoch']} | {e['loss']:.4f} | {100 * e['dev_accuracy']:.2f} % |" for e in training["history"]]
    settings = ", ".join(f"{k} {v}" for k, v in training["settings"].items())
    packages = ", ".join(f"{p} {version(p)}" for p in ("gmask", "torch", "transformers", "numpy"))
    lines += ["", f"Settings: {settings}.", "", f"Versions: {packages}, Python {platform.python_version()}.", ""]
    write_text(folder / "README.md", "\n".join(lines))
