"""A stand-in for a resident process of another version, or one that hangs."""

import json
import socket
import threading
from pathlib import Path

from filelock import FileLock

from curator.paths import store_folder
from curator.serve import client


def listener() -> socket.socket:
    """Return a socket that listens where clients look for the server."""
    store = client.store_path()
    path = Path(client.socket_path(store))
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    Path(client.address_file(store)).write_text(str(path))
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))
    listening.listen()
    return listening


class FakeServer(threading.Thread):
    """A server that greets as another version, or not at all, and ends when asked to."""

    def __init__(self, version: str | None) -> None:
        super().__init__(daemon=True)
        self.version = version
        self.lock = FileLock(client.lock_file(client.store_path()), thread_local=False)
        self.lock.acquire()
        self.socket = listener()
        self.asked: list[str] = []

    def run(self) -> None:
        """Answer one connection at a time until the socket is closed."""
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            if self.version is None:
                continue
            greeting = {"curator": self.version, "protocol": 1, "store": str(store_folder().resolve()), "pid": 1}
            connection.sendall(json.dumps(greeting).encode() + b"\n")
            self.asked.append(json.loads(connection.makefile().readline())["do"])
            connection.sendall(b'{"stopping": true}\n')
            self.end()

    def end(self) -> None:
        """Close the socket and release the lock."""
        self.socket.close()
        self.lock.release()
