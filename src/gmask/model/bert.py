"""BERT as a classifier of pairs, by itself: the package's own models are asked without importing transformers.

To import transformers takes longer than to explain a pair. So the models that come with the package are read by what
follows; parts and weights have the names they have there, and the answers are the same. Models from elsewhere are
always run by the library they were made with.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from gmask.model.wordpieces import WordPieces

__all__ = ["Bert", "load_bert"]


def load_bert(folder: Path) -> tuple[Bert, WordPieces]:
    """The model of a folder, in single precision, and its tokenizer."""
    from safetensors.torch import load_file

    config = Config(**json.loads((folder / "config.json").read_text(encoding="utf-8")), _name_or_path=str(folder))
    with torch.device("meta"):  # nothing is drawn at random that is overwritten anyway
        model = Bert(config)
    weights = load_file(folder / "model.safetensors")
    model.load_state_dict({name: values.float() for name, values in weights.items()}, assign=True)
    return model.eval(), WordPieces(folder)


class Config(SimpleNamespace):
    """What `config.json` says."""

    is_encoder_decoder = False
    problem_type = None
    _attn_implementation = "sdpa"

    @property
    def num_labels(self) -> int:
        """How many classes there are."""
        return len(self.id2label)

    def __init__(self, **told: Any) -> None:
        super().__init__(**{**told, "id2label": {int(i): label for i, label in told["id2label"].items()}})

    def to_diff_dict(self) -> dict[str, Any]:
        """All of it."""
        return dict(vars(self))


@dataclass
class Output:
    """What each kind of module returns, as far as it has it."""

    logits: torch.Tensor | None = None
    last_hidden_state: torch.Tensor | None = None
    attentions: tuple[torch.Tensor, ...] = ()


class Bert(nn.Module):
    """An encoder, a pooled first token, and a linear layer for the classes."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.bert = _Body(config)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)

    @property
    def base_model(self) -> _Body:
        """Without the classes."""
        return self.bert

    @property
    def device(self) -> torch.device:
        """Where it is."""
        return self.classifier.weight.device

    @property
    def dtype(self) -> torch.dtype:
        """In what precision."""
        return self.classifier.weight.dtype

    def get_input_embeddings(self) -> nn.Embedding:
        """Looks up word pieces."""
        return self.bert.embeddings.word_embeddings

    def set_attn_implementation(self, kind: str) -> None:
        """`sdpa`, or `eager`, which keeps the attention weights."""
        self.config._attn_implementation = kind

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        token_type_ids: torch.Tensor | None = None,
        position_ids: torch.Tensor | None = None,
        output_attentions: bool = False,
    ) -> Output:
        """Logits `[rows, classes]` of rows of word pieces `[rows, width]`."""
        hidden = self.bert.embeddings(input_ids, token_type_ids, position_ids)
        seen = None
        if attention_mask is not None and not bool(attention_mask.all()):
            seen = attention_mask.bool()[:, None, None, :]
        found = self.bert.encoder(hidden, seen, keep=output_attentions)
        assert found.last_hidden_state is not None
        pooled = self.bert.pooler.dense(found.last_hidden_state[:, 0]).tanh()
        return Output(self.classifier(pooled), found.last_hidden_state, found.attentions)


class _Body(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.embeddings = _Embeddings(config)
        self.encoder = _Encoder(config)
        self.pooler = _Dense(config.hidden_size, config.hidden_size)


class _Embeddings(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.word_embeddings = _embedding(config.vocab_size, config)
        self.position_embeddings = _embedding(config.max_position_embeddings, config)
        self.token_type_embeddings = _embedding(config.type_vocab_size, config)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, ids: torch.Tensor, types: torch.Tensor | None, positions: torch.Tensor | None) -> torch.Tensor:
        if types is None:
            types = torch.zeros_like(ids)
        if positions is None:
            positions = torch.arange(ids.shape[1], device=ids.device)[None]
        found = self.word_embeddings(ids) + self.token_type_embeddings(types)
        return self.LayerNorm(found + self.position_embeddings(positions))  # type: ignore[no-any-return]


class _Encoder(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.layer = nn.ModuleList(_Layer(config) for _ in range(config.num_hidden_layers))

    def forward(self, hidden: torch.Tensor, seen: torch.Tensor | None = None, *, keep: bool = False) -> Output:
        kept: list[torch.Tensor] = []
        for layer in self.layer:
            hidden = layer(hidden, seen, kept if keep else None)
        return Output(last_hidden_state=hidden, attentions=tuple(kept))


class _Layer(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.attention = _Attention(config)
        self.intermediate = _Dense(config.hidden_size, config.intermediate_size)
        self.output = _Added(config.intermediate_size, config)

    def forward(self, hidden: torch.Tensor, seen: torch.Tensor | None, kept: list[torch.Tensor] | None) -> torch.Tensor:
        hidden = self.attention(hidden, seen, kept)[0]
        return self.output(F.gelu(self.intermediate.dense(hidden)), hidden)  # type: ignore[no-any-return]


class _Attention(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.self = _Looks(config)
        self.output = _Added(config.hidden_size, config)

    def forward(
        self, hidden: torch.Tensor, seen: torch.Tensor | None = None, kept: list[torch.Tensor] | None = None
    ) -> tuple[torch.Tensor, None]:
        own = self.self
        linears = (own.query, own.key, own.value)
        query, key, value = (f(hidden).unflatten(-1, (own.num_attention_heads, -1)).transpose(1, 2) for f in linears)
        if kept is None:
            found = F.scaled_dot_product_attention(query, key, value, attn_mask=seen)
        else:
            scores = query @ key.transpose(2, 3) / query.shape[-1] ** 0.5
            weights = (scores if seen is None else scores.masked_fill(~seen, -torch.inf)).softmax(-1)
            kept.append(weights)
            found = weights @ value
        return self.output(found.transpose(1, 2).flatten(2), hidden), None


class _Looks(nn.Module):
    """What tokens look for, show and give."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(config.hidden_size, config.hidden_size) for _ in range(3))
        self.num_attention_heads: int = config.num_attention_heads


class _Dense(nn.Module):
    def __init__(self, before: int, after: int) -> None:
        super().__init__()
        self.dense = nn.Linear(before, after)


class _Added(nn.Module):
    """A linear layer whose result is added to what was there, and scaled."""

    def __init__(self, size: int, config: Config) -> None:
        super().__init__()
        self.dense = nn.Linear(size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, found: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
        return self.LayerNorm(self.dense(found) + before)  # type: ignore[no-any-return]


def _embedding(count: int, config: Config) -> nn.Embedding:
    """Without the draw of random numbers, for which PyTorch would import its compiler."""
    return nn.Embedding(count, config.hidden_size, _weight=torch.empty(count, config.hidden_size))
