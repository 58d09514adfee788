"""Map store errors to HTTP responses."""

import logging
from collections.abc import Callable

from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException as AnyHTTPException

from curator.errors import ConfigError, ModelError
from curator.serve.error_log import INTERNAL, frames
from curator.services.global_ids import with_global_ids
from store import Busy, Conflict, Forbidden, NotFound, Store, StoreError, Unwritable

_STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (NotFound, 404),
    (Forbidden, 403),
    (Conflict, 409),
    (Busy, 503),
    (Unwritable, 507),
    (StoreError, 503),
    (ModelError, 503),
    (ConfigError, 503),
    (ValueError, 422),
    (OSError, 503),
)
_log = logging.getLogger(__name__)


def problem(store: Store, error: Exception, failed: Callable[[str, str], None]) -> HTTPException:
    """Return the HTTP error for an exception; call `failed` with the kind and location of an internal error."""
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)
    if status >= 500:
        where = frames(error)
        _log.error("%s at %s", type(error).__name__, where)
        failed(type(error).__name__, where)
    if status == 500:
        return HTTPException(500, INTERNAL)
    return HTTPException(status, with_global_ids(store, error))


async def reply_to_http_error(request: Request, error: Exception) -> Response:
    """Return the response to an error of a route, or to an unknown route."""
    assert isinstance(error, AnyHTTPException)
    reason = str(error.detail)
    if error.status_code == 404 and reason == "Not Found":
        reason = "no such route; GET /openapi.json lists all"
    if error.status_code == 405 and error.headers:
        reason = f"this route takes {error.headers['Allow']} only; GET /openapi.json lists them"
    if error.status_code == 400 and reason == "There was an error parsing the body":
        reason = "the body is not JSON in UTF-8"
    return JSONResponse({"error": reason}, error.status_code, error.headers)


async def reply_to_invalid_body(request: Request, error: Exception) -> Response:
    """Return the response to invalid values of a request: the first of them, and the reason."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    location = ".".join(map(str, first["loc"][1:])) or "body"
    if first["type"] == "json_invalid":
        location, reason = "body", "not JSON"
    elif first["type"] != "model_attributes_type":
        reason = first["msg"]
    elif "json" in request.headers.get("content-type", ""):
        reason = "not a JSON object"
    else:
        reason = "send it as JSON, with the header Content-Type: application/json"
    return JSONResponse({"error": f"{location}: {reason}; see GET /openapi.json"}, 422)
