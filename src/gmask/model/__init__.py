"""Who can be asked: Hugging Face classifiers, decomposable attention, services, any function."""

from __future__ import annotations

from gmask.model.zoo import load

__all__ = ["load"]
