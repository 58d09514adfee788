"""Client of the resident process. Imports little, and only from the standard library, because prompts wait for it.

A connection begins with a JSON line from the server (the greeting) and one from the client (the request); the rest
depends on the request. The server listens on a Unix socket in a folder that only its user can enter, or, on systems
without Unix sockets (Windows), on a loopback port protected by a token. A file next to the store contains the socket's
path, or the port and the token, so that processes with another environment, such as cron jobs, find the same server.
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

from curator import __version__, folders

TYPE_CHECKING = False  # typing takes 3 ms to import
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

PROTOCOL = 1
"""Version of the protocol, to be incremented on incompatible changes of requests or replies."""
CONNECT = 1.0
"""Seconds to wait for the greeting, which a busy server sends immediately too."""
ANSWER = 30.0
"""Seconds to wait for a reply."""
LOOK = 5.0
"""Seconds without a line before the client checks, by another connection, that a working server still responds."""
UNIX = hasattr(socket, "AF_UNIX") and sys.platform != "win32"
SERVED = ("recall", "search", "context", "check")
"""Commands that the resident process can run for the command line."""
OUTPUT_VARIABLES = ("NO_COLOR", "TERM", "COLORTERM", "LANG", "COLUMNS")
"""Environment variables that change the output of these commands."""
STARTED = 20.0
"""Seconds that a new server may take until it greets."""
AGAIN = 5.0
"""Seconds without a greeting after which another server is started."""


class Unreachable(Exception):
    """No resident process is available, or it has another version, store or settings."""


class Hung(Unreachable):
    """The resident process exists but does not respond, because it was suspended or hangs."""

    def __init__(self, connected: socket.socket) -> None:
        who, remedy = "the background process", "end it yourself"
        with contextlib.suppress(OSError, AttributeError):  # not all systems tell the peer's process
            found = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            pid = int.from_bytes(found[:4], sys.byteorder)
            who, remedy = f"{who} {pid}", f"`kill -9 {pid}` ends it"
        super().__init__(f"{who} does not answer; {remedy}")


class Late(Unreachable):
    """The resident process did not answer in time, but may still do so."""


class Connection:
    """An open connection to the resident process, whose greeting contains its version, protocol and store.

    A server that is not `ready` is still loading the index and the model, and answers afterwards.
    """

    def __init__(self, connected: socket.socket, wait: float = CONNECT) -> None:
        self.socket = connected
        self._rest = bytearray()  # received after the last complete line
        try:
            row = json.loads(next(self.lines(wait, lambda: False), b""))
            self.version, self.protocol, self.store = str(row["curator"]), int(row["protocol"]), str(row["store"])
            self.pid, self.ready = int(row["pid"]), bool(row.get("ready", True))
        except TimeoutError as error:
            hung = Hung(connected)
            self.close()
            raise hung from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            self.close()
            raise Unreachable(f"no greeting: {error}") from error

    def is_current(self) -> bool:
        """Return True if the server has the same version as this client."""
        return self.version == __version__ and self.protocol == PROTOCOL

    def send(self, request: Mapping[str, object]) -> None:
        """Send one line. Raises OSError."""
        self.socket.sendall(json.dumps(request).encode() + b"\n")

    def receive(self, wait: float = ANSWER) -> dict[str, object]:
        """Return the server's next line. Raises Unreachable if the server ended or hangs, Late after `wait` seconds."""
        try:
            reply = json.loads(next(self.lines(wait), b""))
        except (OSError, ValueError) as error:
            late = isinstance(error, TimeoutError)
            raise (Late if late else Unreachable)(f"no reply: {error}") from error
        if not isinstance(reply, dict):
            raise Unreachable("no reply")
        return reply

    def lines(self, wait: float = float("inf"), owed: Callable[[], bool] = lambda: True) -> Iterator[bytes]:
        """Yield complete lines until the server closes the connection.

        Raises OSError, TimeoutError after `wait` seconds, and Hung if the server owes a line and does not greet new
        connections, which even a busy server does.
        """
        until, searched = time.monotonic() + wait, 0
        while True:
            if end := self._rest.find(b"\n", searched) + 1:
                line, searched = bytes(self._rest[:end]), 0
                del self._rest[:end]
                yield line
                continue
            searched = len(self._rest)  # a line may have megabytes
            self.socket.settimeout(min(max(until - time.monotonic(), 0.001), LOOK))
            try:
                got = self.socket.recv(65_536)
            except TimeoutError:
                if time.monotonic() >= until:
                    raise
                if owed():
                    connect(LOOK).close()
                continue
            if not got:
                return
            self._rest += got

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(OSError):
            self.socket.close()


def store_path() -> str:
    """Return the real path of the person's store."""
    return os.path.realpath(f"{folders.data()}/store")


def runtime_folder() -> str:
    """Return the folder of sockets: in XDG_RUNTIME_DIR, else a private folder in the temporary folder."""
    given = os.environ.get("XDG_RUNTIME_DIR")
    if given:
        return f"{given}/curator"
    # not tempfile.gettempdir(): it writes a test file, which fails on a full disk
    return f"{os.environ.get('TMPDIR', '/tmp')}/curator-{os.getuid()}"


def socket_path(store: str) -> str:
    """Return the path of the socket for a new server of a store, given the store's real path.

    The path is short and outside of the person's folders: the limit is 104 bytes on macOS and 108 elsewhere, and not
    every file system supports sockets.
    """
    return f"{runtime_folder()}/{zlib.crc32(os.fsencode(store)):08x}.sock"


def address_file(store: str) -> str:
    """Return the file with the socket path, or port and token, of a store's server."""
    return f"{os.path.dirname(store)}/serve.address"  # noqa: PTH120, no pathlib here


def lock_file(store: str) -> str:
    """Return the file that a store's server keeps locked while it runs."""
    return f"{os.path.dirname(store)}/serve.lock"  # noqa: PTH120, no pathlib here


def log_file(store: str) -> str:
    """Return the log file of a store's server."""
    if not UNIX:
        return f"{os.path.dirname(store)}/serve.log"  # noqa: PTH120, no pathlib here
    return f"{socket_path(store).removesuffix('.sock')}.log"


def connect(wait: float = CONNECT) -> Connection:
    """Connect to the server of the person's store. Raises Unreachable."""
    store = store_path()
    try:
        with open(address_file(store), encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123
            address = file.read()
        with contextlib.ExitStack() as opened:
            if UNIX:
                folder = os.path.dirname(address)  # noqa: PTH120, no pathlib here
                if os.stat(folder).st_uid != os.getuid():  # noqa: PTH116
                    raise Unreachable(f"{folder} belongs to someone else")
                connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                opened.callback(connected.close)
                connected.settimeout(wait)
                connected.connect(address)
            else:
                port, token = address.split()
                connected = socket.create_connection(("127.0.0.1", int(port)), wait)
                opened.callback(connected.close)
                connected.sendall(token.encode() + b"\n")
            opened.pop_all()
    except (OSError, ValueError) as error:
        raise Unreachable(str(error)) from error
    connection = Connection(connected, wait)
    if connection.store != store or connection.protocol > PROTOCOL:
        connection.close()
        raise Unreachable(f"the server there is of {connection.store}")
    return connection


def connect_current(wait: float = CONNECT) -> Connection:
    """Connect to a server of this version, asking a server of another version to exit. Raises Unreachable."""
    connection = connect(wait)
    if connection.is_current():
        return connection
    with contextlib.suppress(OSError, Unreachable):
        connection.send({"do": "stop"})
        connection.receive(wait)
    connection.close()
    raise Unreachable(f"the server was of version {connection.version}, and was asked to stop")


def is_running() -> bool:
    """Return True if a server of the person's store has started, even if it does not respond."""
    from pathlib import Path

    from filelock import FileLock, Timeout

    lock = Path(lock_file(store_path()))
    try:
        if not lock.exists():
            return False
        with FileLock(lock, timeout=0):
            return False
    except Timeout:
        return True
    except OSError:  # the folder belongs to another user
        return False


def start(*module: str) -> None:
    """Start a server, or another module with its arguments, as a detached process without waiting for it.

    If several servers are started at once, only one keeps running.
    """
    import subprocess

    detached: dict[str, object] = {"start_new_session": True}
    if sys.platform == "win32":
        detached = {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.DETACHED_PROCESS}
    subprocess.Popen(  # type: ignore[call-overload]
        [sys.executable, "-P", "-m", *(module or ("curator", "serve"))],  # -P: this folder may hold a package curator
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folders.data() if os.path.isdir(folders.data()) else None,  # noqa: PTH112, no pathlib here
        close_fds=True,
        **detached,
    )


def reach() -> Connection:
    """Connect, starting a server if there is none, and wait for it. Raises Unreachable."""
    until, again = time.monotonic() + STARTED, 0.0
    while True:
        try:
            return connect_current()
        except Unreachable:
            if time.monotonic() > until:
                raise
        if time.monotonic() >= again:  # the first one exits if an older server has not released the lock
            start()
            again = time.monotonic() + AGAIN
        time.sleep(0.05)


def variables() -> dict[str, str]:
    """Return the environment variables that affect settings; a server with other values cannot serve this client."""
    others = ("CURATOR_HOME", "CURATOR_CACHE", "CURATOR_ERROR_WEBHOOK")
    return {name: os.environ[name] for name in os.environ if name.startswith("CURATOR_") and name not in others}


def run(arguments: Sequence[str]) -> int | None:
    """Run a command in the server and print its output; return the exit code, or None if the server cannot run it.

    Raises OSError if the output cannot be written.
    """
    if arguments[0] not in SERVED or any(word.startswith("--batch") for word in arguments):
        return None  # the server has another working folder, so relative file names would differ
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
        sys.stdin = io.StringIO(text)  # so that this process can run the command if the server fails
        connection.send(
            {
                "do": "run",
                "arguments": list(arguments),
                "input": text,
                "settings": variables(),
                "terminal": [stream.isatty() for stream in (sys.stdout, sys.stderr)],
                "environment": {name: os.environ[name] for name in OUTPUT_VARIABLES if name in os.environ},
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
        try:
            stream.write(str(reply.get(name, "")))
            stream.flush()
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # discard buffered output
            if isinstance(error, BrokenPipeError):  # the reader closed the pipe
                return 1
            raise
    return code
