"""Client of the resident process. Imports the standard library only, and little of it: prompt hooks wait for it.

A connection begins with one JSON line of the server, its greeting, and one of the client, its request; what follows
depends on the request. The server listens on a Unix socket in a folder that only its user may enter; where there are
none (Windows) on a port of the loopback address, with a token from a file beside the store.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import socket
import sys
import time
import zlib
from typing import TYPE_CHECKING

from curator import __version__
from curator.paths import store_folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

PROTOCOL = 1
"""Version of the requests and replies; increased when an older client or server would misread them."""
CONNECT = 1.0
"""Seconds to wait for the greeting: a server that is busy still greets at once."""
ANSWER = 30.0
"""Seconds to wait for a reply."""
UNIX = hasattr(socket, "AF_UNIX") and sys.platform != "win32"
SERVED = ("recall", "search", "context", "check")
"""Commands that the resident process can run for the command line."""
STARTED = 20.0
"""Seconds until a started server should greet: it loads the index and the model of the embedder first."""


class Unreachable(Exception):
    """No resident process answers, or it belongs to another version, store or settings."""


class Connection:
    """An open connection to the resident process: its greeting says its version, protocol and store."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self.reader = connected.makefile("rb")
        try:
            row = json.loads(self.reader.readline())
            self.version, self.protocol, self.store = str(row["curator"]), int(row["protocol"]), str(row["store"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            self.close()
            raise Unreachable(f"no greeting: {error}") from error

    def send(self, request: Mapping[str, object]) -> None:
        """Send one line. Raises OSError."""
        self.socket.sendall(json.dumps(request).encode() + b"\n")

    def receive(self, wait: float = ANSWER) -> dict[str, object]:
        """Return the next line of the server. Raises Unreachable if it ended, or did not answer in time."""
        self.socket.settimeout(wait)
        try:
            line = self.reader.readline()
            reply = json.loads(line)
        except (OSError, ValueError) as error:
            raise Unreachable(f"no reply: {error}") from error
        if not isinstance(reply, dict):
            raise Unreachable("no reply")
        return reply

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(OSError):
            self.reader.close()
            self.socket.close()


def runtime_folder() -> Path:
    """Return the folder of sockets: below XDG_RUNTIME_DIR, else the user's own in the temporary folder."""
    from pathlib import Path

    given = os.environ.get("XDG_RUNTIME_DIR")
    if given:
        return Path(given) / "curator"
    # not tempfile's: that writes a file to find out, which a full disk refuses
    return Path(os.environ.get("TMPDIR", "/tmp")) / f"curator-{os.getuid()}"


def address(store: Path) -> Path:
    """Return the socket of a store's server or, without Unix sockets, the file with its port and token."""
    if not UNIX:
        return store.parent / "serve.port"
    real = os.path.realpath(store)
    return runtime_folder() / f"{zlib.crc32(os.fsencode(real)):08x}.sock"


def connect(wait: float = CONNECT) -> Connection:
    """Connect to the server of the person's store. Raises Unreachable."""
    store = store_folder()
    place = address(store)
    try:
        if UNIX:
            if place.parent.stat().st_uid != os.getuid():
                raise Unreachable(f"{place.parent} belongs to someone else")
            connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connected.settimeout(wait)
            connected.connect(str(place))
        else:
            port, token = place.read_text().split()
            connected = socket.create_connection(("127.0.0.1", int(port)), wait)
            connected.sendall(token.encode() + b"\n")
    except (OSError, ValueError) as error:
        raise Unreachable(str(error)) from error
    connection = Connection(connected)
    if connection.store != os.path.realpath(store) or connection.protocol > PROTOCOL:
        connection.close()
        raise Unreachable(f"the server there is of {connection.store}")
    return connection


def connect_current(wait: float = CONNECT) -> Connection:
    """Connect to a server of this version; ask an older one to finish and leave. Raises Unreachable."""
    connection = connect(wait)
    if connection.version == __version__ and connection.protocol == PROTOCOL:
        return connection
    with contextlib.suppress(OSError, Unreachable):
        connection.send({"do": "stop"})
        connection.receive(wait)
    connection.close()
    raise Unreachable(f"the server was of version {connection.version}, and was asked to leave")


def start() -> None:
    """Start a server, detached from this process; do not wait for it. Several started at once leave one."""
    import subprocess

    detached: dict[str, object] = {"start_new_session": True}
    if sys.platform == "win32":
        detached = {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.DETACHED_PROCESS}
    subprocess.Popen(  # type: ignore[call-overload]
        [sys.executable, "-m", "curator", "serve"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=store_folder().parent if store_folder().parent.is_dir() else None,
        close_fds=True,
        **detached,
    )


def reach() -> Connection:
    """Connect, starting a server if there is none, and wait for it. Raises Unreachable."""
    until = time.monotonic() + STARTED
    started = False
    while True:
        try:
            return connect_current()
        except Unreachable:
            if time.monotonic() > until:
                raise
        if not started:
            start()
            started = True
        time.sleep(0.05)


def variables() -> dict[str, str]:
    """Return the environment variables that change settings: a server with other ones cannot answer for us."""
    others = ("CURATOR_HOME", "CURATOR_CACHE", "CURATOR_ERROR_WEBHOOK")
    return {name: value for name, value in os.environ.items() if name.startswith("CURATOR_") and name not in others}


def run(arguments: Sequence[str]) -> int | None:
    """Let the server run a command and print its output; return the exit code, or None if it cannot."""
    if arguments[0] not in SERVED or any(word.startswith("--batch") for word in arguments):
        return None  # the server works in another folder, where a file's name means something else
    try:
        connection = connect()
    except Unreachable:
        return None
    columns = 0
    with contextlib.suppress(OSError, ValueError):
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    try:
        if connection.version != __version__:
            return None
        text = sys.stdin.read() if "-" in arguments else ""
        sys.stdin = io.StringIO(text)  # for the command itself, if the server fails
        connection.send(
            {
                "do": "run",
                "arguments": list(arguments),
                "input": text,
                "settings": variables(),
                "terminal": [stream.isatty() for stream in (sys.stdout, sys.stderr)],
                "environment": {name: os.environ[name] for name in _SHOWN if name in os.environ},
                "columns": columns,
            }
        )
        reply = connection.receive(600)
    except (OSError, Unreachable):
        return None
    finally:
        connection.close()
    code = reply.get("code")
    if not isinstance(code, int):
        return None
    for stream, name in ((sys.stdout, "out"), (sys.stderr, "err")):
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
        stream.write(str(reply.get(name, "")))
    try:
        sys.stdout.flush()
    except OSError:  # the reader closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


_SHOWN = ("NO_COLOR", "TERM", "COLORTERM", "LANG", "TZ")  # variables that change the output
