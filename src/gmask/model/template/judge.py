"""A language model as a classifier: its logits are those of the answers it could go on with."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import nn
from transformers.modeling_outputs import SequenceClassifierOutput

from gmask.errors import GmaskError
from gmask.model.base import label_names

__all__ = ["Answers", "Judge", "answer_ids"]

Answers = Mapping[str, Any]  # label -> what stands for it: a text or an id of one token, or several of them


class Judge(nn.Module):
    """A causal or sequence-to-sequence model that is asked for the token after a text.

    Args:
        inner: The language model.
        answers: For each label the ids of the tokens that stand for it; of several the sum of their probabilities.
        labels: Their names.
        difference: Of two answers, give the second's logit minus the first's as the one score.
    """

    def __init__(
        self, inner: Any, answers: Sequence[Sequence[int]], labels: Sequence[str], *, difference: bool = False
    ) -> None:
        super().__init__()
        self.inner = inner
        self.answers = [list(ids) for ids in answers]
        self.difference = difference
        self._takes = frozenset(inspect.signature(inner.forward).parameters)
        config = copy.deepcopy(inner.config)
        self._reads_all = bool(config.is_encoder_decoder)
        config.is_encoder_decoder = False  # what the decoder reads is no word of anybody
        config.problem_type = None
        config.id2label = {0: "score"} if difference or len(labels) == 1 else dict(enumerate(labels))
        self.config = config

    @property
    def device(self) -> torch.device:
        """Where it is."""
        return self.inner.device  # type: ignore[no-any-return]

    @property
    def dtype(self) -> torch.dtype:
        """Its precision."""
        return self.inner.dtype  # type: ignore[no-any-return]

    @property
    def base_model(self) -> Any:
        """The model without its head."""
        return getattr(self.inner, "base_model", self.inner)

    def get_input_embeddings(self) -> nn.Module:
        """Those of the part that reads the texts."""
        reader = self.inner.get_encoder() if self._reads_all else self.inner
        return reader.get_input_embeddings()  # type: ignore[no-any-return]

    def set_attn_implementation(self, name: str) -> None:
        """As of any model."""
        self.inner.set_attn_implementation(name)

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor | None = None, **others: Any
    ) -> SequenceClassifierOutput:
        """The logits of the answers after each row, `[rows, answers]`."""
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)
        run = self._decoded if self._reads_all else self._continued
        logits, attentions = run(input_ids, attention_mask, others)
        found = torch.stack([logits[:, ids].logsumexp(dim=1) for ids in self.answers], dim=1)
        return SequenceClassifierOutput(
            logits=found[:, 1:] - found[:, :1] if self.difference else found, attentions=attentions
        )

    def _continued(self, ids: torch.Tensor, mask: torch.Tensor, others: dict[str, Any]) -> tuple[torch.Tensor, Any]:
        """The logits after the last token of each row that is not hidden."""
        places = torch.arange(mask.shape[1], device=mask.device)
        last = (places * mask).max(dim=1).values - (mask.shape[1] - ids.shape[1])  # others were read before
        different, where = last.unique(return_inverse=True)
        wanted = {"logits_to_keep": different, "use_cache": False}
        wanted = {name: value for name, value in wanted.items() if name in self._takes}
        out = self.inner(input_ids=ids, attention_mask=mask, **{**wanted, **others})
        logits = out.logits if "logits_to_keep" in self._takes else out.logits[:, different]
        return logits[torch.arange(len(ids), device=ids.device), where], getattr(out, "attentions", None)

    def _decoded(self, ids: torch.Tensor, mask: torch.Tensor, others: dict[str, Any]) -> tuple[torch.Tensor, Any]:
        """The logits of the first token that is answered."""
        read = self.inner.get_encoder()(input_ids=ids, attention_mask=mask, **others)
        start = ids.new_full((len(ids), 1), self.config.decoder_start_token_id)
        out = self.inner(encoder_outputs=read, attention_mask=mask, decoder_input_ids=start)
        return out.logits[:, -1], getattr(read, "attentions", None)


def answer_ids(tokenizer: Any, answers: Answers | Iterable[str] | str) -> dict[str, list[int]]:
    """The ids of the tokens that stand for each label.

    Args:
        tokenizer: The tokenizer of the model.
        answers: For each label its answer; a list of answers that are labels too; or the one answer whose logit is a
            score.
    """
    if isinstance(answers, str):
        answers = [answers]
    given = dict(answers) if isinstance(answers, Mapping) else {text: text for text in label_names(answers)}
    if not given:
        raise GmaskError('answers are missing: the text of each label\'s answer, as {"no": "no", "yes": "yes"}')
    names = label_names(given)
    several = {name: _several(value) for name, value in zip(names, given.values(), strict=True)}
    pieces = {
        value: _pieces(tokenizer, value) for values in several.values() for value in values if isinstance(value, str)
    }
    _check_single(tokenizer, pieces)
    found = {n: [pieces[v][0] if isinstance(v, str) else int(v) for v in values] for n, values in several.items()}
    size = len(tokenizer)
    for name, ids in found.items():
        if wrong := [i for i in ids if not 0 <= i < size]:
            raise GmaskError(f"the answer {name!r} is token {wrong[0]}, but the tokenizer has {size}")
    same = [i for ids in found.values() for i in ids]
    if len(set(same)) < len(same):
        written = tokenizer.convert_ids_to_tokens(max(same, key=same.count))
        raise GmaskError(f"two answers are the same token, {written!r}; answers must differ in their tokens")
    return found


def _several(value: Any) -> list[Any]:
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    if not values or not all(isinstance(v, (str, int)) and not isinstance(v, bool) and v != "" for v in values):
        raise GmaskError(f"an answer is a text, the id of a token, or a list of them, not {value!r}")
    return values


def _pieces(tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])


def _check_single(tokenizer: Any, pieces: Mapping[str, Sequence[int]]) -> None:
    """Every answer must be one token; of longer ones, say which would do."""
    long = next((text for text, ids in pieces.items() if len(ids) != 1), None)
    if long is None:
        return
    told = " ".join(map(repr, tokenizer.convert_ids_to_tokens(pieces[long]))) or "nothing"
    starts = [ids[0] if ids else None for ids in pieces.values()]
    advice = "give one that is a single token"
    if None not in starts and len(set(starts)) == len(starts) > 1:
        firsts = ", ".join(f"{text!r}: {ids[0]}" for text, ids in pieces.items())
        advice = f"their first tokens differ, so give the ids of these ({firsts}), or others that are single tokens"
    raise GmaskError(f"the answer {long!r} is {len(pieces[long])} tokens, {told}, and not one; {advice}")
