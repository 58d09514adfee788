"""A stand-in for a resident process that is of another version, or hangs."""

import json
import socket
import threading
from pathlib import Path

from filelock import FileLock

from curator.paths import store_folder
from curator.serve import client


class FakeServer(threading.Thread):
    """A server that greets as another version, or not at all, and leaves when it is asked to."""

    def __init__(self, version: str | None) -> None:
        super().__init__(daemon=True)
        self.version = version
        place = Path(client.address(client.store_path()))
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.lock = FileLock(place.with_suffix(".lock"), thread_local=False)
        self.lock.acquire()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(place))
        self.socket.listen()
        self.asked: list[str] = []

    def run(self) -> None:
        """Answer one connection at a time."""
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
        """Leave."""
        self.socket.close()
        self.lock.release()
