"""An audit as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

__all__ = ["to_page"]


def to_page(data: Mapping[str, Any]) -> str:
    """The page."""
    return f"<!DOCTYPE html><title>{escape(data['model']['name'])}</title>"
