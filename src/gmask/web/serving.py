"""How a route gets hold of the service behind it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from gmask.web.service import Service

__all__ = ["Serving"]


def _service(request: Request) -> Service:
    return request.app.state.service  # type: ignore[no-any-return]


Serving = Annotated[Service, Depends(_service)]
