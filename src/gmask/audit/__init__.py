"""From one pair to the model: patterns its answers rest on, tested by bringing them about in other pairs."""

from __future__ import annotations

from gmask.audit.result import Audit, Finding
from gmask.audit.run import audit

__all__ = ["Audit", "Finding", "audit"]
