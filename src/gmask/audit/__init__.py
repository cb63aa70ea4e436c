"""From one pair to the model: patterns its answers rest on, tested by bringing them about in other pairs.

The module is the function too: `gmask.audit(model, data)`, and beside it `gmask.audit.check(audit, model)`.
"""

from __future__ import annotations

import inspect
import sys
from types import ModuleType

from gmask.audit.check import Checked, check
from gmask.audit.result import Audit, Finding
from gmask.audit.run import audit as _audit

__all__ = ["Audit", "Checked", "Finding", "check"]


class _Callable(ModuleType):
    """A name can stand for one thing only: so that nobody's import of the package hides the function, it is both."""

    __call__ = staticmethod(_audit)


sys.modules[__name__].__class__ = _Callable
__signature__ = inspect.signature(_audit)
