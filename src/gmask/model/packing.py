"""Rows of kept tokens as a model's inputs: left out, masked, replaced; ready to be batched by width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from gmask.model.family import Family

__all__ = [
    "Block",
    "Encoded",
    "Inputs",
    "before",
    "joined",
    "masked_rows",
    "packed_rows",
    "replaced_rows",
    "whole_rows",
    "zeroed_rows",
]

Inputs = dict[str, np.ndarray]  # argument of the model -> [rows, width]; `weights`: factors of the embeddings
Block = tuple[np.ndarray, Inputs]  # the numbers of questions, and their rows, all of one width

PADDING = 16  # so many tokens of padding cost less than another call of the model


@dataclass(frozen=True)
class Encoded:
    """A pair as the tokenizer gave it: inputs `[tokens]` each, and each token's word (-1 for special tokens).

    `cut` is how many words were too many for the model; `rests`, where there are any, has for each token the id that
    stands in its place when it goes, or -1: what it shares with the template around the texts. `stuck`
    is what of the texts cannot go, because it shares a token with the template that nothing is left of.
    """

    inputs: Inputs
    owners: np.ndarray
    cut: int = 0
    rests: np.ndarray | None = None
    stuck: tuple[str, ...] = ()

    def spread(self, kept: np.ndarray) -> np.ndarray:
        """Rows of kept words as rows of kept tokens; special tokens stay."""
        return np.concatenate([kept, np.ones((len(kept), 1), dtype=bool)], axis=1)[:, self.owners]

    def repeat(self, count: int) -> Inputs:
        """The whole pair, `count` times."""
        return {name: np.repeat(values[None], count, axis=0) for name, values in self.inputs.items()}

    def left(self, keep: np.ndarray) -> tuple[np.ndarray, Inputs]:
        """Rows of kept tokens and the whole pair for each, with what is left of tokens that go."""
        inputs = self.repeat(len(keep))
        if self.rests is None:
            return keep, inputs
        rest = ~keep & (self.rests >= 0)
        inputs["input_ids"] = np.where(rest, self.rests, inputs["input_ids"])
        return keep | rest, inputs


def packed_rows(pair: Encoded, keep: np.ndarray, family: Family) -> Iterator[tuple[np.ndarray, Inputs]]:
    """Rows without the tokens that go; those that stay keep their positions. Yields row numbers and rows of one width.

    Attention makes of a token what it makes of those it sees and of their positions. So leaving a token out and hiding
    it from all others give the same numbers.
    """
    keep, inputs = pair.left(keep)
    inputs["position_ids"] = np.broadcast_to(family.positions(pair.inputs["input_ids"]), keep.shape)
    widths = keep.sum(axis=1)
    for width in np.unique(widths):
        rows = np.flatnonzero(widths == width)
        columns = np.nonzero(keep[rows])[1].reshape(len(rows), width)
        if width == 0:
            columns = np.zeros((len(rows), 1), dtype=int)
        found = {name: np.take_along_axis(values[rows], columns, axis=1) for name, values in inputs.items()}
        if width == 0:
            found["input_ids"][:] = family.stand_in
        yield rows, found


def joined(blocks: Iterable[Block], family: Family) -> Iterator[Block]:
    """Blocks, the widest first, each with those that follow if padding them costs less than a call of their own.

    Only packed rows of encoders: there a token at the end, hidden from the others, changes nothing.
    """
    last: Block | None = None
    for numbers, inputs in blocks:
        if last is None:
            last = numbers, inputs
            continue
        count, width = inputs["input_ids"].shape
        padding = last[1]["input_ids"].shape[1] - width
        if family.last or "position_ids" not in inputs or count * padding > PADDING:
            yield last
            last = numbers, inputs
            continue
        padded = {name: np.pad(values, ((0, 0), (0, padding))) for name, values in inputs.items()}
        last = (
            np.concatenate([last[0], numbers]),
            {name: np.concatenate([values, padded[name]]) for name, values in last[1].items()},
        )
    if last is not None:
        yield last


def masked_rows(pair: Encoded, keep: np.ndarray, family: Family) -> Inputs:
    """Rows with all tokens, those that go hidden from the others."""
    keep, inputs = pair.left(keep.copy())
    nothing = ~keep.any(axis=1)
    keep[nothing, 0] = True
    inputs["input_ids"][nothing, 0] = family.stand_in
    inputs["attention_mask"] = keep.astype(np.int64)
    if family.mixing:
        inputs["weights"] = keep.astype(np.float32)
    if family.last and family.pad is not None:  # the answer must be read at a token that stays
        place = np.arange(keep.shape[1])
        read = np.where(keep & (inputs["input_ids"] != family.pad), place, 0).max(axis=1, keepdims=True)
        inputs["input_ids"][~keep & (place > read)] = family.pad
    return _with_decoder(inputs, keep, family)


def zeroed_rows(pair: Encoded, keep: np.ndarray, family: Family) -> Inputs:
    """Rows with all tokens, the word embeddings of those that go times 0 (the paper's equation 1)."""
    keep, inputs = pair.left(keep)
    return {**_with_decoder(inputs, np.ones_like(keep), family), "weights": keep.astype(np.float32)}


def replaced_rows(pair: Encoded, keep: np.ndarray, family: Family, mask: int) -> Inputs:
    """Rows with the mask token in the place of tokens that go."""
    keep, inputs = pair.left(keep)
    inputs["input_ids"][~keep] = mask
    return _with_decoder(inputs, np.ones_like(keep), family)


def whole_rows(pair: Encoded, count: int, family: Family) -> Inputs:
    """The whole pair, `count` times, as the model's inputs."""
    inputs = pair.repeat(count)
    return _with_decoder(inputs, np.ones_like(inputs["input_ids"], dtype=bool), family)


def _with_decoder(inputs: Inputs, keep: np.ndarray, family: Family) -> Inputs:
    """Add what a decoder reads: the tokens that stay, each in the place of the next one that stays."""
    if family.decoder_start is None:
        return inputs
    ids, source = inputs["input_ids"], before(keep)
    start = ids[:, -1:] if family.decoder_start < 0 else family.decoder_start
    shifted = np.where(source < 0, start, np.take_along_axis(ids, source.clip(0), axis=1))
    return {**inputs, "decoder_input_ids": shifted, "decoder_attention_mask": keep.astype(np.int64)}


def before(keep: np.ndarray) -> np.ndarray:
    """For each place the last kept token before it, -1 where there is none."""
    kept = np.where(keep, np.arange(keep.shape[1]), -1)
    return np.pad(np.maximum.accumulate(kept, axis=1), ((0, 0), (1, 0)), constant_values=-1)[:, :-1]
