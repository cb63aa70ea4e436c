"""What stands around two texts: a template with `{first}` and `{second}`, in parts or as messages of a chat."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gmask.errors import GmaskError

__all__ = ["Chat", "Text", "Wording", "place_of", "split"]

FIELD = re.compile(r"\{(first|second)\}")
PLACES = ("first", "second")
SIGNS = ("\ue000first\ue001", "\ue000second\ue001")  # stand for the texts while a chat template is rendered
SIGN = re.compile("\ue000(first|second)\ue001")

Piece = str | int  # what is written, or the number of a text


def split(text: str, field: re.Pattern[str] = FIELD) -> list[Piece]:
    """A template as what is written and, in between, the numbers of the texts."""
    parts: list[Piece] = list(field.split(text))
    parts[1::2] = [PLACES.index(str(name)) for name in parts[1::2]]
    return [part for part in parts if part != ""]


def place_of(pieces: Sequence[Piece]) -> list[int]:
    """The numbers of the texts, in the order they stand in."""
    return [piece for piece in pieces if isinstance(piece, int)]


class Wording:
    """What stands around two texts, and how it is put into tokens.

    Attributes:
        special: Whether the tokenizer adds its special tokens.
        last_first: Whether a pair that is too long loses the end of its last text first, and not of its longer one.
    """

    special: bool = True
    last_first: bool = False

    def segments(self, tokenizer: Any) -> list[list[Piece]]:
        """The parts that are put into tokens apart from each other, each as `split` gives it."""
        raise NotImplementedError

    def ids(self, tokenizer: Any, first: str, second: str) -> list[int]:
        """The tokens of a pair, as whoever owns the model makes them."""
        raise NotImplementedError

    @property
    def plain(self) -> Any:
        """It, as plain data."""
        raise NotImplementedError

    @property
    def prompt(self) -> Any:
        """What a chat service is sent: a text, or messages."""
        raise NotImplementedError


@dataclass(frozen=True)
class Text(Wording):
    """A template of text.

    Args:
        parts: Each is put into tokens by itself; usually one.
        special: See `Wording`.
        last_first: See `Wording`.
        begins: The name of a special token that stands before it all, as `bos_token`.
    """

    parts: tuple[str, ...]
    special: bool = True
    last_first: bool = False
    begins: str | None = None

    def __post_init__(self) -> None:
        _check("".join(self.parts))

    def segments(self, tokenizer: Any) -> list[list[Piece]]:
        """The parts."""
        return [split(part) for part in self._all(tokenizer)]

    def ids(self, tokenizer: Any, first: str, second: str) -> list[int]:
        """The texts put in their places, part by part."""
        texts = {"first": first, "second": second}
        filled = [FIELD.sub(lambda found: texts[found[1]], part) for part in self._all(tokenizer)]
        return [i for part in filled for i in tokenizer(part, add_special_tokens=self.special, verbose=False).input_ids]

    def _all(self, tokenizer: Any) -> list[str]:
        return [*([getattr(tokenizer, self.begins)] if self.begins else []), *self.parts]

    @property
    def plain(self) -> Any:
        """Its parts and, where they are not the usual ones, its settings."""
        unusual = {} if self.special else {"special": False}
        return {"text": list(self.parts), **unusual, **({"begins": self.begins} if self.begins else {})}

    @property
    def prompt(self) -> str:
        """The one part."""
        if len(self.parts) > 1 or not self.special:
            raise GmaskError(
                "the templates known by name are of models that are loaded; give a service the text itself"
            )
        return self.parts[0]


class Chat(Wording):
    """Messages, put into words by the chat template of the tokenizer.

    Args:
        messages: Makes the messages for two texts.
        options: More arguments for `apply_chat_template`.
        last_first: See `Wording`.
    """

    special = False

    def __init__(
        self,
        messages: Callable[[str, str], list[dict[str, Any]]],
        options: Mapping[str, Any] | None = None,
        *,
        last_first: bool = False,
    ) -> None:
        self._messages = messages
        self._options = dict(options or {})
        self.last_first = last_first

    @classmethod
    def given(cls, messages: Sequence[Mapping[str, Any]]) -> Chat:
        """Messages with `{first}` and `{second}` somewhere in their contents; a last one of the assistant goes on."""
        valid = all(isinstance(m, Mapping) and isinstance(m.get("content"), str) and m.get("role") for m in messages)
        if not messages or not valid:
            raise GmaskError(
                'a template of messages is a list as [{"role": "user", "content": "... {first} ... {second} ..."}]'
            )
        _check(" ".join(m["content"] for m in messages))
        goes_on = messages[-1]["role"] == "assistant"
        return cls(_Filled(messages), {"continue_final_message" if goes_on else "add_generation_prompt": True})

    def shows_texts(self, tokenizer: Any) -> bool:
        """Whether both texts are there once the messages are put into words."""
        try:
            self.segments(tokenizer)
        except GmaskError:
            return False
        return True

    def segments(self, tokenizer: Any) -> list[list[Piece]]:
        """One part, made once with signs for the texts."""
        rendered = self._rendered(tokenizer, *SIGNS)
        pieces = split(rendered, SIGN)
        if missing := [name for place, name in enumerate(PLACES) if place not in pieces]:
            raise GmaskError(
                f"the chat template of the tokenizer leaves out the {missing[0]} text; it knows other roles than "
                f"{', '.join(dict.fromkeys(m['role'] for m in self._messages(*SIGNS)))}"
            )
        return [pieces]

    def ids(self, tokenizer: Any, first: str, second: str) -> list[int]:
        """By the tokenizer's own call."""
        found = tokenizer.apply_chat_template(self._messages(first, second), tokenize=True, **self._options)
        return list(found["input_ids"] if isinstance(found, Mapping) else found)

    def _rendered(self, tokenizer: Any, first: str, second: str) -> str:
        if not getattr(tokenizer, "chat_template", None):
            raise GmaskError("a template of messages needs a tokenizer with a chat template; give one text instead")
        try:
            found = tokenizer.apply_chat_template(self._messages(first, second), tokenize=False, **self._options)
        except Exception as error:  # whatever a template raises says what it does not take
            told = " ".join(str(error).split())[:160]
            raise GmaskError(f"the chat template of the tokenizer does not take these messages: {told}") from error
        return str(found)

    @property
    def plain(self) -> Any:
        """Its messages with the fields in them."""
        return {"messages": self.prompt, "options": self._options}

    @property
    def prompt(self) -> list[dict[str, Any]]:
        """The messages with the fields in them."""
        return self._messages("{first}", "{second}")


class _Filled:
    """Messages in whose contents texts are put."""

    def __init__(self, messages: Sequence[Mapping[str, Any]]) -> None:
        self._given = [dict(message) for message in messages]

    def __call__(self, first: str, second: str) -> list[dict[str, Any]]:
        texts = {"first": first, "second": second}
        return [{**m, "content": FIELD.sub(lambda found: texts[found[1]], m["content"])} for m in self._given]


def _check(text: str) -> None:
    missing = [f"{{{name}}}" for name in PLACES if f"{{{name}}}" not in text]
    if missing:
        told = text if len(text) <= 60 else f"{text[:57]}..."
        raise GmaskError(f"the template {told!r} has no {' and no '.join(missing)}, where the texts are to stand")
