"""Real texts that have nothing to do with a pair: they stand where a sentence of it is wholly gone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gmask.errors import GmaskError
from gmask.language import COMMON, language_of, letters

__all__ = ["neutral"]

FOLDER = Path(__file__).parent / "builtin" / "neutral"  # a file a language, a text a line

_ASKING = {
    code: frozenset(words.split())
    for code, words in {
        "en": "what how why who whose which when where is are can do does did should",
        "de": "was wie warum wieso wer wem wen wo woher wohin wann welche welcher welches",
        "fr": "comment pourquoi qui que quel quelle quels quelles quand où combien",
        "es": "qué cómo cuál cuáles quién quiénes cuándo dónde cuánto cuántos",
        "it": "come perché chi cosa qual quale quali quando dove quanto quanti",
        "pt": "como porque quem qual quais quando onde quanto quantos",
        "nl": "wat hoe waarom wie welke welk wanneer waar hoeveel",
    }.items()
}
_STOP = re.compile(r"[.!?…]['\"”’»)\]]*(?:\s+|$)")


@dataclass(frozen=True, slots=True)
class _Text:
    text: str
    kind: str
    length: int
    content: frozenset[str]

    def misfit(self, wanted: _Text, related: frozenset[str], used: frozenset[str]) -> tuple[int, ...]:
        """How badly it stands for another text, the worst first; any two passages share a few words by chance."""
        passage = self.kind == "passage"
        return (
            passage != (wanted.kind == "passage"),
            len(self.content & related) * 20 // self.length if passage else len(self.content & related),
            self.kind != wanted.kind,
            0 if passage else len(self.content & used),
            abs(self.length - wanted.length),
        )


def neutral(text: str, count: int = 3, avoid: Iterable[str] = ()) -> tuple[str, ...]:
    """Unrelated real texts in the language of a text, of its kind and about its length; the same ones every time.

    They share no content word with it or with each other; where that cannot be, as in passages, few.

    Args:
        text: What they stand for.
        count: How many.
        avoid: Texts they must not share content words with either, such as the other one of the pair.

    Raises:
        GmaskError: There are none in this language, or fewer.
    """
    avoid = tuple(avoid)
    language = language_of(text, *avoid)
    pool = _pool(language) if language else ()
    if language is None or max(count, 1) > len(pool):
        raise GmaskError(
            f"there are {f'only {len(pool)}' if pool else 'no'} neutral texts in the language of {text[:40]!r}; "
            "give reference=[(first, second), ...]"
        )
    wanted = _read(text, language)
    related = wanted.content.union(*(_content(letters(other), language) for other in avoid))
    used: frozenset[str] = frozenset()
    found: list[_Text] = []
    while len(found) < count:
        left = [each for each in pool if each not in found]
        found.append(min(left, key=lambda each: each.misfit(wanted, related, used)))
        used |= found[-1].content
    return tuple(each.text for each in found)


@cache
def _pool(language: str) -> tuple[_Text, ...]:
    file = FOLDER / f"{language}.txt"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return tuple(_read(line, language) for line in lines)


def _read(text: str, language: str) -> _Text:
    words = letters(text)
    return _Text(text, _kind(text.strip(), words, language), len(text.split()), _content(words, language))


def _kind(text: str, words: list[str], language: str) -> str:
    """Whether it is a passage, a question, a query of keywords or a statement."""
    stops = [match.group() for match in _STOP.finditer(text)]
    ended = bool(stops) and text.endswith(stops[-1])
    if len(words) > (30 if len(stops) > 1 else 40):
        return "passage"
    asks = bool(words) and words[0] in _ASKING[language]
    if (ended and stops[-1].startswith("?")) or (asks and (text[0].islower() or not ended)):
        return "question"
    common = sum(word in COMMON[language] for word in words)
    keywords = not common or (text.islower() and 2 * common < len(words) <= 12)
    return "query" if keywords and not ended else "statement"


def _content(words: list[str], language: str) -> frozenset[str]:
    """The words that carry a topic, by how they begin: cook, cooks and cooking are the same."""
    return frozenset(w[:4] if len(w) > 4 else w.rstrip("s") for w in words if len(w) > 1 and w not in COMMON[language])
