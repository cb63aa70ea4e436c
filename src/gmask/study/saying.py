"""What a model says of whole pairs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, tee

import numpy as np

from gmask.dataset.example import Example
from gmask.errors import GmaskError, one_of
from gmask.model.base import PairModel

__all__ = ["called", "label_of", "same_label", "says"]

TOGETHER = 256


def says(model: PairModel, pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The label the model gives each pair, asked about a few hundred at a time."""
    coming = iter(pairs)
    while bounds := [model.bind(*pair) for pair in islice(coming, TOGETHER)]:
        if model.raw:
            raise GmaskError(f"{model.name} answers with a score, not with labels; a classifier is needed")
        for answer in model.answer([(bound, np.ones((1, len(bound.words)), bool)) for bound in bounds]):
            yield model.labels[int(answer[0].argmax())]


def called(model: PairModel, label: str) -> Callable[[Iterable[Example]], Iterator[Example]]:
    """What passes on the pairs that the model gives a label."""

    def keep(examples: Iterable[Example]) -> Iterator[Example]:
        ahead, asked = tee(examples)
        said = says(model, ((example.first, example.second) for example in asked))
        return (example for example, own in zip(ahead, said, strict=True) if own == label)

    return keep


def label_of(model: PairModel, name: str) -> str:
    """A label as the model spells it."""
    for label in model.labels:
        if same_label(label, name):
            return label
    raise one_of(f"label of {model.name}", name, model.labels)


def same_label(one: str, other: str) -> bool:
    """Whether two label names are the same, case and separators aside."""
    return _bare(one) == _bare(other)


def _bare(label: str) -> str:
    return re.sub(r"[\W_]+", " ", label).strip().casefold()
