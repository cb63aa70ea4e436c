"""What a client may send, checked strictly, and what it gets back."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from gmask.pair import Word

__all__ = [
    "Failure",
    "Format",
    "Health",
    "MethodInfo",
    "ModelInfo",
    "Predicted",
    "Prediction",
    "Question",
    "RankFormat",
    "RankQuestion",
    "Ranked",
    "Trial",
]

FIRST = "A man playing an electric guitar on stage."
SECOND = "A man playing banjo on the floor."
Format = Literal["json", "html", "latex", "svg", "png", "pdf", "text"]
RankFormat = Literal["json", "html", "text"]
QUERY = "What is the best way to learn the guitar?"
PASSAGES = ["What is the best way to cook rice?", "How can I learn to play the guitar at home?"]
Value = str | int | float | bool | None


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class _Pair(_Strict):
    first: str = Field(
        description="The first text; `text` does as well.",
        validation_alias=AliasChoices("first", "text"),
        examples=[FIRST],
    )
    second: str = Field(
        description="The second text; `text_pair` does as well.",
        validation_alias=AliasChoices("second", "text_pair"),
        examples=[SECOND],
    )
    model: str | None = Field(None, description="One of `/api/models`. Default: the first.")
    removal: str | None = Field(None, description="What removing a word means. Default: the model's usual way.")
    units: Literal["auto", "sentences", "words"] = Field(
        "auto",
        description="What stays or goes as one: `words`, `sentences`, or `auto`: words, but of a long text its "
        "sentences first, and then the words of those that decide.",
    )


class Question(_Pair):
    """A pair, and how to explain what the model says of it."""

    method: str = Field("gmask", description="How to explain: one of `/api/methods`.", examples=["gmask"])
    target: str | None = Field(None, description="The label to explain. Default: what the model says.")
    against: str | None = Field(None, description="A label to hold it against.")
    reference: Literal["auto", "empty", "unrelated"] = Field(
        "auto",
        description="What the answer is held against: an `empty` pair, `unrelated` texts in the place of a sentence "
        "that is gone, or `auto`: that of the two under which it is lower.",
    )
    seed: int = Field(0, ge=0, lt=2**32, description="The same seed gives the same answer.")
    options: dict[str, Value] = Field(
        default_factory=dict, max_length=32, description="Settings of the method, as `/api/methods` lists them."
    )


class Ranked(_Strict):
    """A passage to rank."""

    text: str
    id: str | None = None
    title: str | None = Field(None, description="Shown, not read.")


class RankQuestion(_Strict):
    """A query and passages, and what to explain of their order."""

    query: str = Field(description="The query.", examples=[QUERY])
    passages: list[str | Ranked] = Field(
        min_length=1, description="Texts, or objects with `text`, `id` and `title`.", examples=[PASSAGES]
    )
    model: str | None = Field(None, description="One of `/api/models`. Default: the first.")
    target: str | None = Field(None, description="The label that means relevant. Default: what the labels suggest.")
    why: int | None = Field(None, ge=0, description="Explain this passage, by its position from 0.", examples=[1])
    over: int | None = Field(
        None, ge=0, description="Instead of its score: why it stands above this other one, or below.", examples=[0]
    )
    method: str = Field("gmask", description="How to explain: one of `/api/methods`.", examples=["leave-one-out"])
    removal: str | None = Field(None, description="What removing a word means. Default: the model's usual way.")
    seed: int = Field(0, ge=0, lt=2**32, description="The same seed gives the same answer.")
    options: dict[str, Value] = Field(
        default_factory=dict, max_length=32, description="Settings of the method, as `/api/methods` lists them."
    )


class Trial(_Pair):
    """A pair, and the words to remove from it."""

    without: list[list[int]] = Field(
        [[]],
        min_length=1,
        max_length=256,
        description="For each question the positions of the words that are removed. Default: one, with every word.",
        examples=[[[], [5, 12]]],
    )
    reference: Literal["empty", "unrelated"] = Field(
        "empty",
        description="What stands in the place of a sentence that is wholly removed: nothing, or `unrelated` texts.",
    )


class Predicted(BaseModel):
    """What the model says with some words removed."""

    without: list[int]
    label: str | None = Field(description="Null for a raw score.")
    probabilities: list[float] = Field(description="In the order of the labels; empty for a raw score.")
    score: float | None = Field(description="For a model with one raw output.")


class Prediction(BaseModel):
    """A pair's words, and what the model says with and without them."""

    model: str
    labels: list[str]
    words: list[Word]
    rows: list[Predicted]


class ModelInfo(BaseModel):
    """A model that is offered. What is null is known once the model is loaded."""

    name: str
    loaded: bool
    labels: list[str] | None
    removals: list[str] | None
    methods: list[str] | None = Field(description="The methods that work with it.")


class OptionInfo(BaseModel):
    """A setting of a method."""

    name: str
    default: Any
    help: str
    choices: list[str] | None
    least: float | None


class MethodInfo(BaseModel):
    """A way to explain."""

    name: str
    summary: str
    needs_gradient: bool = Field(description="Whether it needs a model that gives gradients.")
    options: list[OptionInfo]


class Health(BaseModel):
    """How the server is."""

    status: Literal["ok"]
    version: str
    explaining: int = Field(description="Explanations that wait or are being made.")
    asking: int = Field(description="Quick questions that wait or are being answered.")


class Failure(BaseModel):
    """What went wrong, in one line."""

    error: Annotated[str, Field(examples=["unknown model 'gpt'; valid: nli, paraphrase"])]
