"""MCP over standard input and output, and hooks, for hosts that start a process for each. Standard library only.

The relay copies lines between its host and the resident process, which it starts if there is none. When the server is
replaced, it connects again, says again how the session began, and asks again what had no answer: every tool may be
called twice.
"""

import contextlib
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import BinaryIO

from curator.serve import client
from curator.serve.client import Connection, Unreachable

HOOK = 0.25
"""Seconds that a hook waits for the server."""
_INTERNAL = -32603  # JSON-RPC's code for a server's error
_RETRY = 0.2


def hook(host: str, event: str) -> int:
    """Print what a host's hook is to print. Always 0 and silent on errors: a memory is not worth a broken prompt."""
    with contextlib.suppress(Exception):
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
        try:
            connection = client.connect(HOOK)
        except Unreachable:
            client.start()
            return 0
        connection.send({"do": "hook", "host": host, "event": event, "input": text})
        out = str(connection.receive(HOOK).get("out", ""))
        connection.close()
        if out:
            sys.stdout.write(out + "\n")
            sys.stdout.flush()
    return 0


def relay() -> int:
    """Relay MCP until standard input ends."""
    return _Relay(sys.stdin.buffer, sys.stdout.buffer).run()


class _Relay:
    """One host's session: the lines that began it, and the requests without an answer, by id."""

    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._source, self._target = source, target
        self._opening: list[bytes] = []
        self._open: dict[str, bytes] = {}
        self._hidden: set[str] = set()  # requests said again, whose answers the host has had
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._ended = False

    def run(self) -> int:
        reader = threading.Thread(target=self._to_server, daemon=True)
        reader.start()
        while not self._ended:
            try:
                connection = client.reach()
            except (Unreachable, OSError) as error:
                if not reader.is_alive():
                    break
                self._fail(str(error))
                time.sleep(_RETRY)
                continue
            self._serve(connection)
            if self._ended:
                break
            time.sleep(_RETRY)
        return 0

    def _serve(self, connection: Connection) -> None:
        """Relay one connection until it ends."""
        connection.socket.settimeout(None)
        try:
            with self._lock:
                folder = os.environ.get("CLAUDE_PROJECT_DIR") or str(Path.cwd())
                connection.send({"do": "mcp", "folder": folder})
                for line in self._opening:
                    self._hidden.update(filter(None, [_ident(line)] if _ident(line) not in self._open else []))
                    connection.socket.sendall(line)
                for line in self._open.values():
                    if line not in self._opening:
                        connection.socket.sendall(line)
                self._connection = connection
                if self._ended:
                    return
            for line in connection.reader:
                self._answer(line)
        except OSError:
            pass
        finally:
            with self._lock:
                self._connection = None
            connection.close()

    def _answer(self, line: bytes) -> None:
        ident = _ident(line)
        with self._lock:
            if ident is not None and b'"method"' not in line[:200]:
                self._open.pop(ident, None)
                if ident in self._hidden:
                    self._hidden.discard(ident)
                    return
            self._target.write(line)
            self._target.flush()

    def _to_server(self) -> None:
        """Copy the host's lines to the server; at the end of input, end the session."""
        for line in self._source:
            if not line.strip():
                continue
            with self._lock:
                ident = _ident(line)
                if ident is not None:
                    self._open[ident] = line
                if b'"initialize"' in line or b'"notifications/initialized"' in line:
                    self._opening.append(line)
                if self._connection is not None:
                    with contextlib.suppress(OSError):  # said again to the next server
                        self._connection.socket.sendall(line)
        with self._lock:
            self._ended = True
        self._drain()

    def _drain(self) -> None:
        """Wait briefly for the last answers, then leave: a host that is gone reads nothing."""
        until = time.monotonic() + 2.0
        while self._open and time.monotonic() < until:
            time.sleep(0.01)
        with contextlib.suppress(OSError):
            self._target.flush()
        os._exit(0)

    def _fail(self, why: str) -> None:
        """Answer what is open with an error that names the remedy."""
        message = f"Curator's server does not start: {why}; run `curator serve` in a terminal to see why"
        with self._lock:
            for line in self._open.values():
                row = {"jsonrpc": "2.0", "id": json.loads(line)["id"], "error": {"code": _INTERNAL, "message": message}}
                self._target.write(json.dumps(row).encode() + b"\n")
            self._open.clear()
            self._target.flush()


def _ident(line: bytes) -> str | None:
    """Return the id of a request or an answer; None for a notification."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    found = row.get("id") if isinstance(row, dict) else None
    return None if found is None else json.dumps(found)
