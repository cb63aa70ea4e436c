"""Rows of many widths in one call of a BERT-like encoder, which in its last layer does only what is read.

Everything in it but attention works token by token. So the tokens of all rows stand one after another, as if they were
one row, and only attention goes width by width: there is no padding, and matrix products are large however few rows of
a width there are. The answer is read at each row's first token, and in the last layer the others are only looked at.
With one query q a head, its scores and what it gathers are

    q . (W_k x_t + b_k) = (W_k' q) . x_t + a constant,      sum_t a_t (W_v x_t + b_v) = W_v (sum_t a_t x_t) + b_v

so that no key and no value need be computed there: the weights meet one token a row instead of all.

Before the first layer's attention a token knows only its place. The rows of a pair have the same tokens again and again
at the same places, and each is embedded and given its query, key and value once. On a processor the weights are
multiplied by oneDNN.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from gmask.model.onednn import Linears

__all__ = ["Ragged", "ragged"]

NEEDED = ("input_ids", "position_ids", "token_type_ids")
PROBE = (8, 5)  # tokens of two rows
SAME = 1e-4

Rows = Mapping[str, torch.Tensor]  # argument of the model -> [rows, width]


class Ragged:
    """A BERT-like classifier, run on rows of several widths at once.

    Args:
        model: The classifier.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self.encoder = model.base_model.encoder
        self._linears = Linears(self.encoder)

    def logits(self, blocks: Sequence[Rows]) -> torch.Tensor:
        """Logits `[rows, classes]` of blocks of rows, each of one width, with every token seen by all of its row."""
        shapes = [block["input_ids"].shape for block in blocks]
        different, where = _once([torch.cat([_argument(block, name).flatten() for block in blocks]) for name in NEEDED])
        with self._attending(shapes, where):
            return self.model(**dict(zip(NEEDED, different[:, None], strict=True))).logits  # type: ignore[no-any-return]

    @contextmanager
    def _attending(self, shapes: Sequence[torch.Size], where: torch.Tensor) -> Iterator[None]:
        """While the block runs, rows of these shapes attend to themselves, and leave the encoder as first tokens.

        They enter it as different tokens; `where` says which of these the tokens of the rows are.
        """
        *others, last = (layer.attention for layer in self.encoder.layer)
        steps = [*((attention, _attend) for attention in others), (last, _gather)]
        with ExitStack() as stack:
            for (attention, step), spread in zip(steps, [where, *[None] * len(others)], strict=True):
                stack.enter_context(_replaced(attention, partial(step, attention, shapes, spread)))
            for linear, faster in self._linears.faster():
                stack.enter_context(_replaced(linear, faster))
            handle = self.encoder.register_forward_hook(_as_rows)
            stack.callback(handle.remove)
            yield


def ragged(model: Any) -> Ragged | None:
    """A way to run a model on rows of several widths, if it is built as BERT is; tried on the model itself."""
    layers = getattr(getattr(model.base_model, "encoder", None), "layer", ())
    causal = getattr(model.config, "is_decoder", False)
    if causal or not layers or not all(_is_plain(getattr(layer, "attention", None)) for layer in layers):
        return None
    found, tokens = Ragged(model), torch.arange(sum(PROBE), device=model.device)
    rows = [
        {
            "input_ids": ids[None] % model.config.vocab_size,
            "position_ids": torch.arange(len(ids), device=ids.device)[None],
        }
        for ids in tokens.split(PROBE)
    ]
    try:
        with torch.inference_mode():
            usual = torch.cat([model(**row).logits for row in rows])
            same = torch.allclose(usual, found.logits(rows), rtol=SAME, atol=SAME)
    except Exception:  # noqa: BLE001  (a model that is built otherwise can stumble anywhere)
        return None
    return found if same else None


def _is_plain(attention: Any) -> bool:
    """Whether an attention has BERT's parts, and nobody has put others in their place."""
    own = getattr(attention, "self", None)
    linears = [getattr(own, name, None) for name in ("query", "key", "value")]
    return all(type(linear) is nn.Linear for linear in linears) and "forward" not in {**vars(own), **vars(attention)}


def _argument(block: Rows, name: str) -> torch.Tensor:
    found = block.get(name)
    return torch.zeros_like(block["input_ids"]) if found is None else found


def _once(arguments: Sequence[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """The different tokens `[arguments, different]` among those given by their arguments, and which of them each is."""
    key = torch.zeros_like(arguments[0])
    for values in arguments:
        key = key * (values.max() + 1) + values
    _, where = key.unique(return_inverse=True)
    example = torch.empty(int(where.max()) + 1, dtype=torch.long, device=key.device)
    example[where] = torch.arange(len(key), device=key.device)
    return torch.stack([values[example] for values in arguments]), where


def _spread(tokens: torch.Tensor, where: torch.Tensor | None) -> torch.Tensor:
    return tokens if where is None else tokens.index_select(1, where)


def _attend(
    attention: Any, shapes: Sequence[torch.Size], where: torch.Tensor | None, hidden: torch.Tensor, *_: Any, **__: Any
) -> Any:
    """Attention of tokens `[1, tokens, d]`, within each row."""
    own, found = attention.self, []
    parts = [list(_cut(_spread(linear(hidden), where), shapes)) for linear in (own.query, own.key, own.value)]
    for block in zip(*parts, strict=True):
        query, key, value = (x.unflatten(-1, (own.num_attention_heads, -1)).transpose(1, 2) for x in block)
        found.append(F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(0, 1).flatten(1))
    return attention.output(torch.cat(found)[None], _spread(hidden, where)), None


def _gather(
    attention: Any, shapes: Sequence[torch.Size], where: torch.Tensor | None, hidden: torch.Tensor, *_: Any, **__: Any
) -> Any:
    """What the first token of each row makes of it, `[1, rows, d]`."""
    own, blocks = attention.self, list(_cut(_spread(hidden, where), shapes))
    first = torch.cat([block[:, 0] for block in blocks])
    query = own.query(first).unflatten(-1, (own.num_attention_heads, -1))  # [rows, heads, size]
    keys, values = (linear.weight.unflatten(0, (own.num_attention_heads, -1)) for linear in (own.key, own.value))
    looking = torch.einsum("rhs,hsd->rhd", query, keys) / query.shape[-1] ** 0.5
    looks = looking.split([rows for rows, _ in shapes])
    gathered = torch.cat([(q @ x.transpose(1, 2)).softmax(-1) @ x for q, x in zip(looks, blocks, strict=True)])
    context = torch.einsum("rhd,hsd->rhs", gathered, values).flatten(1) + own.value.bias
    return attention.output(context[None], first[None]), None


def _cut(tokens: torch.Tensor, shapes: Sequence[torch.Size]) -> Iterator[torch.Tensor]:
    """Tokens `[1, tokens, d]` as blocks `[rows, width, d]`."""
    parts = tokens[0].split([rows * width for rows, width in shapes])
    return (part.unflatten(0, tuple(shape)) for part, shape in zip(parts, shapes, strict=True))


def _as_rows(_encoder: nn.Module, _inputs: Any, found: Any) -> Any:
    found.last_hidden_state = found.last_hidden_state.transpose(0, 1)
    return found


@contextmanager
def _replaced(module: Any, forward: Any) -> Iterator[None]:
    """While the block runs, a module does something else."""
    module.forward = forward
    try:
        yield
    finally:
        vars(module).pop("forward", None)
