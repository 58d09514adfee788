"""The resident process: one per store, reached by `curator.serve.client`.

The server greets each connection, reads a request, and answers with one line; after the request `mcp` the connection
speaks MCP. Requests are processed one at a time in a thread, since a search uses all processors. The process exits
after half an hour without requests.
"""

import asyncio
import contextlib
import importlib
import json
import logging
import os
import secrets
import socket
import struct
import time
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from logging.handlers import RotatingFileHandler
from pathlib import Path

from filelock import FileLock, Timeout

from curator import __version__
from curator.errors import ConfigError, ModelError, Refused
from curator.paths import store_folder
from curator.serve import client
from curator.serve.client import PROTOCOL
from curator.serve.command_runner import Command, run_command
from curator.serve.error_log import LocationFormatter, frames
from curator.serve.store_service import StoreService
from store import StoreError

IDLE = 30 * 60.0
"""Seconds without a request until the process exits."""
QUIET = 2.0
"""Seconds without a request until the search index is updated."""
LONGEST = 4 * 1024 * 1024
"""Maximum bytes of a request."""
_TOKEN = 32
_LEAVING = 10.0  # seconds to wait for another server that was asked to exit
_CLOSING = 2.0  # seconds that open connections may take to close when the process exits
_LOOKED = 0.5  # seconds to wait for the lock while another process checks whether a server is running
_log = logging.getLogger(__name__)

Request = dict[str, object]
Reply = dict[str, object]


class Busy(Exception):
    """Another process serves this store."""


@dataclass
class Served:
    """Statistics of a running server, returned by `status`."""

    started: float = field(default_factory=time.time)
    last: float = field(default_factory=time.monotonic)
    requests: int = 0


async def serve(
    command: Command,
    idle: float = IDLE,
    ready: Callable[[str], None] = lambda address: None,
    http: bool = False,
) -> None:
    """Serve the person's store until asked to stop or idle. Raises Busy, StoreError, OSError.

    `command` runs a command of the command line and returns its exit code. With `http` or the setting, HTTP is served
    too; the process then does not exit when idle, since HTTP clients cannot start it. `ready` is called with the HTTP
    address, or "", once everything is loaded. An error of HTTP raises ConfigError with `http`; otherwise it is logged.
    """
    path = client.store_path()
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(client.lock_file(path), timeout=_LEAVING if http else _LOOKED)
    try:
        lock.acquire()
    except Timeout:
        raise Busy(f"another process serves {store_folder()}; `curator serve --status` tells which") from None
    try:
        if client.UNIX:
            create_runtime_folder()
        log = RotatingFileHandler(client.log_file(path), maxBytes=200_000, backupCount=1, delay=True)
        log.setFormatter(LocationFormatter("%(asctime)s %(name)s %(message)s"))
        logging.basicConfig(handlers=[log], level=logging.WARNING)
        with contextlib.closing(StoreService()) as service:
            await Server(service, command).run(idle, ready, http)
    finally:
        lock.release()


def create_runtime_folder() -> None:
    """Create the folder of sockets with mode 0700. Raises OSError if it belongs to another user."""
    folder = Path(client.runtime_folder())
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if client.UNIX:
        found = folder.lstat()
        if found.st_uid != os.getuid() or folder.is_symlink():
            raise PermissionError(f"{folder} belongs to someone else; delete it, or set XDG_RUNTIME_DIR")
        if found.st_mode & 0o077:
            folder.chmod(0o700)


class Server:
    """The connections of a resident process."""

    def __init__(self, service: StoreService, command: Command) -> None:
        self.service = service
        self.served = Served()
        self._stop = asyncio.Event()
        self._connections: set[asyncio.Task[None]] = set()
        self._token = ""
        self._http = ""  # address of the HTTP server
        self._ready = False
        self._loading: asyncio.Task[object] | None = None
        self._opened = contextlib.AsyncExitStack()  # resources to close at the end
        self._opening = asyncio.Lock()
        self._work = ThreadPoolExecutor(1, "serve")
        self._upkeep: asyncio.Task[None] | None = None
        self._left: deque[Callable[[], None]] = deque()
        service.later = self.later
        self._handlers: dict[str, Callable[[Request], Reply]] = {
            "recall": service.recall,
            "search": service.search,
            "context": service.context,
            "propose": service.propose,
            "hook": service.hook,
            "drop": service.drop,
            "run": lambda request: run_command(service, command, request),
        }

    async def run(self, idle: float, ready: Callable[[str], None], http: bool) -> None:
        """Listen until stopped or idle."""
        server = await self._listen()
        try:
            async with self._opened:
                await self._in_thread(self.service.warm)
                self._ready = True
                await self._open_http(http)
                self.served.last = time.monotonic()  # loading, which may take long, does not count as idle time
                ready(self._http)
                loading = asyncio.to_thread(
                    importlib.import_module, "curator.services.session_recap"
                )  # for the first session
                self._loading = asyncio.create_task(loading)
                while not self._stop.is_set():
                    left = 60.0 if self._http else idle - (time.monotonic() - self.served.last)
                    if left <= 0:  # open but silent relays do not keep the process alive; they can reconnect
                        break
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._stop.wait(), max(left, 1.0))
        finally:
            server.close()
            self._stop.set()
            await asyncio.to_thread(self._work.shutdown, cancel_futures=True)  # the request at work is answered
            for connection in self._connections:  # assistants never close theirs
                connection.cancel()
            if self._connections:
                await asyncio.wait(self._connections, timeout=_CLOSING)
            with contextlib.suppress(TimeoutError):  # from Python 3.12 on, this waits for clients that do not read
                await asyncio.wait_for(server.wait_closed(), _CLOSING)
        self._do_left()

    async def _listen(self) -> asyncio.Server:
        """Start listening, and write the address to the file next to the store."""
        store = client.store_path()
        if client.UNIX:
            path = Path(client.socket_path(store))
            path.unlink(missing_ok=True)
            server = await asyncio.start_unix_server(self._connected, path, limit=LONGEST)
            path.chmod(0o600)
            self._opened.callback(path.unlink, missing_ok=True)
            address = str(path)
        else:
            self._token = secrets.token_hex(_TOKEN)
            server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=LONGEST)
            address = f"{server.sockets[0].getsockname()[1]} {self._token}"
        file = Path(client.address_file(store))
        file.unlink(missing_ok=True)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as stream:
            stream.write(address)
        self._opened.callback(file.unlink, missing_ok=True)
        return server

    def later(self, work: Callable[[], None]) -> None:
        """Queue work to run after the current answer and before the next request; the rest runs before exit."""
        self._left.append(work)
        with contextlib.suppress(RuntimeError):  # the server ends, and does the rest itself
            self._work.submit(self._do_left)

    def _do_left(self) -> None:
        while self._left:
            try:
                self._left.popleft()()
            except Exception:  # boundary: no client waits for this work
                _log.exception("what was left for later failed")

    async def _open_http(self, wanted: bool) -> None:
        """Serve HTTP if wanted, or by the settings. Raises ConfigError."""
        from curator.config import settings

        if not (wanted or settings().serve.http):
            return
        try:
            await asyncio.to_thread(importlib.import_module, "curator.serve.http.listener")  # two seconds
            from curator.serve.http.listener import listening

            async with self._opening:
                if not self._http:
                    self._http = await self._opened.enter_async_context(listening(self.service, self._counted))
        except ConfigError as error:
            if wanted:
                raise
            _log.warning("no HTTP: %s", error)

    async def _serve_http(self, request: Request) -> Reply:
        """Start serving HTTP, and return its address or an error. A client with other settings is refused."""
        if request.get("settings") != client.variables():
            return {"other_settings": True}
        already = bool(self._http)
        try:
            await self._in_thread(self.service.offers)  # rereads the settings
            await self._open_http(True)
        except ConfigError as error:
            return {"error": str(error)}
        return {"http": self._http, "already": already}

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or self._stop.is_set():  # the process is exiting
            writer.close()
            return
        self._connections.add(task)
        try:
            if not await self._allowed(reader, writer):
                return
            await _send(writer, self._greeting())
            line = await reader.readline()
            request = json.loads(line or "{}")
            if line and isinstance(request, dict):
                await self._answer(request, reader, writer)
        except (OSError, ValueError, RecursionError, asyncio.IncompleteReadError) as error:
            _log.info("a connection ended: %s", error)
        finally:
            self._connections.discard(task)
            writer.close()

    async def _allowed(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Return True for this user's processes: by the socket's credentials, or by the token."""
        if not client.UNIX:
            line = await asyncio.wait_for(reader.readline(), client.CONNECT)
            return secrets.compare_digest(line.strip(), self._token.encode())
        if not hasattr(socket, "SO_PEERCRED"):
            return True  # the folder's permissions exclude other users
        found = writer.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        _, user, _ = struct.unpack("3i", found)
        return bool(user == os.getuid())

    def _greeting(self) -> Reply:
        store = client.store_path()
        return {
            "curator": __version__,
            "protocol": PROTOCOL,
            "store": store,
            "pid": os.getpid(),
            "ready": self._ready,
        }

    async def _answer(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wanted = request.get("do")
        if wanted == "status":
            await _send(writer, self._status())
            return
        if wanted == "stop":
            await _send(writer, {"stopping": True})
            self._stop.set()
            return
        if wanted == "http":
            await _send(writer, await self._serve_http(request))
            return
        self._count()
        if wanted == "mcp":
            await asyncio.to_thread(importlib.import_module, "curator.serve.mcp_server")  # a second
            from curator.serve.mcp_server import serve_stream

            folder = request.get("folder")
            await serve_stream(self.service, self._counted, folder if isinstance(folder, str) else None, reader, writer)
        elif isinstance(wanted, str) and wanted in self._handlers:
            handler, wait = self._handlers[wanted], request.get("wait")
            if isinstance(wait, float | int):
                request["until"] = time.monotonic() + wait
            try:
                reply = await self._in_thread(lambda: handler(request))
            except Exception as error:  # boundary: the client is told what failed
                kind, place = type(error).__name__, frames(error).partition(" < ")[0]
                known = isinstance(error, StoreError | ModelError | ConfigError | Refused | ValueError)
                if not known:
                    _log.exception("a request failed")
                reply = {"error": str(error) if known else f"{kind} at {place}", "kind": kind, "place": place}
            await _send(writer, reply)
        else:
            await _send(writer, {"error": f"unknown request {wanted!r}"})
        self.served.last = time.monotonic()

    def _count(self) -> None:
        """Count a request, which resets the idle timer."""
        self.served.requests += 1
        self._plan_upkeep()

    def _plan_upkeep(self) -> None:
        self.served.last = time.monotonic()
        if self._upkeep is None or self._upkeep.done():
            self._upkeep = asyncio.create_task(self._update_index())

    async def _update_index(self) -> None:
        """Index changes once the server is idle, since a search that merges 1,000 changes takes twice as long."""
        seen = None
        while seen != self.served.last:  # requests in between may have added memories
            while (left := self.served.last + QUIET - time.monotonic()) > 0:
                await asyncio.sleep(left)
            seen = self.served.last
            await asyncio.to_thread(self.service.update_index)

    async def _counted(self, work: Callable[[], Reply]) -> Reply:
        self._count()
        try:
            return await self._in_thread(work)
        finally:
            self._plan_upkeep()

    def _in_thread(self, work: Callable[[], Reply]) -> Awaitable[Reply]:
        return asyncio.get_running_loop().run_in_executor(self._work, work)

    def _status(self) -> Reply:
        held = 0  # bytes of memory, if the system reports them
        with contextlib.suppress(OSError, ValueError, IndexError):
            held = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        return {
            "pid": os.getpid(),
            "version": __version__,
            "store": str(store_folder()),
            "seconds": round(time.time() - self.served.started),
            "requests": self.served.requests,
            "connections": len(self._connections) - 1,
            "memory": held,
            "http": self._http,
        }


async def _send(writer: asyncio.StreamWriter, reply: Reply) -> None:
    writer.write(json.dumps(reply).encode() + b"\n")
    await writer.drain()
