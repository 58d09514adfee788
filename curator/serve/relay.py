"""MCP over standard input and output, for hosts that start a process for it. Standard library only.

The relay copies lines between its host and the resident process, which it starts if necessary. If the server exits, the
relay reconnects at the host's next line, replays the lines that opened the session, and sends unanswered requests
again; a tool may therefore be called twice.
"""

import contextlib
import json
import os
import socket
import sys
import threading
from collections import deque
from pathlib import Path
from typing import BinaryIO

from curator.serve import client
from curator.serve.client import Connection, Unreachable

_INTERNAL, _PARSE = -32603, -32700  # JSON-RPC's codes for a server's error, and for a line that is not JSON
_TRIES = 2  # servers that may exit while answering a request before it fails, since it may be the cause
_KEPT = 100  # maximum lines without an id that are kept while no server is connected
_LAST = 5.0  # seconds to wait for the last answers after the host has closed its side


def relay() -> int:
    """Relay MCP until standard input ends."""
    _Relay(sys.stdin.buffer, sys.stdout.buffer).run()
    return 0


class _Relay:
    """The session of a host: its opening lines, and its unanswered requests by id."""

    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._source, self._target = source, target
        self._opening: list[bytes] = []
        self._waiting: dict[str, bytes] = {}
        self._asked: dict[str, int] = {}  # number of times each unanswered request was sent
        self._repeated: set[str] = set()  # ids of replayed opening lines, whose answers the host already has
        self._unsent: deque[bytes] = deque(maxlen=_KEPT)  # other lines received while no server is connected
        self._changed = threading.Condition()
        self._connection: Connection | None = None
        self._wanted = False  # True if there are lines that no server has received
        self._ended = False

    def run(self) -> None:
        """Relay until the host has closed its side and all of its requests are answered."""
        threading.Thread(target=self._connect, daemon=True).start()
        for line in self._source:
            if line.strip():
                self._say(line)
        with self._changed:
            self._ended = True
            self._changed.wait_for(lambda: not self._waiting, _LAST)
        with contextlib.suppress(OSError):
            self._target.flush()
        os._exit(0)  # the other thread may be waiting for a server

    def _say(self, line: bytes) -> None:
        """Send a line of the host to the server, or keep it for the next server."""
        try:
            json.loads(line.decode(errors="replace"))
        except (ValueError, RecursionError):  # RecursionError: nested too deeply
            with self._changed:
                self._refuse(None, _PARSE, "Parse error: this line is not JSON")
                self._target.flush()
            return
        ident, method = _parts(line)
        with self._changed:
            if ident is not None and method is not None:
                self._waiting[ident] = line
            if method in ("initialize", "notifications/initialized"):
                self._opening.append(line)
            elif self._connection is None and ident not in self._waiting:
                self._unsent.append(line)
            if self._connection is not None:
                if ident in self._waiting:
                    self._asked[ident] = 1
                try:
                    self._connection.socket.sendall(line)
                except OSError:  # the line is sent again to the next server
                    if ident not in self._waiting and line not in self._opening:
                        self._unsent.append(line)
                    with contextlib.suppress(OSError):
                        self._connection.socket.shutdown(socket.SHUT_RDWR)
            self._wanted = True
            self._changed.notify_all()

    def _connect(self) -> None:
        """Stay connected while the host needs it; fail its requests if no server can be reached."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._wanted)
            try:
                connection = client.reach()
            except (Unreachable, OSError) as error:
                self._fail(list(self._waiting), f"cannot be reached ({error})")
                continue
            with contextlib.suppress(OSError, Unreachable):
                self._begin(connection)
                for line in connection.lines(owed=lambda: bool(self._waiting)):
                    self._answer(line)
            with self._changed:
                self._connection = None
            connection.close()
            self._fail([ident for ident, times in self._asked.items() if times >= _TRIES], "ended while it answered")

    def _begin(self, connection: Connection) -> None:
        """Replay the opening lines and the unanswered requests. Raises OSError."""
        connection.socket.settimeout(client.LOOK)
        with self._changed:
            folder = os.environ.get("CLAUDE_PROJECT_DIR") or str(Path.cwd())
            connection.send({"do": "mcp", "folder": folder})
            for line in self._opening:
                ident, _ = _parts(line)
                if ident is not None and ident not in self._waiting:
                    self._repeated.add(ident)
                connection.socket.sendall(line)
            for ident, line in self._waiting.items():
                self._asked[ident] = self._asked.get(ident, 0) + 1
                if line not in self._opening:
                    connection.socket.sendall(line)
            while self._unsent:
                connection.socket.sendall(self._unsent[0])
                self._unsent.popleft()
            self._connection, self._wanted = connection, False

    def _answer(self, line: bytes) -> None:
        """Write a line of the server to the host, unless it is a duplicate answer."""
        ident, method = _parts(line)
        with self._changed:
            known = method is None and ident in self._repeated
            self._repeated -= {ident} if known else set()
        if not known:
            self._target.write(line)
            self._target.flush()
        if ident is not None and method is None:
            with self._changed:
                self._waiting.pop(ident, None)
                self._asked.pop(ident, None)
                self._changed.notify_all()

    def _fail(self, idents: list[str], why: str) -> None:
        """Answer these requests with an error."""
        message = f"Curator's server {why}; run `curator serve` in a terminal to see why"
        with self._changed:
            failed = [line for ident in idents if (line := self._waiting.pop(ident, None)) is not None]
            for ident in idents:
                self._asked.pop(ident, None)
            self._wanted = bool(self._waiting)
            self._changed.notify_all()
        for line in failed:
            self._refuse(json.loads(line)["id"], _INTERNAL, message)
        self._target.flush()

    def _refuse(self, ident: object, code: int, message: str) -> None:
        """Write an error to the host."""
        row = {"jsonrpc": "2.0", "id": ident, "error": {"code": code, "message": message}}
        self._target.write(json.dumps(row).encode() + b"\n")


def _parts(line: bytes) -> tuple[str | None, str | None]:
    """Return the id and the method of a message; responses have no method, notifications no id.

    An id of an invalid type counts as none.
    """
    try:
        row = json.loads(line)
    except ValueError:
        return None, None
    if not isinstance(row, dict):
        return None, None
    ident, method = row.get("id"), row.get("method")
    named = isinstance(ident, str | int) and not isinstance(ident, bool)
    return json.dumps(ident) if named else None, method if isinstance(method, str) else None
