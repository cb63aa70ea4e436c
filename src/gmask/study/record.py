"""One record of a study: a pair, a method, its explanation and the numbers the metrics took of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gmask.explanation import Explanation

__all__ = ["Record", "digest"]

TIMED = "seconds"


def digest(first: str, second: str) -> str:
    """By this a pair is known where its texts are left out."""
    return hashlib.sha256(json.dumps([first, second]).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Record:
    """What is known of a pair under a method; `error` says why where it could not be explained.

    `again` says that the error was the model's, which may be gone by now, and not the pair's.
    `measured` holds each metric's numbers, those it could take. Times are kept apart in the files of a run, so that
    the same study gives the same records, byte for byte. A record that is shared has no explanation, only `texts`, the
    digest of its pair.
    """

    pair: int
    method: str
    id: str | None = None
    gold: str | None = None
    explanation: Explanation | None = None
    measured: Mapping[str, list[float]] = field(default_factory=dict)
    error: str | None = None
    texts: str | None = None
    again: bool = False

    @property
    def key(self) -> str | None:
        """The digest of its pair, by which records of several runs are put together."""
        return digest(self.explanation.first, self.explanation.second) if self.explanation else self.texts

    @property
    def seconds(self) -> float | None:
        """How long the explanation took."""
        return self.explanation.seconds if self.explanation else next(iter(self.measured.get(TIMED, ())), None)

    def to_dict(self) -> dict[str, Any]:
        """Plain data without times."""
        told = {"pair": self.pair, "method": self.method, "id": self.id, "gold": self.gold}
        if self.error is not None:
            return {**told, "error": self.error, **({"again": True} if self.again else {})}
        measured = {name: numbers for name, numbers in self.measured.items() if name != TIMED}
        if self.explanation is None:
            return {**told, "texts": self.texts, "measured": measured}
        explanation = self.explanation.to_dict()
        del explanation[TIMED]
        return {**told, "explanation": explanation, "measured": measured}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], seconds: float | None) -> Record:
        """The record that plain data and a time hold."""
        told = {name: data[name] for name in ("pair", "method", "id", "gold")}
        if "error" in data:
            return cls(**told, error=data["error"], again=data.get("again", False))
        measured = dict(data["measured"])
        if seconds is not None:
            measured[TIMED] = [seconds]
        if "explanation" not in data:
            return cls(**told, measured=measured, texts=data["texts"])
        explanation = Explanation.from_dict({**data["explanation"], TIMED: seconds})
        return cls(**told, explanation=explanation, measured=measured)

    def without_time(self) -> Record:
        """The record as a run's file holds it, for comparing."""
        if self.explanation is None:
            return self
        measured = {name: numbers for name, numbers in self.measured.items() if name != TIMED}
        return replace(self, explanation=replace(self.explanation, seconds=None), measured=measured)

    def without_explanation(self) -> Record:
        """What may be shared where the texts may not: the numbers."""
        return replace(self, explanation=None, texts=self.key)
