"""A client of a resident process that serves HTTP."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from curator.serve import client
from curator.serve.http.keys import Role, make, revoke, stored


@dataclass(frozen=True)
class Http:
    """Address of a server, with an agent's key and a person's."""

    url: str
    agent: str
    person: str
    session: httpx.Client

    def request(self, method: str, path: str, key: str | None = "agent", **given: Any) -> httpx.Response:
        """Send a request, with the agent's key unless another one or None is given."""
        headers = {**given.pop("headers", {})}
        if key is not None:
            headers["X-API-Key"] = self.agent if key == "agent" else key
        return self.session.request(method, self.url + path, headers=headers, **given)

    def get(self, path: str, key: str | None = "agent", **given: Any) -> httpx.Response:
        """Send a GET with the agent's key, another one, or none."""
        return self.request("GET", path, key, **given)

    def post(self, path: str, body: Any = None, status: int = 200, key: str | None = None) -> dict[str, Any]:
        """Send a POST with the person's key or another one; check the status and return the answer."""
        return self._answer("POST", path, body, status, key)

    def patch(self, path: str, body: Any, status: int = 200) -> dict[str, Any]:
        """Send a PATCH with the person's key; check the status and return the answer."""
        return self._answer("PATCH", path, body, status, None)

    def _answer(self, method: str, path: str, body: Any, status: int, key: str | None) -> dict[str, Any]:
        answer = self.request(method, path, key or self.person, json=body)
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def uid(self, word: str) -> str:
        """Return the global id of the memory that contains a word."""
        (found,) = self.get(f"/api/memories?filter={word}").json()["memories"]
        return str(found["id"])


_START = (
    "from curator.serve.http import guard, listener; guard.SLOW = listener.SLOW = 2.0;"
    " from curator.main import main; main()"
)  # shorter time limits for slow clients


def fresh(url: str, session: httpx.Client) -> Http:
    """Return a client with new keys, since requests are counted per key."""
    known = {key.name for key in stored()}
    for name in known & {"bot", "me"}:
        revoke(name)
    return Http(url, make("bot", Role.AGENT), make("me", Role.PERSON), session)


@contextmanager
def serving(environment: Mapping[str, str]) -> Iterator[str]:
    """Run a server with HTTP at a free port, for the current home; yield its address."""
    process = subprocess.Popen(
        [sys.executable, "-c", _START, "serve", "--http"],
        env={**os.environ, "CURATOR_SERVE__PORT": "0", **environment},
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 60
    while not (url := _address()):
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.05)
    try:
        yield url
    finally:
        process.terminate()
        process.wait(20)


def _address() -> str:
    """Return the address of the server for the current home, or "" until it has one."""
    try:
        connection = client.connect(10)
    except client.Unreachable:
        return ""
    connection.send({"do": "status"})
    reply = connection.receive()
    connection.close()
    return str(reply["http"])
