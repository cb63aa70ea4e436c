"""A service as a black box: a reranker, a classifier or a chat model behind an address."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from gmask.errors import GmaskError, one_of
from gmask.model.answers import Answers
from gmask.model.base import label_names
from gmask.model.callable import CallableModel
from gmask.model.client import Client
from gmask.model.digest import digest
from gmask.model.service import Service
from gmask.model.template.known import read_answers
from gmask.model.template.known import template as read_template
from gmask.model.wire import Chat, Pair, Predict, Rerank, Score, Wire

__all__ = ["EndpointModel", "split_address"]

ROUND = 256  # pairs a round of questions, at least; progress is told after each
SECRET = re.compile("key|token|secret|password|signature", re.IGNORECASE)


class EndpointModel(CallableModel):
    """A service that scores pairs of texts; the path of its address says which kind it is.

    Args:
        url: The address, ending in `/rerank`, `/score`, `/predict` or `/chat/completions`.
        model_name: The model that is asked for, where the service has several.
        key_env: The environment variable that holds the key.
        template: For a chat service, the prompt, with `{first}` and `{second}`, messages, or a file with either.
        answers: For a chat service, the text of the answer that stands for each label, or a list of both in one.
        labels: Class names, in the order they are shown in. Those of a `/predict` service must be its own.
        outputs: What the numbers are. Default: a `score` of `/rerank` and `/score`, else `probabilities`.
        empty: What is sent for a text of which no word is left. Default: an empty text, which some services refuse.
        budget: At most this many pairs are asked about for one explanation.
        batch_size: At most this many pairs a request.
        concurrency: At most this many requests at once.
        retries: How many times more a request is sent while the service is busy, broken or away.
        timeout: Seconds for one answer.
        cache: A folder where answers are kept, so that nothing is asked again after a restart. Default: they are
            remembered as long as the model is.
        name: How results name the model. Default: `model_name`, or the address.
    """

    function: Service

    def __init__(
        self,
        url: str,
        *,
        model_name: str | None = None,
        key_env: str | None = None,
        template: Any = None,
        answers: Mapping[str, str] | Iterable[str] | None = None,
        labels: Iterable[object] | None = None,
        outputs: Any = None,
        empty: str = "",
        budget: int | None = None,
        batch_size: int = 32,
        concurrency: int = 4,
        retries: int = 6,
        timeout: float = 60.0,
        cache: Path | str | None = None,
        name: str | None = None,
    ) -> None:
        _check_address(url)
        for option, value, low in (
            ("batch_size", batch_size, 1),
            ("concurrency", concurrency, 1),
            ("retries", retries, 0),
        ):
            if not isinstance(value, int) or value < low:
                raise GmaskError(f"{option} must be a whole number of at least {low}, not {value!r}")
        if not isinstance(timeout, (int, float)) or not 0 < timeout < math.inf:
            raise GmaskError(f"timeout must be a number of seconds above 0, not {timeout!r}")
        names = None if labels is None else label_names(labels)
        wire, names = _wire(url, model_name, template, answers, names)
        outputs = outputs or wire.outputs[0]
        if outputs not in wire.outputs:
            raise one_of(f"outputs of a {wire.paths} service:", outputs, wire.outputs)
        client = Client(url, key_env=key_env, timeout=timeout, retries=retries)
        super().__init__(
            Service(client, wire, Answers(cache), empty=empty, batch_size=batch_size, concurrency=concurrency),
            labels=names,
            outputs=outputs,
            budget=budget,
            batch_size=max(ROUND, batch_size * concurrency),
            name=name or model_name or url.partition("://")[2],
        )

    @cached_property
    def hash(self) -> str:
        """The name and a digest of the address, the model asked for, and how it is asked and read; never of a key."""
        found, _ = digest([self.function.identity, self.function.empty, self.labels, self.kind])
        return f"{self.name}-{found[:16]}"

    def _ask(self, batch: list[Pair]) -> Any:
        return self.function(batch)  # what goes wrong is told already


def split_address(address: str) -> tuple[str, dict[str, Any]]:
    """An address and the options behind its `#`, which no service is sent, as on the command line.

    Example:
        >>> split_address("http://127.0.0.1:8000/v1/rerank#model_name=bge&concurrency=8")
        ('http://127.0.0.1:8000/v1/rerank', {'model_name': 'bge', 'concurrency': 8})
    """
    url, _, behind = address.partition("#")
    options: dict[str, Any] = {}
    for name, text in parse_qsl(behind, keep_blank_values=True):
        try:
            options[name] = READERS.get(name, str)(text)
        except ValueError:
            raise GmaskError(f"{name} in the address must be a number, not {text!r}") from None
    return url, options


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def _answers(text: str) -> dict[str, str] | list[str]:
    return read_answers(text) if "=" in text else _listed(text)


READERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("budget", "batch_size", "concurrency", "retries"), int),
    "answers": _answers,
    "labels": _listed,
    "timeout": float,
}


def _check_address(url: str) -> None:
    """Refuse what is no address, and one with a key in it: addresses are written to records."""
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        valid = False
    if valid and ("@" in parts.netloc or any(SECRET.search(name) for name, _ in parse_qsl(parts.query))):
        raise GmaskError("no key may stand in an address; name the environment variable that holds it: key_env=NAME")
    if not valid or not url.isascii() or any(sign.isspace() for sign in url):
        raise GmaskError(f"{url!r} is no address of a service, as http://127.0.0.1:8000/v1/rerank")


def _wire(
    url: str,
    model: str | None,
    template: Any,
    answers: Mapping[str, str] | Iterable[str] | None,
    labels: tuple[str, ...] | None,
) -> tuple[Wire, tuple[str, ...] | None]:
    """How a service is talked to, by the path of its address, and the labels of its answers."""
    path = urlsplit(url).path.rstrip("/")
    if path.endswith(Chat.paths):
        if labels is not None:
            raise GmaskError("the labels of a chat service are those of `answers`; leave `labels` out")
        return _chat(model, template, answers)
    if template is not None or answers is not None:
        raise GmaskError(f"template and answers are for services whose address ends in {Chat.paths}, not for {url}")
    if path.endswith(Predict.paths):
        if labels is None:
            raise GmaskError(f"{url} answers by label; give its labels, in the order to show them in: labels=[...]")
        return Predict(model, labels), labels
    if path.endswith(Score.paths):
        return Score(model), labels
    if path.endswith(Rerank.paths):
        # the one kind of service that wants `texts` has no versions in its path and no models to choose from
        texts = model is None and not re.search(r"/v\d+/rerank$", path)
        return Rerank(model, "texts" if texts else "documents"), labels
    raise one_of(
        "kind of service", url, (f"an address ending in {kind.paths}" for kind in (Rerank, Score, Predict, Chat))
    )


def _chat(
    model: str | None, template: Any, answers: Mapping[str, str] | Iterable[str] | None
) -> tuple[Chat, tuple[str, ...]]:
    if template is None or answers is None:
        raise GmaskError(
            "a chat service needs a template, with {first} and {second}, and answers, as "
            'template="Does {second} follow from {first}? Answer yes or no.", answers={"no": "no", "yes": "yes"}'
        )
    given = dict(answers) if isinstance(answers, Mapping) else {text: text for text in label_names(answers)}
    texts = tuple(str(text) for text in given.values())
    if len(given) < 2 or len({text.strip().casefold() for text in texts} - {""}) < len(given):
        raise GmaskError(f"answers must be two or more different texts, not {', '.join(map(repr, texts))}")
    return Chat(model, read_template(template).wording.prompt, texts), label_names(given)
