"""What services are sent and what they answer, one class a kind of service.

Rerank as Cohere, Jina, vLLM and llama.cpp have it, and as Text Embeddings Inference (TEI) has it; vLLM's score; TEI's
predict; chat completions with log-probabilities as OpenAI has them.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gmask.errors import GmaskError

__all__ = ["Chat", "Predict", "Rerank", "Score", "Wire"]

Pair = tuple[str, str]
LIKELIEST = 20  # tokens of which a chat service tells the probability
LEAST = 1e-9  # the probability of an answer that is not among them, at the least


@dataclass(frozen=True)
class Wire(ABC):
    """A kind of service: which pairs go into one request, its body, and the numbers in the answer."""

    outputs: ClassVar[tuple[str, ...]]  # what the numbers can be; the first is the default
    paths: ClassVar[str]  # how the address of such a service ends
    wanted: ClassVar[str] = "without a score for every pair"
    model: str | None

    def requests(self, pairs: Sequence[Pair], together: int) -> list[list[int]]:
        """The positions of the pairs that are asked about in one request, at most so many."""
        return _chunks(list(range(len(pairs))), together)

    @abstractmethod
    def body(self, pairs: Sequence[Pair]) -> dict[str, Any]:
        """A request about pairs."""

    @abstractmethod
    def read(self, answer: Any, asked: int) -> list[list[float]]:
        """The numbers of each pair that was asked about; whatever is raised means that they are not there."""

    def settle(self, numbers: np.ndarray) -> np.ndarray:
        """The numbers of all pairs of a round, `[m, columns]`, where some of them need a look at the others."""
        return numbers

    def _named(self, body: dict[str, Any]) -> dict[str, Any]:
        return body if self.model is None else {"model": self.model, **body}


@dataclass(frozen=True)
class Rerank(Wire):
    """One query and many documents a request."""

    documents: str = "documents"  # what a request calls them
    outputs = ("score", "probabilities", "logits")
    paths = "/rerank"

    def requests(self, pairs: Sequence[Pair], together: int) -> list[list[int]]:
        """Pairs that share their first text, together."""
        places: dict[str, list[int]] = {}
        for place, (first, _) in enumerate(pairs):
            places.setdefault(first, []).append(place)
        return [chunk for own in places.values() for chunk in _chunks(own, together)]

    def body(self, pairs: Sequence[Pair]) -> dict[str, Any]:
        """The query is the first text of all of them."""
        return self._named({"query": pairs[0][0], self.documents: [second for _, second in pairs]})

    def read(self, answer: Any, asked: int) -> list[list[float]]:
        """Services sort their results by score; each has the position of its document."""
        rows = answer.get("results", answer.get("data")) if isinstance(answer, Mapping) else answer
        scores = {row["index"]: _finite(row.get("relevance_score", row.get("score"))) for row in rows}
        return [[scores[i]] for i in range(asked)]


@dataclass(frozen=True)
class Score(Rerank):
    """Many pairs a request."""

    paths = "/score"
    requests = Wire.requests

    def body(self, pairs: Sequence[Pair]) -> dict[str, Any]:
        """Two lists, as long as each other."""
        return self._named({"text_1": [first for first, _ in pairs], "text_2": [second for _, second in pairs]})


@dataclass(frozen=True)
class Predict(Wire):
    """Many pairs a request, answered with a probability a label."""

    labels: tuple[str, ...]
    outputs = ("probabilities", "multilabel", "logits")
    paths = "/predict"
    wanted = "without labels for every pair"

    def body(self, pairs: Sequence[Pair]) -> dict[str, Any]:
        """A list of pairs."""
        return {"inputs": [list(pair) for pair in pairs]}

    def read(self, answer: Any, asked: int) -> list[list[float]]:
        """Services sort labels by probability."""
        found = [{row["label"]: _finite(row["score"]) for row in rows} for rows in answer]
        for labels in found:
            if set(labels) != set(self.labels):
                raise GmaskError(f"labels must be those of the service: {', '.join(labels)}")
        return [[found[i][label] for label in self.labels] for i in range(asked)]


@dataclass(frozen=True)
class Chat(Wire):
    """A prompt a request, answered with the likeliest first tokens of a reply.

    An answer has the probability of the tokens that are it, or begin it and no other answer, whatever their case. One
    that is not listed has that of the least likely token that is: it cannot have more.
    """

    template: Any  # a text, or messages with a role and a content each
    answers: tuple[str, ...]
    outputs = ("probabilities",)
    paths = "/chat/completions"
    wanted = "without log-probabilities"

    def requests(self, pairs: Sequence[Pair], together: int) -> list[list[int]]:  # noqa: ARG002
        """Each pair alone."""
        return [[place] for place in range(len(pairs))]

    def body(self, pairs: Sequence[Pair]) -> dict[str, Any]:
        """One token is asked for, and how likely it and others are."""
        ((first, second),) = pairs
        texts = {"{first}": first, "{second}": second}
        given = self.template if isinstance(self.template, list) else [{"role": "user", "content": self.template}]
        messages = [
            {**m, "content": re.sub(r"\{(first|second)\}", lambda found: texts[found[0]], m["content"])} for m in given
        ]
        return self._named(
            {
                "messages": messages,
                "max_tokens": 1,
                "temperature": 0,
                "logprobs": True,
                "top_logprobs": LIKELIEST,
            }
        )

    def read(self, answer: Any, asked: int) -> list[list[float]]:  # noqa: ARG002
        """Probabilities of the answers that add up to 1."""
        said = answer["choices"][0]["logprobs"]["content"][0]
        listed = {row["token"]: math.exp(row["logprob"]) for row in [said, *said["top_logprobs"]]}
        seen = dict.fromkeys(self.answers, 0.0)
        for token, probability in listed.items():
            if (meant := self._meant(token)) is not None:
                seen[meant] += probability
        if not any(seen.values()):
            return [[math.nan] * len(seen)]
        floor = max(LEAST, min(listed.values()))
        weights = [p or floor for p in seen.values()]
        return [[p / sum(weights) for p in weights]]

    def settle(self, numbers: np.ndarray) -> np.ndarray:
        """A reply to fragments of texts may begin with no answer: none is then likelier; but not every reply may."""
        other = np.isnan(numbers).any(axis=1)
        if other.all():
            raise GmaskError(f"replies begin with none of {', '.join(self.answers)}; ask for them in the template")
        return np.where(other[:, None], 1 / len(self.answers), numbers)

    def _meant(self, token: str) -> str | None:
        """The answer that a token is, or begins."""
        token = token.strip().casefold()
        begun = [text for text in self.answers if token and text.strip().casefold().startswith(token)]
        whole = [text for text in begun if text.strip().casefold() == token]
        found = whole or begun
        return found[0] if len(found) == 1 else None


def _finite(number: Any) -> float:
    if not math.isfinite(number):
        raise ValueError(number)
    return float(number)


def _chunks(items: list[int], size: int) -> list[list[int]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
