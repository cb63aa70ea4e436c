"""The templates of models in use, by name, as their model cards have them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gmask.errors import GmaskError, one_of
from gmask.model.template.wording import Chat, Text, Wording

__all__ = ["KNOWN", "Template", "read_answers", "template"]

INSTRUCTION = "{instruction}"
ASKED = (
    "Given a query A and a passage B, determine whether the passage contains an answer to the query by providing a "
    "prediction of either 'Yes' or 'No'."
)


@dataclass(frozen=True)
class Template:
    """What stands around two texts, and what a model is asked for there.

    Args:
        wording: The template.
        answers: For each label the text of its answer, or the id of its token; None for a classifier.
        outputs: What the answers' logits are: `probabilities`, or a `score`.
        limit: At most this many tokens are read.
    """

    wording: Wording
    answers: Mapping[str, Any] | None = None
    outputs: str | None = None
    limit: int | None = None


@dataclass(frozen=True)
class Known:
    """A template by name. Parts that hold `{instruction}` need one; those of `instructed` are there only with one."""

    parts: tuple[str, ...]
    instruction: str | None = None
    instructed: Mapping[str, str] = field(default_factory=dict)  # a part, and what it is with an instruction
    special: bool = False
    last_first: bool = True
    begins: str | None = None
    answers: Mapping[str, Any] | None = None
    outputs: str | None = None
    limit: int | None = None

    def made(self, instruction: str | None) -> Template:
        """The template with an instruction, or with its own."""
        parts = tuple(self.instructed.get(part, part) if instruction else part for part in self.parts)
        wording = Text(
            _instructed(parts, instruction or self.instruction),
            special=self.special,
            last_first=self.last_first,
            begins=self.begins,
        )
        return Template(wording, self.answers, self.outputs, self.limit)


KNOWN = {
    "qwen3-reranker": Known(
        (
            (
                "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the "
                'Instruct provided. Note that the answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n'
            ),
            "<Instruct>: {instruction}\n<Query>: {first}\n<Document>: {second}",
            "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n",
        ),
        instruction="Given a web search query, retrieve relevant passages that answer the query",
        answers={"no": "no", "yes": "yes"},
        limit=8192,
    ),
    "mxbai-rerank-v2": Known(
        (
            (
                "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n"
                "<|im_start|>user\n"
            ),
            "query: {first}",
            "\n",
            "document: {second}",
            "\n",
            (
                "You are a search relevance expert who evaluates how well documents match search queries. For each "
                "query-document pair, carefully analyze the semantic relationship between them, then provide your "
                "binary relevance judgment (0 for not relevant, 1 for relevant).\nRelevance:"
            ),
            "<|im_end|>\n<|im_start|>assistant\n",
        ),
        instructed={"query: {first}": "instruction: {instruction}\nquery: {first}"},
        answers={"not relevant": "0", "relevant": "1"},
        outputs="score",
        limit=8192,
    ),
    "bge-reranker-gemma": Known(
        (
            "A: {first}",
            "\n",
            "B: {second}",
            "\n",
            ASKED,
        ),
        instructed={ASKED: INSTRUCTION},
        begins="bos_token",
        answers={"Yes": "Yes"},
        outputs="score",
        limit=1024,
    ),
    "nemotron-rerank": Known(("question:{first} \n \n passage:{second}",), special=True, limit=512),
    "minicheck": Known(
        ("predict: {first}</s>{second}",),
        special=True,
        last_first=False,
        answers={"not supported": 3, "supported": 209},
        limit=2048,
    ),
    "hhem": Known(
        ("<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {first}\n\nHypothesis: {second}",),
        special=True,
        last_first=False,
    ),
}


def template(given: Any, instruction: str | None = None) -> Template:
    """The template that a user gives: a known name, a text, a list of messages, or a file with one of the last two.

    Args:
        given: It. A file that ends in `.json` holds messages.
        instruction: What stands in the place of `{instruction}`, where it has one.
    """
    if isinstance(given, Template):
        return given
    if isinstance(given, (str, Path)) and "{first}" not in str(given) and "{second}" not in str(given):
        name = str(given)
        if name in KNOWN:
            return _known(name, instruction)
        given = _read(name)
    if isinstance(given, str):
        return Template(Text(_instructed((given,), instruction)))
    if not isinstance(given, Sequence) or not all(isinstance(message, Mapping) for message in given):
        raise GmaskError(f"a template is a name, a text or a list of messages, not {given!r}")
    Chat.given(given)  # they are what they should be
    filled = _instructed(tuple(message["content"] for message in given), instruction)
    return Template(Chat.given([{**m, "content": c} for m, c in zip(given, filled, strict=True)]))


def read_answers(text: str) -> dict[str, str]:
    """Answers as they are written on the command line; spaces before an answer are of its token.

    Example:
        >>> read_answers("no=No, yes= Yes")
        {'no': 'No', 'yes': ' Yes'}
        >>> read_answers("no,yes")
        {'no': 'no', 'yes': 'yes'}
    """
    parts = [part.partition("=") for part in text.split(",")]
    return {label.strip(): answer if sign else label.strip() for label, sign, answer in parts}


def _known(name: str, instruction: str | None) -> Template:
    known = KNOWN[name]
    if instruction and not known.instructed and INSTRUCTION not in "".join(known.parts):
        valid = ", ".join(n for n, k in KNOWN.items() if k.instructed or k.instruction)
        raise GmaskError(f"the template {name} takes no instruction; those that do: {valid}")
    return known.made(instruction)


def _instructed(parts: tuple[str, ...], instruction: str | None) -> tuple[str, ...]:
    takes = any(INSTRUCTION in part for part in parts)
    if instruction and not takes:
        raise GmaskError("an instruction was given, but the template has no {instruction} where it is to stand")
    if takes and not instruction:
        raise GmaskError("the template has an {instruction}; give one: instruction=...")
    return tuple(part.replace(INSTRUCTION, instruction or "") for part in parts)


def _read(name: str) -> Any:
    """The content of a file; the line end that editors put behind the last line is none of it."""
    path = Path(name).expanduser()
    try:
        text = path.read_text(encoding="utf-8")
        return json.loads(text) if path.suffix == ".json" else text.removesuffix("\n")
    except ValueError as error:
        raise GmaskError(f"cannot read the template {path}: {error}") from None
    except OSError:
        valid = [*KNOWN, "a file", "a text with {first} and {second}", "a list of messages"]
        raise one_of("template", name, valid) from None
