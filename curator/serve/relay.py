"""MCP over standard input and output, for hosts that start a process for it. Standard library only.

The relay copies lines between its host and the resident process, which it starts if there is none. When the server has
left, it connects again at the host's next line, says again how the session began, and asks again what had no answer:
every tool may be called twice.
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
_TRIES = 2  # servers that may end while they answer a request; it may be the reason
_KEPT = 100  # lines without an id at most that a server is told later
_LAST = 5.0  # seconds to wait for the last answers when the host has closed its side


def relay() -> int:
    """Relay MCP until standard input ends."""
    _Relay(sys.stdin.buffer, sys.stdout.buffer).run()
    return 0


class _Relay:
    """One host's session: the lines that began it, and the requests without an answer, by id."""

    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._source, self._target = source, target
        self._opening: list[bytes] = []
        self._waiting: dict[str, bytes] = {}
        self._asked: dict[str, int] = {}  # how often each of these was sent to a server
        self._repeated: set[str] = set()  # ids of opening lines said again, whose answers the host has had
        self._unsent: deque[bytes] = deque(maxlen=_KEPT)  # other lines, said while there is no server
        self._changed = threading.Condition()
        self._connection: Connection | None = None
        self._wanted = False  # the host has said something that no server has read
        self._ended = False

    def run(self) -> None:
        """Relay until the host has closed its side and has the answers to what it asked."""
        threading.Thread(target=self._connect, daemon=True).start()
        for line in self._source:
            if line.strip():
                self._say(line)
        with self._changed:
            self._ended = True
            self._changed.wait_for(lambda: not self._waiting, _LAST)
        with contextlib.suppress(OSError):
            self._target.flush()
        os._exit(0)  # the other thread may wait for a server

    def _say(self, line: bytes) -> None:
        """Send a line of the host to the server, or keep it for the next one."""
        try:
            json.loads(line.decode(errors="replace"))
        except (ValueError, RecursionError):  # also if it is nested too deep
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
                except OSError:  # said again to the next server; this one may have read the half of it
                    if ident not in self._waiting and line not in self._opening:
                        self._unsent.append(line)
                    with contextlib.suppress(OSError):
                        self._connection.socket.shutdown(socket.SHUT_RDWR)
            self._wanted = True
            self._changed.notify_all()

    def _connect(self) -> None:
        """Keep a connection while the host asks; say why if there can be none."""
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
        """Say again how the session began and what has no answer. Raises OSError."""
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
        """Write a line of the server to the host, unless it answers what was answered before."""
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
        """Answer these requests with an error that names the remedy; a server is wanted while others are open."""
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
    """Return the id and the method of a message; an answer has no method, a notification no id.

    What is no id of MCP is none: no answer could name it.
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
