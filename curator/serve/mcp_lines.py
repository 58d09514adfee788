"""MCP messages as lines over a connection. Invalid lines are answered here, since the SDK drops them silently."""

import asyncio
import json
from collections.abc import AsyncIterator

from mcp.types import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic_core import from_json


class Lines:
    """A stream of lines with the interface of the text files that the SDK reads and writes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await self._reader.readline():
            text = line.decode("utf-8", "replace")
            if (answer := refusal(text)) is None:
                yield text
            else:
                await self.write(answer.model_dump_json(exclude_unset=True) + "\n")
                await self.flush()

    async def write(self, text: str) -> None:
        self._writer.write(text.encode())

    async def flush(self) -> None:
        await self._writer.drain()


def refusal(line: str) -> JSONRPCError | None:
    """Return the error to send for a request that the SDK cannot parse, or None.

    None is also returned for notifications and responses, which need no answer.
    """
    try:
        row = from_json(line)
    except ValueError:
        return _error(_asked_by(line), PARSE_ERROR, "Parse error: this line is not JSON")
    if not isinstance(row, dict):
        return _error(None, INVALID_REQUEST, "Invalid request: a message is one object in a line, no batch")
    method, ident, params = row.get("method"), row.get("id"), row.get("params")
    if ("id" not in row and isinstance(method, str)) or ("method" not in row and ("result" in row or "error" in row)):
        return None
    told = ident if isinstance(ident, str | int) and not isinstance(ident, bool) else None
    if row.get("jsonrpc") != "2.0":
        return _error(told, INVALID_REQUEST, 'Invalid request: `jsonrpc` must be "2.0"')
    if not isinstance(method, str):
        return _error(told, INVALID_REQUEST, "Invalid request: `method` must be a text")
    if told is None:
        return _error(None, INVALID_REQUEST, "Invalid request: `id` must be a text or a whole number")
    if params is not None and not isinstance(params, dict):
        return _error(told, INVALID_PARAMS, "Invalid params: `params` must be an object")
    return None


def _asked_by(line: str) -> str | int | None:
    """Return the id of a request that only a more lenient parser accepts, such as one with a lone surrogate."""
    try:
        row = json.loads(line)
        ident = row.get("id") if isinstance(row, dict) and "method" in row else None
        str(ident).encode()
    except (ValueError, RecursionError):
        return None
    return ident if isinstance(ident, str | int) and not isinstance(ident, bool) else None


def _error(ident: str | int | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=ident, error=ErrorData(code=code, message=message))
