"""Whom a model with a template belongs to: objects in memory, and the chains that sentence-transformers stores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import torch

from gmask.errors import GmaskError
from gmask.model.layout import Layout
from gmask.model.owner import CrossEncoderOwner, Owner
from gmask.model.template.judge import Judge, answer_ids
from gmask.model.template.known import Template, template
from gmask.model.template.layout import TemplateLayout
from gmask.model.template.wording import Chat

__all__ = ["ChainOwner", "TemplateOwner", "chain_template", "is_language_model", "template_owner"]


class TemplateOwner(Owner):
    """A model that is called on a template with two texts in it.

    Args:
        model: A classifier, or a `Judge`.
        tokenizer: Its tokenizer.
        given: The template.
    """

    def __init__(self, model: Any, tokenizer: Any, given: Template) -> None:
        super().__init__(model, tokenizer)
        self.given = given
        self._layout = TemplateLayout(given.wording)

    @property
    def layout(self) -> Layout:
        """Its template."""
        return self._layout

    @property
    def limit(self) -> int | None:
        """That of the model card."""
        return self.given.limit

    @property
    def meaning(self) -> dict[str, Any]:
        """The logit of one answer, or the difference of two, is a score."""
        return {"outputs": "score"} if isinstance(self.model, Judge) and self.model.config.num_labels == 1 else {}

    @property
    def ways(self) -> list[str]:
        """Its template."""
        return ["its template"]

    @property
    def about(self) -> dict[str, Any]:
        """The template and the answers."""
        return _about(self)

    def logits(self, first: str, second: str, limit: int | None) -> torch.Tensor | None:
        """By a plain call on the tokens of the filled template."""
        ids = self.given.wording.ids(self.tokenizer, first, second)
        if limit is not None and len(ids) > limit:
            ids = list(self.layout.tokens(self.tokenizer, first, second, limit).inputs["input_ids"])
        return self._run(
            {"input_ids": torch.tensor([ids]), "attention_mask": torch.ones(1, len(ids), dtype=torch.long)}
        )


class ChainOwner(CrossEncoderOwner):
    """A CrossEncoder that puts pairs into a chat template, and may read its score from a language model's logits."""

    def __init__(self, encoder: Any) -> None:
        super().__init__(encoder)
        head = next((m for m in encoder.children() if type(m).__name__ == "LogitScore"), None)
        if head is not None:
            self.model = chain_judge(encoder.model, head.true_token_id, head.false_token_id)
        reader = next(iter(encoder.children()))
        self._layout = TemplateLayout(
            Chat(
                _Messages(reader.input_formatter.message_format == "structured", _prompt(encoder)),
                reader.processing_kwargs.get("chat_template"),
                last_first=True,
            )
        )

    @property
    def layout(self) -> Layout:
        """Its chat template."""
        return self._layout

    @property
    def about(self) -> dict[str, Any]:
        """The template and the answers."""
        return _about(self)


class _Messages:
    """A query and a document as messages, perhaps after a prompt."""

    def __init__(self, structured: bool, prompt: str | None) -> None:
        self._structured = structured
        self._prompt = prompt

    def __call__(self, first: str, second: str) -> list[dict[str, Any]]:
        said = [("system", self._prompt), ("query", first), ("document", second)]
        return [{"role": role, "content": self._content(text)} for role, text in said if text is not None]

    def _content(self, text: str) -> Any:
        return [{"type": "text", "text": text}] if self._structured else text


def chain_judge(model: Any, true_id: int, false_id: int | None) -> Judge:
    """A language model whose score is the logit of a token, or by how much it is above that of another."""
    answers = [[true_id]] if false_id is None else [[false_id], [true_id]]
    return Judge(model, answers, ["score"], difference=false_id is not None)


def chain_template(stored: Mapping[str, Any], settings: Mapping[str, Any], tokenizer: Any) -> Template:
    """The template of a stored chain.

    Args:
        stored: What its `config_sentence_transformers.json` says.
        settings: What its `sentence_bert_config.json` says.
        tokenizer: Its tokenizer.
    """
    prompt = (stored.get("prompts") or {}).get(stored.get("default_prompt_name")) or None
    options = (settings.get("processing_kwargs") or {}).get("chat_template")
    flat, structured = (
        Chat(_Messages(kind == "structured", prompt), options, last_first=True) for kind in ("flat", "structured")
    )
    said = settings["modality_config"]["message"].get("format", "auto")
    if said == "auto":
        said = "flat" if flat.shows_texts(tokenizer) else "structured"
    return Template(flat if said == "flat" else structured)


def template_owner(
    model: Any,
    tokenizer: Any,
    *,
    given: Any,
    answers: Mapping[str, Any] | Iterable[str] | str | None = None,
    instruction: str | None = None,
    outputs: str | None = None,
) -> TemplateOwner:
    """The owner of a model that is called on a template.

    Args:
        model: A classifier, or a language model.
        tokenizer: Its tokenizer.
        given: See `template`.
        answers: For a language model, see `answer_ids`. Default: those of a known template.
        instruction: What stands in the place of `{instruction}`.
        outputs: `score` for the difference of two answers' logits. Default: what a known template says.
    """
    if not getattr(tokenizer, "is_fast", False):
        raise GmaskError(
            f"{type(tokenizer).__name__} does not say which characters its tokens stand for; give a fast tokenizer"
        )
    found = template(given, instruction)
    asked = answers if answers is not None else found.answers
    if asked is None or (answers is None and not is_language_model(model)):
        if is_language_model(model):
            raise GmaskError(
                f"{type(model).__name__} is a language model; give the answers that are its labels, "
                'as answers={"no": "no", "yes": "yes"}'
            )
        return TemplateOwner(model, tokenizer, found)
    ids = answer_ids(tokenizer, asked)
    one = (outputs or found.outputs) == "score" and len(ids) > 1
    if one and len(ids) > 2:
        raise GmaskError(
            f"a score is the difference of two answers' logits, and there are {len(ids)}: {', '.join(ids)}"
        )
    return TemplateOwner(Judge(model, list(ids.values()), list(ids), difference=one), tokenizer, found)


def is_language_model(model: Any) -> bool:
    """Whether a model gives logits for every token, and not for classes."""
    kind = type(model).__name__
    return kind.endswith(("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")) or hasattr(model, "lm_head")


def _about(owner: TemplateOwner | ChainOwner) -> dict[str, Any]:
    wording, model = owner._layout.wording, owner.model
    rendered = {"chat_template": owner.tokenizer.chat_template} if isinstance(wording, Chat) else {}
    return {
        "template": {**wording.plain, **rendered},
        **({"answers": model.answers} if isinstance(model, Judge) else {}),
    }


def _prompt(encoder: Any) -> str | None:
    prompts = getattr(encoder, "prompts", None) or {}
    return prompts.get(getattr(encoder, "default_prompt_name", None)) or None
