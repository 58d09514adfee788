"""Minimal HTTP/1.1 server side: read requests, write answers in uneven pieces, notice when a client disconnects."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import cycle
from typing import Any

from fake_ollama.faults import Fault, What

ENDING = {What.DROP, What.STOP}
"""Faults that end the connection."""
NDJSON = "application/x-ndjson"
SSE = "text/event-stream"
JSON = "application/json; charset=utf-8"

_SLICES = (1, 300, 47, 5, 811, 64)  # sizes of writes in bytes: several lines, parts of a line, parts of a character
_HELD = (0, 3, 1, 20)  # trailing bytes of a line that are sent with the next line


@dataclass(frozen=True, slots=True)
class Answer:
    """A response to be sent. Streamed lines are sent `pace` seconds apart, the first after `first` seconds."""

    lines: tuple[bytes, ...]
    status: int = 200
    kind: str = JSON
    first: float = 0.0
    pace: float = 0.0
    begun: Callable[[int], None] = lambda line: None
    """Called with the number of the line that is about to be written."""

    @property
    def streamed(self) -> bool:
        """True if the response is sent in chunks."""
        return self.kind in (NDJSON, SSE)

    @property
    def body(self) -> bytes:
        """The whole body."""
        return b"".join(self.lines)


def _dumped(value: Any) -> bytes:
    """Return a value as JSON; lone surrogates as escapes, as UTF-8 cannot encode them."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def as_json(value: Any, status: int = 200) -> Answer:
    """Return a response with one JSON value."""
    return Answer((_dumped(value),), status)


def as_lines(values: Sequence[Any], first: float = 0.0, pace: float = 0.0) -> Answer:
    """Return a streamed response with one JSON value per line."""
    lines = (_dumped(value) + b"\n" for value in values)
    return Answer(tuple(lines), kind=NDJSON, first=first, pace=pace)


def head(answer: Answer) -> bytes:
    """Return status line and headers."""
    size = "Transfer-Encoding: chunked" if answer.streamed else f"Content-Length: {len(answer.body)}"
    phrase = HTTPStatus(answer.status).phrase
    return f"HTTP/1.1 {answer.status} {phrase}\r\nContent-Type: {answer.kind}\r\n{size}\r\n\r\n".encode()


def pieces(answer: Answer) -> Iterator[tuple[float, bytes]]:
    """Yield the body in the pieces to write, each after a pause in seconds."""
    if not answer.streamed or not answer.pace:
        body, start, sizes = answer.body, 0, cycle(_SLICES)
        for number in range(len(answer.lines)):
            answer.begun(number)
        while start < len(body):
            size = next(sizes) if answer.streamed else len(body)
            yield (0.0 if start else answer.first), body[start : start + size]
            start += size
        return
    held, rest = cycle(_HELD), b""
    for number, line in enumerate(answer.lines):
        answer.begun(number)
        whole = rest + line
        keep = 0 if number == len(answer.lines) - 1 else min(next(held), len(line) - 1)
        yield (answer.pace if number else answer.first), whole[: len(whole) - keep]
        rest = whole[len(whole) - keep :]


def plan(answer: Answer, fault: Fault | None) -> Iterator[tuple[float, bytes]]:
    """Yield pauses and pieces as `pieces` does, with the fault applied."""
    what, at, sent = (fault.what, fault.at, 0) if fault else (None, 0, 0)
    for pause, piece in pieces(answer):
        here = sent <= at < sent + len(piece)
        if fault and what is What.SLOW and not sent:
            yield pause + fault.seconds, piece
        elif fault and what is What.STALL and here:
            yield pause, piece[: at - sent]
            yield fault.seconds, piece[at - sent :]
        elif what in ENDING and here:
            yield pause, piece[: at - sent]
            return
        else:
            yield pause, piece
        sent += len(piece)


class Malformed(Exception):
    """Not an HTTP request."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A parsed request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Connection:
    """A connection to one client."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._early = b""  # received while an answer was being written

    async def read(self) -> Incoming | None:
        """Return the next request, or None if the client has disconnected. Raises Malformed."""
        try:
            first, *lines = (self._early + await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            self._early = b""
            method, target, _ = first.split(" ")
            named = (line.partition(":") for line in lines if line)
            headers = {name.strip().lower(): value.strip() for name, _, value in named}
            body = await self._body(headers)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        except (ValueError, asyncio.LimitOverrunError) as error:
            raise Malformed(str(error)) from error
        return Incoming(method, target.partition("?")[0], headers, body)

    async def _body(self, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding") != "chunked":
            return await self._reader.readexactly(int(headers.get("content-length", 0)))
        body = b""
        while size := int((await self._reader.readuntil(b"\r\n")).partition(b";")[0], 16):
            body += (await self._reader.readexactly(size + 2))[:-2]
        await self._reader.readuntil(b"\r\n")
        return body

    async def left(self) -> None:
        """Return when the client disconnects; not noticed if it sends its next request before the answer ends."""
        try:
            self._early += await self._reader.read(1)
        except ConnectionError:
            return
        if self._early:
            await asyncio.Event().wait()

    async def write(self, data: bytes) -> None:
        """Write bytes; raises ConnectionError if the client has disconnected."""
        self._writer.write(data)
        await self._writer.drain()
        await asyncio.sleep(0)

    def reset(self) -> None:
        """Reset the connection at once."""
        plug: socket.socket = self._writer.get_extra_info("socket")
        plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    def close(self) -> None:
        """Close the connection after sending what was written."""
        self._writer.close()
