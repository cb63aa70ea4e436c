"""Seeds: the same seed gives the same answer."""

from __future__ import annotations

import operator
from typing import Any

from gmask.errors import GmaskError

__all__ = ["check_seed"]

LARGEST = 2**63 - 1  # what torch takes, and numpy


def check_seed(seed: Any) -> int:
    """The seed, if it is one."""
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if not 0 <= number <= LARGEST:
        raise GmaskError(f"a seed is a whole number from 0 to 2^63 - 1, not {seed!r}")
    return number
