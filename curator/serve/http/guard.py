"""ASGI middleware: authentication, rate and size limits.

The Host header must name this machine, so that a web page whose domain resolves to it cannot read memories (DNS
rebinding). The Origin header must be absent or allowed. Every route except the health check needs a key.
"""

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from curator.errors import ConfigError
from curator.serve.error_log import INTERNAL, frames
from curator.serve.http.keys import Key, KeyRing, find

BODY = 1_000_000
"""Maximum bytes of a request's body."""
QUERY = 8_000
"""Maximum bytes of a request's query string."""
SLOW = 10.0
"""Maximum seconds until a request's body has arrived."""
LOOK = 0.5
"""Seconds between two checks if the key of an open stream was revoked."""
RATE, BURST = 20.0, 100.0
"""Maximum requests of a key per second in the long run, and at once."""
OPEN = ("/api/health",)
"""Routes without a key."""
KEY = "curator.key"
"""Name in the ASGI scope under which the key of a request is stored."""
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_ALLOWED = b"Authorization, Content-Type, Last-Event-ID, Mcp-Protocol-Version, Mcp-Session-Id, X-API-Key"
_SHARED = (  # by which a browser lets an allowed page read the answer
    (b"access-control-allow-headers", _ALLOWED),
    (b"access-control-allow-methods", b"DELETE, GET, PATCH, POST"),
    (b"access-control-allow-private-network", b"true"),
    (b"access-control-expose-headers", b"Mcp-Session-Id, Retry-After"),
    (b"vary", b"Origin"),
)
_log = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Header = tuple[bytes, bytes]


class Refusal(Exception):
    """A refused request: the status, and the reason with the remedy."""

    def __init__(self, status: int, reason: str, headers: tuple[Header, ...] = ()) -> None:
        super().__init__(reason)
        self.status, self.reason, self.headers = status, reason, headers


@dataclass
class Bucket:
    """Token bucket: the number of requests that a key may still make now."""

    left: float = BURST
    at: float = field(default_factory=time.monotonic)

    def take(self, now: float) -> bool:
        """Take a token for a request; return False if there is none."""
        self.left = min(BURST, self.left + (now - self.at) * RATE)
        self.at = now
        if self.left < 1:
            return False
        self.left -= 1
        return True


class Guard:
    """ASGI middleware. `done` is called with the scope, status and seconds of each answered request."""

    def __init__(
        self,
        app: App,
        hosts: Sequence[str],
        origins: Sequence[str],
        done: Callable[[Scope, int, float], None] = lambda scope, status, seconds: None,
        failed: Callable[[str, str], None] = lambda kind, location: None,
    ) -> None:
        self._app, self._done, self._failed = app, done, failed
        self._hosts = {*_LOOPBACK, *(f"[{host}]" if ":" in host and host[0] != "[" else host.lower() for host in hosts)}
        self._origins = frozenset(origins)
        self._ring = KeyRing()
        self._buckets: dict[str, Bucket] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        began, status, ended = time.monotonic(), 0, False
        added: list[Header] = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]

        async def sending(message: Message) -> None:
            nonlocal status, ended
            if message["type"] == "http.response.start":
                status = message["status"]
                given = [one for one in message.get("headers", ()) if one[0].lower() != b"cache-control"]
                message = {**message, "headers": [*given, *added]}
            elif not message.get("more_body", False):
                ended = True
            elif self._is_revoked(scope):
                return
            await send(message)

        try:
            origin = self._checked_origin(scope)
            added += [(b"access-control-allow-origin", origin.encode("latin-1")), *_SHARED] if origin else ()
            if origin and scope["method"] == "OPTIONS":
                await _answer(sending, 204, None, ())
                return
            self._admit(scope)
            await self._app(scope, await _arrived(receive, lambda: self._is_revoked(scope)), sending)
            if status and not ended and self._is_revoked(scope):
                await sending({"type": "http.response.body", "body": b""})
        except Refusal as refusal:
            await _answer(sending, refusal.status, refusal.reason, refusal.headers)
        except Exception as error:
            where = frames(error)
            _log.error("%s %s: %s at %s", scope["method"], _route(scope), type(error).__name__, where)
            self._failed(type(error).__name__, f"{scope['method']} {_route(scope)}")
            if not status:
                await _answer(sending, 500, INTERNAL, ())
        finally:
            self._done(scope, status, time.monotonic() - began)

    def _checked_origin(self, scope: Scope) -> str | None:
        """Check the Host and Origin headers; return the origin. Raises Refusal."""
        hosts, origins = _headers(scope, b"host"), _headers(scope, b"origin")
        if len(hosts) != 1 or _name(hosts[0]) not in self._hosts:
            raise Refusal(421, "unknown host name; add it to the setting serve.hosts")
        if not origins:
            return None
        if len(origins) > 1 or origins[0] not in self._origins:
            raise Refusal(403, "this origin is not allowed; add it to the setting serve.origins")
        return origins[0]

    def _admit(self, scope: Scope) -> None:
        """Check key, rate and sizes of a request, and store the key in its scope. Raises Refusal."""
        key = None if scope["path"] in OPEN else self._key(scope)
        name = "" if key is None else f"{key.name}/{key.hash}"
        if not self._buckets.setdefault(name, Bucket()).take(time.monotonic()):
            raise Refusal(429, f"more than {RATE:.0f} requests a second; wait a moment", ((b"retry-after", b"1"),))
        scope[KEY] = key
        if len(scope.get("query_string", b"")) > QUERY:
            raise Refusal(413, f"the address is longer than {QUERY:,} bytes")
        for length in _headers(scope, b"content-length"):
            if not length.isdecimal() or int(length) > BODY:
                raise Refusal(413, f"a request has at most {BODY:,} bytes")

    def _key(self, scope: Scope) -> Key:
        try:
            keys = self._ring.keys()
        except ConfigError as error:
            raise Refusal(503, str(error)) from error
        given = {*_headers(scope, b"x-api-key")}
        for value in _headers(scope, b"authorization"):
            scheme, _, text = value.partition(" ")
            if scheme.lower() == "bearer":
                given.add(text.strip())
        found = find(keys, given.pop()) if len(given) == 1 else None
        if found is not None:
            return found
        if not self._buckets.setdefault("", Bucket()).take(time.monotonic()):
            raise Refusal(429, "too many requests without a valid key", ((b"retry-after", b"1"),))
        remedy = "`curator serve --new-key NAME` makes one; send it as X-API-Key or Authorization: Bearer"
        raise Refusal(401, f"a valid key is needed: {remedy}", ((b"www-authenticate", b"Bearer"),))

    def _is_revoked(self, scope: Scope) -> bool:
        """Return True if the key that a request was admitted with is no longer valid."""
        key = scope.get(KEY)
        try:
            valid = self._ring.keys()
        except ConfigError:
            return key is not None
        return key is not None and key not in valid


async def _arrived(receive: Receive, is_revoked: Callable[[], bool]) -> Receive:
    """Receive the whole body, so that no handler waits for a slow client, and return a `receive` that replays it.

    After the body, it waits for the client to disconnect; a revoked key counts as a disconnect. Raises Refusal.
    """
    parts: list[bytes] = []
    size, ended = 0, False
    try:
        async with asyncio.timeout(SLOW):
            while not ended:
                message = await receive()
                if message["type"] != "http.request":
                    raise Refusal(400, "the request ended early")
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                ended = not message.get("more_body", False)
                if size > BODY:
                    raise Refusal(413, f"a request has at most {BODY:,} bytes", ((b"connection", b"close"),))
    except TimeoutError:
        raise Refusal(408, "the request took too long to arrive", ((b"connection", b"close"),)) from None
    waiting: list[Message] = [{"type": "http.request", "body": b"".join(parts), "more_body": False}]

    async def replay() -> Message:
        if waiting:
            return waiting.pop()
        while not is_revoked():
            with contextlib.suppress(TimeoutError):
                return await asyncio.wait_for(receive(), LOOK)
        return {"type": "http.disconnect"}

    return replay


async def _answer(send: Send, status: int, reason: str | None, headers: Sequence[Header]) -> None:
    body = b"" if reason is None else json.dumps({"error": reason}).encode()
    kind = () if reason is None else ((b"content-type", b"application/json"),)
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*kind, length, *headers]})
    await send({"type": "http.response.body", "body": body})


def _headers(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def _name(host: str) -> str:
    """Return the name in a Host header without the port; empty if the port is not a number."""
    name, colon, port = host.lower().rpartition(":")
    if not colon or host.endswith("]"):
        return host.lower()
    return name if port.isdecimal() else ""


def _route(scope: Scope) -> str:
    """Return the path pattern of a request's route, since the path itself may contain words of the person."""
    return str(getattr(scope.get("route"), "path", "no route"))
