"""A pair as an audit sees it: its words, what the model said of it, and the words that answer rests on."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gmask.errors import GmaskError
from gmask.explanation import FLOOR, MEMBER
from gmask.pair import Word, segment
from gmask.study.ledger import Damage, read_records
from gmask.study.saying import same_label

__all__ = ["TOP", "Seen", "Text", "from_record", "read_seen", "text_of"]

TOP = 4  # an answer rests on the words of its first reason, and on so many of those that matter most


@dataclass(frozen=True, slots=True)
class Text:
    """A text and its words in lower case, with where they stand; signs are no words."""

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    def where(self, word: str) -> tuple[int, ...]:
        """The positions of a word."""
        return tuple(i for i, other in enumerate(self.words) if other == word)


@dataclass(frozen=True, slots=True)
class Seen:
    """An explained pair.

    Attributes:
        number: Its place in the data.
        id: Its own name, if it has one.
        sides: Its two texts.
        label: What the model said, as a position among its labels.
        gold: What is right, in the same way; None where that is not known.
        probability: Of the label.
        resting: The positions of the words the answer rests on, in the first and in the second text.
        alone: Whether the answer survives with the first, and with the second, text alone kept, beside any other.
        survival: For what share of other texts it does; None where that was not asked.
        anyway: For what share of unrelated pairs the model gives the same answer.
    """

    number: int
    id: str | None
    sides: tuple[Text, Text]
    label: int
    gold: int | None
    probability: float
    resting: tuple[frozenset[int], frozenset[int]]
    alone: tuple[bool, bool]
    survival: tuple[float, float] | None
    anyway: float | None

    @property
    def texts(self) -> tuple[str, str]:
        """As they are."""
        return self.sides[0].text, self.sides[1].text

    @property
    def key(self) -> int:
        """A number that only the texts decide; it shuffles the pairs, and cuts them into halves."""
        return zlib.crc32("\t".join(self.texts).encode())

    @property
    def fresh(self) -> bool:
        """Whether it is in the half that suspicions are tested on; they are raised on the other."""
        return bool(self.key & 1)

    @property
    def right(self) -> bool | None:
        """Whether the answer is; None where that is not known."""
        return None if self.gold is None else self.gold == self.label


def text_of(text: str) -> Text:
    """A text that is no part of a record, cut into words."""
    spans = [(start, end) for start, end in segment(text) if _is_word(text[start:end])]
    return Text(text, tuple(text[start:end].lower() for start, end in spans), tuple(spans))


def from_record(number: int, record: Mapping[str, Any], labels: Sequence[str]) -> Seen:
    """The pair of an explanation, as plain data.

    Raises:
        ValueError: It is an explanation of something else than the label the model gave.
    """
    if record["score"] is not None or record["target"] != record["label"] or record["against"] is not None:
        raise GmaskError("an audit needs explanations of the labels that a classifier gave, not of others or of scores")
    words = [Word(**word) for word in record["words"]]
    sides: list[Text] = []
    places: dict[int, tuple[int, int]] = {}
    for side, text in enumerate((record["first"], record["second"])):
        own = [(i, w) for i, w in enumerate(words) if w.sentence == side and _is_word(w.text)]
        places |= {i: (side, position) for position, (i, _) in enumerate(own)}
        sides.append(Text(text, tuple(w.text.lower() for _, w in own), tuple((w.start, w.end) for _, w in own)))
    ranked = np.argsort(-np.asarray(record["attributions"]), kind="stable")
    strong = [int(i) for i in ranked if record["attributions"][i] >= FLOOR and int(i) in places][:TOP]
    first_reason = record["groups"][:1]
    strong += [i for group in first_reason for i, m in enumerate(group["memberships"]) if m >= MEMBER and i in places]
    resting = tuple(frozenset(places[i][1] for i in strong if places[i][0] == side) for side in (0, 1))
    evidence, gold = record["evidence"], record.get("gold")
    first_gone, second_gone = evidence["survives"]
    survival = evidence.get("survival")
    return Seen(
        number=number,
        id=record.get("id"),
        sides=(sides[0], sides[1]),
        label=labels.index(record["label"]),
        gold=next((i for i, label in enumerate(labels) if gold is not None and same_label(label, str(gold))), None),
        probability=round(float(record["probability"]), 4),
        resting=(resting[0], resting[1]),
        alone=(bool(second_gone), bool(first_gone)),
        survival=None if survival is None else (float(survival[1]), float(survival[0])),
        anyway=evidence.get("anyway"),
    )


def read_seen(path: Path, labels: Sequence[str], say: Callable[[str], None] = lambda _: None) -> Iterator[Seen]:
    """The explained pairs of a file, one at a time; what could not be explained is passed over."""

    def on_damage(damage: Damage) -> None:
        say(f"{path}: {damage}; it is passed over")

    seen = -1
    for number, record in read_records(path, on_damage):
        plain = record.get("explanation", record)  # `gmask evaluate` keeps one a method
        pair = record.get("pair", number)
        if "error" in record or plain is None or pair == seen:
            continue
        seen = pair
        own = {name: record[name] for name in ("id", "gold") if record.get(name) is not None}
        yield from_record(pair, {**plain, **own}, labels)


def _is_word(text: str) -> bool:
    return any(c.isalnum() for c in text)
