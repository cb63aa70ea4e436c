"""The page and its server: `gmask serve`."""

from gmask.web.app import create_app
from gmask.web.limits import Limits

__all__ = ["Limits", "create_app"]
