"""Start and stop the HTTP server in the event loop of the resident process."""

import asyncio
import contextlib
import ipaddress
import logging
import socket
from collections.abc import AsyncIterator, Generator, Mapping
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI
from mcp.server.mcpserver import Context
from mcp.server.transport_security import TransportSecuritySettings
from uvicorn.protocols.http.h11_impl import H11Protocol

from curator.config import settings
from curator.errors import ConfigError
from curator.serve import mcp_server
from curator.serve.http import operations
from curator.serve.http.guard import BODY, KEY, SLOW, Guard, Scope
from curator.serve.http.keys import Key, stored
from curator.serve.http.metrics import Metrics
from curator.serve.http.routes import Api, build, of_today
from curator.serve.http.webhook import Webhook
from curator.serve.store_service import InThread, StoreService

_log = logging.getLogger(__name__)

CONNECTIONS = 200
"""Maximum open connections."""
_GRACE = 2  # seconds to finish open responses when the server stops


class _Server(uvicorn.Server):
    """A server that does not handle signals, which its process does."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


class _Protocol(H11Protocol):
    """An HTTP connection that is closed if a request's head takes too long to arrive."""

    _head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # asyncio sets this only for sockets made with a protocol number; without it, each response waits 40 ms
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._head is not None:
            self._head.cancel()

    def _watch(self) -> None:
        waiting = self.conn.their_state is h11.IDLE
        if waiting and self._head is None:
            self._head = self.loop.call_later(SLOW, self.transport.close)
        elif not waiting and self._head is not None:
            self._head.cancel()
            self._head = None


@contextlib.asynccontextmanager
async def listening(service: StoreService, in_thread: InThread) -> AsyncIterator[str]:
    """Serve HTTP as configured and yield the address. Raises ConfigError if it may not or cannot listen there."""
    wanted = settings().serve
    bound = _bound(wanted.host, wanted.port)
    metrics, hook, owners = Metrics(), Webhook(), operations.Owners(service)
    service.recalled, service.failed = metrics.recalled, hook.report
    service.close_others = owners.close
    api = Api(owners, in_thread, metrics, hook.report)
    mcp = mcp_server.build(service, in_thread, None, _of_session, wanted.tools == "full", api.allowance)
    transport = mcp.streamable_http_app(
        max_request_body_size=BODY,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # done by the guard
    )

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with mcp.session_manager.run():
            yield

    def done(scope: Scope, status: int, seconds: float) -> None:
        route = str(getattr(scope.get("route"), "path", "none"))
        metrics.count(scope["method"] if scope["method"] in _METHODS else "other", route, status, seconds)

    app = build(api, lifespan)
    app.router.routes.extend(transport.routes)
    guard = Guard(app, [wanted.host, *wanted.hosts], wanted.origins, done, hook.report)
    config = uvicorn.Config(
        guard,
        http=_Protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        h11_max_incomplete_event_size=32_768,
        timeout_graceful_shutdown=_GRACE,
    )
    server = _Server(config)
    work = asyncio.create_task(server.serve([bound]))
    try:
        while not server.started and not work.done():
            await asyncio.sleep(0.01)
        if work.done():
            raise ConfigError("the HTTP server did not start; see the log beside the socket")
        host, port = bound.getsockname()[:2]
        yield f"http://{f'[{host}]' if ':' in host else host}:{port}"
    finally:
        api.stop.set()
        server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait({work})
        if work.done() and not work.cancelled() and (failed := work.exception()) is not None:
            _log.error("the HTTP server failed", exc_info=failed)
        owners.close()
        bound.close()


_METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")


def _of_session(context: Context) -> str:
    """Return the name of an MCP connection: its key and session, or its key and the day without a session."""
    request: Any = context.request_context.request
    scope: Mapping[str, object] = getattr(request, "scope", {})
    key, session = scope.get(KEY), (context.headers or {}).get("mcp-session-id")
    name = of_today(key) if isinstance(key, Key) else ""
    return f"{name}/{session}" if session else name


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address.

    Raises ConfigError if the address is taken, or if other machines would reach it without keys and allowed hosts.
    """
    try:
        of_this_machine = ipaddress.ip_address(host).is_loopback
    except ValueError:
        of_this_machine = host == "localhost"
    if not of_this_machine:
        if not settings().serve.hosts:
            raise ConfigError(
                f"serve.host {host} is reachable from other machines: set serve.hosts to the names they use, and put"
                " a TLS proxy in front of it"
            )
        if not stored():
            raise ConfigError(f"serve.host {host} needs a key first: `curator serve --new-key NAME` makes one")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        raise ConfigError(
            f"cannot listen at {host}, port {port} ({error.strerror or error}); set serve.port to a free one"
        ) from error
