"""Many pairs: resumable runs, engines, reports."""

from __future__ import annotations

from gmask.study.evaluation import evaluate
from gmask.study.stream import batch, read_batch

__all__ = ["batch", "evaluate", "read_batch"]
