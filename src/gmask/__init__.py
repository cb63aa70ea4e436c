"""gmask explains what sentence-pair models do: groups of words that act together, across the two texts."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gmask.audit.run import audit
    from gmask.errors import GmaskError
    from gmask.explainer import Explainer, explain
    from gmask.explanation import Evidence, Explanation, Group
    from gmask.frame import to_frame
    from gmask.method.base import methods
    from gmask.metric.base import metrics
    from gmask.model import load
    from gmask.pair import Word
    from gmask.study.evaluation import evaluate

__version__ = "0.1.0"

# Where each public name lives; imported when first used, so that `import gmask` costs nothing.
_HOMES = {
    "Evidence": "gmask.explanation",
    "Explainer": "gmask.explainer",
    "Explanation": "gmask.explanation",
    "GmaskError": "gmask.errors",
    "Group": "gmask.explanation",
    "Word": "gmask.pair",
    "audit": "gmask.audit",
    "evaluate": "gmask.study.evaluation",
    "explain": "gmask.explainer",
    "load": "gmask.model",
    "methods": "gmask.method.base",
    "metrics": "gmask.metric.base",
    "to_frame": "gmask.frame",
}

__all__ = [
    "Evidence",
    "Explainer",
    "Explanation",
    "GmaskError",
    "Group",
    "Word",
    "audit",
    "evaluate",
    "explain",
    "load",
    "methods",
    "metrics",
    "to_frame",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'gmask' has no attribute {name!r}")
    home = import_module(_HOMES[name])
    value = getattr(home, name, home)  # a package may be what it is named after
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
