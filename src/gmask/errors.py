"""The errors a user can mend: each says what is wrong and what would be right."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["FunctionError", "GmaskError", "MissingError", "ModelError", "any_case", "one_of"]


class GmaskError(ValueError):
    """A mistake in what the user gave; its message is one line and names a way out."""


class ModelError(GmaskError):
    """What a model answered is no answer. That may be over by now: a run that is gone on with asks again."""


class FunctionError(ModelError):
    """A user's own function raised something; it is the cause. Clients of a server are not told what."""


class MissingError(GmaskError, KeyError):
    """A name that is not among the keys of a result."""

    __str__ = Exception.__str__  # a KeyError would put its message in quotes


def any_case(written: object, names: Iterable[str]) -> str | None:
    """The name that is written exactly so, or else in another case."""
    known = list(names)
    if written in known:
        return str(written)
    return next((name for name in known if name.casefold() == str(written).casefold()), None)


def one_of(kind: str, given: object, valid: Iterable[object]) -> GmaskError:
    """An error for an unknown name that lists the valid ones."""
    return GmaskError(f"unknown {kind} {given!r}; valid: {', '.join(str(v) for v in valid)}")
