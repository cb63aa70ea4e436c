"""How often a model is right: the context of every other figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gmask.dataset.example import Example
from gmask.errors import GmaskError
from gmask.model.base import PairModel
from gmask.study.saying import same_label, says

__all__ = ["accuracy"]


def accuracy(model: PairModel, examples: Sequence[Example]) -> dict[str, Any]:
    """How many of the labelled pairs the model labels right.

    Raises:
        ValueError: The data's labels are not the model's.
    """
    labelled = [e for e in examples if e.label is not None]
    right = 0
    for example, said in zip(labelled, says(model, ((e.first, e.second) for e in labelled)), strict=True):
        if not any(same_label(label, str(example.label)) for label in model.labels):
            known = ", ".join(model.labels)
            raise GmaskError(
                f"the data's label {example.label!r} is none of the model's ({known}): no accuracy can be measured"
            )
        right += same_label(said, str(example.label))
    return {"right": right, "pairs": len(labelled)}
