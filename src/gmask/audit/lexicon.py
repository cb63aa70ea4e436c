"""What an audit knows of words by themselves: negations, numbers, names, and forms of the same word."""

from __future__ import annotations

from gmask.audit.seen import Text
from gmask.language import COMMON

__all__ = ["NEGATIONS", "NUMBERS", "is_common", "is_name", "is_negation", "is_number", "stem"]

NEGATIONS = frozenset(
    """no not never nobody nothing none nowhere neither nor without cannot n't isn't aren't wasn't weren't don't doesn't
    didn't can't couldn't won't wouldn't hasn't haven't hadn't shouldn't nicht kein keine keinen niemand nie nichts ohne
    ne pas jamais rien aucun sans nunca nadie nada ningún non nessuno niente senza não ninguém niet
    geen nooit niemand niets zonder""".split()  # noqa: SIM905
)
NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ONE = frozenset(("one", *NUMBERS))


def is_negation(word: str) -> bool:
    """Whether it says no."""
    return word in NEGATIONS or word.replace("’", "'") in NEGATIONS


def is_number(word: str) -> bool:
    """Whether it counts something."""
    return word in _ONE or (any(c.isdigit() for c in word) and not any(c.isalpha() for c in word))


def is_name(text: Text, position: int) -> bool:
    """Whether a word looks like a name: written with a capital where no sentence begins, in a text that is not all."""
    start, end = text.spans[position]
    word = text.text[start:end]
    before = text.text[:start].rstrip()
    begins = not before or before[-1] in ".!?:\"“”'…"
    return word[:1].isupper() and not begins and not word.isupper() and not is_common(word.lower())


def is_common(word: str) -> bool:
    """Whether it is among the very common words of English."""
    return word in COMMON["en"]


def stem(word: str) -> str:
    """What forms of an English word share: sleep, sleeps, sleeping. A guess, which the model's answers must confirm."""
    if len(word) <= 3 or not word.isalpha():
        return word
    for ending, least in (("ings", 4), ("ing", 3), ("edly", 4), ("ed", 3), ("ies", 3), ("es", 4), ("s", 3), ("ly", 4)):
        if word.endswith(ending) and len(word) - len(ending) >= least and not word.endswith("ss"):
            root = word[: -len(ending)]
            if ending == "ies":
                return f"{root}y"
            if ending in ("ing", "ings", "ed") and len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz":
                root = root[:-1]
            return root.rstrip("e") if len(root) > 3 else root
    return word.rstrip("e") if len(word) > 4 else word
