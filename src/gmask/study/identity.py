"""Whether a model is the one a run was begun with: by what it says of itself, and by what it answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from gmask.errors import GmaskError
from gmask.model.base import PairModel
from gmask.study.manifest import kind_of

__all__ = ["check_answers", "identity_of"]

FEW = 8  # recorded pairs that are asked about again
SAME = 1e-3  # answers that differ by more are other answers, by this share where they are large


def identity_of(model: PairModel) -> dict[str, Any]:
    """A model as a manifest knows it; labels and outputs only once they are known."""
    known = model.identity
    if not model.settled:
        known = {name: value for name, value in known.items() if name not in ("labels", "outputs")}
    return {**known, "kind": kind_of(model)}


def check_answers(model: PairModel, recorded: Iterable[Mapping[str, Any]], place: Path) -> None:
    """Ask about a few recorded whole pairs again: names and digests may be the same where the weights are not.

    A pair with a warning is passed over, since the model may have been seen to answer it differently by itself.

    Args:
        model: The model a run is gone on with.
        recorded: Explanations of the run, as plain data.
        place: Where they are.

    Raises:
        ValueError: An answer is another one than what is recorded, by more than rounding.
    """
    few = list(islice((e for e in recorded if not e.get("warnings")), FEW))
    bounds = [model.bind(e["first"], e["second"], removal=e["removal"]) for e in few]
    answers = model.answer([(bound, np.ones((1, len(bound.words)), bool)) for bound in bounds])
    for e, (answer,) in zip(few, answers, strict=True):
        before = np.array(e["probabilities"] if e["score"] is None else [e["score"]])
        named = list(e["labels"]) == list(model.labels)
        if not named or len(before) != len(answer) or (abs(answer - before) > SAME * np.maximum(1, abs(before))).any():
            raise GmaskError(
                f"{place} was begun with another model: of {e['first']!r:.60} / {e['second']!r:.60} it said "
                f"{_told(e['labels'], before)}, this one says {_told(model.labels, answer)}; results are never mixed, "
                "give another -o"
            )


def _told(labels: Iterable[str], answer: np.ndarray) -> str:
    if len(answer) == 1:
        return f"{answer[0]:.4g}"
    return ", ".join(f"{label} {value:.4f}" for label, value in zip(labels, answer, strict=False))
