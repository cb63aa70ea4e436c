"""Rows of many widths in one call of a BERT-like encoder, which in its last layer does only what is read.

Everything in it but attention works token by token. So the tokens of all rows stand one after another, as if they were
one row, and only attention goes width by width: there is no padding, and matrix products are large however few rows of
a width there are. The answer is read at each row's first token, and in the last layer the others are only looked at.
With one query q a head, its scores and what it gathers are

    q . (W_k x_t + b_k) = (W_k' q) . x_t + a constant,      sum_t a_t (W_v x_t + b_v) = W_v (sum_t a_t x_t) + b_v

so that no key and no value need be computed there: the weights meet one token a row instead of all.

Before the first layer's attention a token knows only its place. The rows of a pair have the same tokens again and again
at the same places, and each is embedded and given its query, key and value once. On a processor the weights are
multiplied by oneDNN, which likes numbers of tokens that are multiples of some; so a few are added that nobody reads.

What is where is found out before anything is sent to the device: a call copies one array there, and waits for nothing.
On a processor attention goes width by width, since padding costs what it holds; an accelerator, to which a call costs
more than padding does, takes the rows of all widths at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from gmask.model.onednn import STEP, Linears, replaced

__all__ = ["Ragged", "ragged"]

NEEDED = ("input_ids", "position_ids", "token_type_ids")
PROBE = (8, 5)  # tokens of two rows
SAME = 1e-4

Rows = Mapping[str, np.ndarray]  # argument of the model -> [rows, width]


@dataclass(frozen=True)
class Layout:
    """Where the tokens of rows are, one after another, and some more that fill up to a multiple.

    Attributes:
        shapes: Rows and width of each block.
        spread: For each place the different token that stands there, `[places]`.
        slots: For each row, padded to one width, the places of its tokens, `[rows, width]`; only for an accelerator.
        seen: Which of these are no padding.
        back: For each place, where it is among the slots.
    """

    shapes: tuple[tuple[int, int], ...]
    spread: torch.Tensor
    slots: torch.Tensor | None = None
    seen: torch.Tensor | None = None
    back: torch.Tensor | None = None

    @property
    def tokens(self) -> int:
        """How many places are read."""
        return sum(rows * width for rows, width in self.shapes)


class Ragged:
    """A BERT-like classifier, run on rows of several widths at once.

    Args:
        model: The classifier.
        padded: Whether attention takes all rows at once, padded. Default: on all devices but processors.
    """

    def __init__(self, model: Any, *, padded: bool | None = None) -> None:
        self.model = model
        self.encoder = model.base_model.encoder
        self.padded = model.device.type != "cpu" if padded is None else padded
        self.linears = Linears(self.encoder)

    def logits(self, blocks: Sequence[Rows]) -> torch.Tensor:
        """Logits `[rows, classes]` of blocks of rows, each of one width, with every token seen by all of its row."""
        shapes = tuple(block["input_ids"].shape for block in blocks)
        different, spread = _once(
            [np.concatenate([_argument(block, name).ravel() for block in blocks]) for name in NEEDED]
        )
        slots = _slots(shapes, len(spread)) if self.padded else []
        parts = self.sent([*different, spread, *slots])
        layout = Layout(shapes, *parts[len(NEEDED) :])
        with self._attending(layout):
            return self.model(**{name: part[None] for name, part in zip(NEEDED, parts, strict=False)}).logits  # type: ignore[no-any-return]

    def sent(self, arrays: Sequence[np.ndarray]) -> list[torch.Tensor]:
        """Arrays on the model's device, by one copy."""
        whole = torch.from_numpy(np.concatenate([array.ravel() for array in arrays])).to(self.model.device)
        parts = whole.split([array.size for array in arrays])
        return [part.unflatten(0, array.shape) for part, array in zip(parts, arrays, strict=True)]

    @contextmanager
    def _attending(self, layout: Layout) -> Iterator[None]:
        """While the block runs, rows attend to themselves, and leave the encoder as first tokens.

        They enter it as different tokens, which the first layer spreads over the rows.
        """
        *others, last = (layer.attention for layer in self.encoder.layer)
        steps = [*((attention, _attend) for attention in others), (last, _gather)]
        with ExitStack() as stack:
            for i, (attention, step) in enumerate(steps):
                stack.enter_context(
                    replaced(attention, partial(step, attention, layout, layout.spread if i == 0 else None))
                )
            stack.enter_context(self.linears.replaced())
            handle = self.encoder.register_forward_hook(_as_rows)
            stack.callback(handle.remove)
            yield


def ragged(model: Any) -> Ragged | None:
    """A way to run a model on rows of several widths, if it is built as BERT is; tried on the model itself."""
    layers = getattr(getattr(model.base_model, "encoder", None), "layer", ())
    causal = getattr(model.config, "is_decoder", False)
    if causal or not layers or not all(_is_plain(getattr(layer, "attention", None)) for layer in layers):
        return None
    found, tokens = Ragged(model), np.arange(sum(PROBE))
    rows = [
        {"input_ids": ids[None] % model.config.vocab_size, "position_ids": np.arange(len(ids))[None]}
        for ids in np.split(tokens, PROBE[:1])
    ]
    try:
        with torch.inference_mode():
            usual = torch.cat(
                [
                    model(**{name: torch.from_numpy(v).to(model.device) for name, v in row.items()}).logits
                    for row in rows
                ]
            )
            same = torch.allclose(usual, found.logits(rows), rtol=SAME, atol=SAME)
    except Exception:  # noqa: BLE001  (a model that is built otherwise can stumble anywhere)
        return None
    return found if same else None


def _is_plain(attention: Any) -> bool:
    """Whether an attention has BERT's parts, and nobody has put others in their place."""
    own = getattr(attention, "self", None)
    linears = [getattr(own, name, None) for name in ("query", "key", "value")]
    return all(type(linear) is nn.Linear for linear in linears) and "forward" not in {**vars(own), **vars(attention)}


def _argument(block: Rows, name: str) -> np.ndarray:
    found = block.get(name)
    return np.zeros_like(block["input_ids"]) if found is None else found


def _once(arguments: Sequence[np.ndarray]) -> tuple[list[np.ndarray], np.ndarray]:
    """The different tokens among those given by their arguments, and which of them each is; both filled up."""
    key = np.zeros_like(arguments[0])
    for values in arguments:
        key = key * (values.max() + 1) + values
    _, example, where = np.unique(key, return_index=True, return_inverse=True)
    example, where = (np.pad(found.ravel(), (0, -found.size % STEP)) for found in (example, where))
    return [values[example] for values in arguments], where


def _slots(shapes: Sequence[tuple[int, int]], places: int) -> list[np.ndarray]:
    """The slots, which are seen, and the way back, of a `Layout`."""
    rows, widest = sum(count for count, _ in shapes), max(width for _, width in shapes)
    slots, back = np.zeros((rows, widest), dtype=np.int64), np.zeros(places, dtype=np.int64)
    seen = np.repeat([width for _, width in shapes], [count for count, _ in shapes])[:, None] > np.arange(widest)
    slots[seen] = np.arange(seen.sum())
    back[: seen.sum()] = np.flatnonzero(seen)
    return [slots, seen.astype(np.int64), back]


def _spread(tokens: torch.Tensor, spread: torch.Tensor | None) -> torch.Tensor:
    return tokens if spread is None else tokens.index_select(1, spread)


def _attend(
    attention: Any, layout: Layout, spread: torch.Tensor | None, hidden: torch.Tensor, *_: Any, **__: Any
) -> Any:
    """Attention of tokens `[1, places, d]`, within each row."""
    own = attention.self
    looks = [_spread(linear(hidden), spread) for linear in (own.query, own.key, own.value)]
    before = _spread(hidden, spread)
    within = _by_width if layout.slots is None else _at_once
    return attention.output(within(looks, layout, own.num_attention_heads), before), None


def _by_width(looks: Sequence[torch.Tensor], layout: Layout, heads: int) -> torch.Tensor:
    """Queries, keys and values `[1, places, d]` to what each token gathers: a call a width, no padding."""
    found = []
    for block in zip(*(_cut(x, layout) for x in looks), strict=True):
        query, key, value = (x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in block)
        found.append(F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(0, 1).flatten(1))
    filling = looks[0].new_zeros(looks[0].shape[1] - layout.tokens, found[0].shape[1])
    return torch.cat([*found, filling])[None]


def _at_once(looks: Sequence[torch.Tensor], layout: Layout, heads: int) -> torch.Tensor:
    """The same in one call, with rows padded to one width."""
    assert layout.slots is not None
    assert layout.seen is not None
    assert layout.back is not None
    slots = layout.slots
    rows = [x[0].index_select(0, slots.flatten()).unflatten(0, slots.shape) for x in looks]
    query, key, value = (x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in rows)
    found = F.scaled_dot_product_attention(query, key, value, attn_mask=layout.seen.bool()[:, None, None])
    return found.transpose(1, 2).flatten(2).flatten(0, 1).index_select(0, layout.back)[None]


def _gather(
    attention: Any, layout: Layout, spread: torch.Tensor | None, hidden: torch.Tensor, *_: Any, **__: Any
) -> Any:
    """What the first token of each row makes of it, `[1, rows, d]`."""
    own, tokens = attention.self, _spread(hidden, spread)
    if layout.slots is None:
        blocks = list(_cut(tokens, layout))
        first = torch.cat([block[:, 0] for block in blocks])
    else:
        blocks = [tokens[0].index_select(0, layout.slots.flatten()).unflatten(0, layout.slots.shape)]
        first = blocks[0][:, 0]
    query = own.query(first).unflatten(-1, (own.num_attention_heads, -1))  # [rows, heads, size]
    keys, values = (linear.weight.unflatten(0, (own.num_attention_heads, -1)) for linear in (own.key, own.value))
    looking = torch.einsum("rhs,hsd->rhd", query, keys) / query.shape[-1] ** 0.5
    looks = looking.split([len(block) for block in blocks])
    scores = [q @ x.transpose(1, 2) for q, x in zip(looks, blocks, strict=True)]
    if layout.seen is not None:
        scores = [scores[0].masked_fill(layout.seen[:, None] == 0, -torch.inf)]
    gathered = torch.cat([score.softmax(-1) @ x for score, x in zip(scores, blocks, strict=True)])
    context = torch.einsum("rhd,hsd->rhs", gathered, values).flatten(1) + own.value.bias
    return attention.output(context[None], first[None]), None


def _cut(tokens: torch.Tensor, layout: Layout) -> Iterator[torch.Tensor]:
    """Tokens `[1, places, d]` as blocks `[rows, width, d]`."""
    parts = tokens[0, : layout.tokens].split([rows * width for rows, width in layout.shapes])
    return (part.unflatten(0, shape) for part, shape in zip(parts, layout.shapes, strict=True))


def _as_rows(_encoder: nn.Module, _inputs: Any, found: Any) -> Any:
    found.last_hidden_state = found.last_hidden_state.transpose(0, 1)
    return found
