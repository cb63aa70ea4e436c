"""Every failure as one clear line of JSON."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import Request

from gmask.errors import FunctionError, GmaskError
from gmask.web.schema import Failure
from gmask.web.stream import line
from gmask.web.work import Busy, Cancelled

__all__ = ["FAILURES", "add_handlers"]

NO_OBJECT = ("missing", "model_attributes_type")  # what the checks call a body that is none, or not JSON
# What the API's description says of failures.
FAILURES: dict[int | str, dict[str, Any]] = {
    400: {"model": Failure, "description": "The request cannot be read."},
    403: {"model": Failure, "description": "A browser sends it for a page of another site."},
    408: {"model": Failure, "description": "The request did not arrive whole in time."},
    409: {"model": Failure, "description": "The work was called off."},
    413: {"model": Failure, "description": "The request is too large."},
    422: {"model": Failure, "description": "Something in the request is wrong, or asks for too much."},
    429: {
        "model": Failure,
        "description": "Too much is waiting already.",
        "headers": {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}},
    },
}


def add_handlers(app: FastAPI) -> None:
    """Say in one line what went wrong, whatever it was."""
    app.add_exception_handler(GmaskError, _mistake)
    app.add_exception_handler(FunctionError, _unexpected)
    app.add_exception_handler(Cancelled, _mistake)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _unexpected)


async def _mistake(_request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, Busy):
        return _failure(429, line(error), {"Retry-After": str(error.retry)})
    return _failure(409 if isinstance(error, Cancelled) else 422, line(error))


async def _invalid(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    found = error.errors()
    for problem in found:
        if problem["type"] == "json_invalid":
            reason = problem.get("ctx", {}).get("error", "")
            return _failure(400, f"the request is not valid JSON (at character {problem['loc'][-1]}: {reason})")
    if any(problem["loc"] == ("body",) and problem["type"] in NO_OBJECT for problem in found):
        return _failure(422, "the request must be a JSON object, sent as Content-Type: application/json")
    told = [f"{'.'.join(str(part) for part in p['loc'][1:]) or 'the request'}: {p['msg']}" for p in found[:3]]
    return _failure(422, line(GmaskError("; ".join(told))))


async def _refused(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return _failure(error.status_code, str(error.detail), error.headers)


async def _unexpected(_request: Request, error: Exception) -> JSONResponse:
    return _failure(500, line(error))


def _failure(status: int, reason: str, headers: Any = None) -> JSONResponse:
    return JSONResponse({"error": reason}, status, headers)
