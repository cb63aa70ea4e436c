"""How often a model is right: the context of every other figure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from gmask.dataset.example import Example
from gmask.errors import GmaskError
from gmask.model.base import PairModel

__all__ = ["accuracy", "same_label"]

TOGETHER = 256


def same_label(one: str, other: str) -> bool:
    """Whether two label names are the same, case and separators aside."""
    return _bare(one) == _bare(other)


def accuracy(model: PairModel, examples: Sequence[Example]) -> dict[str, Any]:
    """How many of the labelled pairs the model labels right.

    Raises:
        ValueError: The data's labels are not the model's.
    """
    right = pairs = 0
    for start in range(0, len(examples), TOGETHER):
        part = [e for e in examples[start : start + TOGETHER] if e.label is not None]
        bounds = [model.bind(e.first, e.second) for e in part]
        answers = model.answer([(bound, np.ones((1, len(bound.words)), bool)) for bound in bounds])
        for example, answer in zip(part, answers, strict=True):
            if not any(same_label(label, str(example.label)) for label in model.labels):
                known = ", ".join(model.labels)
                raise GmaskError(
                    f"the data's label {example.label!r} is none of the model's ({known}): no accuracy can be measured"
                )
            right += same_label(model.labels[int(answer[0].argmax())], str(example.label))
            pairs += 1
    return {"right": right, "pairs": pairs}


def _bare(label: str) -> str:
    return re.sub(r"[\W_]+", " ", label).strip().casefold()
