"""The MCP relay when servers end in the middle of a session."""

import io
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable

import pytest

from curator import __version__
from curator.serve import client, relay
from curator.serve.client import PROTOCOL, Connection, Unreachable
from effort import exhaustive

Answer = Callable[[bytes], bytes | None]


def request(ident: int, method: str = "tools/call") -> bytes:
    """Return a host's request as a line."""
    return json.dumps({"jsonrpc": "2.0", "id": ident, "method": method}).encode() + b"\n"


def answered(line: bytes) -> bytes:
    """Return the answer to a request as a line."""
    return json.dumps({"jsonrpc": "2.0", "id": json.loads(line).get("id"), "result": {}}).encode() + b"\n"


class Servers:
    """Servers that the relay reaches one after the other; each answers until its function returns None."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.heard: list[list[bytes]] = []

    def reach(self) -> Connection:
        """Return a connection to the next server; raise Unreachable if there is none."""
        if not self._answers:
            raise Unreachable("the disk is gone")
        ours, theirs = socket.socketpair()
        heard: list[bytes] = []
        self.heard.append(heard)
        threading.Thread(target=self._serve, args=(theirs, heard, self._answers.pop(0)), daemon=True).start()
        return Connection(ours)

    @staticmethod
    def _serve(here: socket.socket, heard: list[bytes], answer: Answer) -> None:
        hello = {"curator": __version__, "protocol": PROTOCOL, "store": "", "pid": 1}
        here.sendall(json.dumps(hello).encode() + b"\n")
        with here, here.makefile("rb") as lines:
            lines.readline()
            for line in lines:
                heard.append(line)
                if (said := answer(line)) is None:
                    return
                here.sendall(said)
                if not said.endswith(b"\n"):
                    return


class Host:
    """The host of a relay, which reads its answers."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: Answer) -> None:
        self.servers = Servers(*answers)
        if answers:
            monkeypatch.setattr(client, "reach", self.servers.reach)
        reading, writing = os.pipe()
        self._lines = os.fdopen(reading, "rb")
        self.relay = relay._Relay(io.BytesIO(), os.fdopen(writing, "wb"))
        threading.Thread(target=self.relay._connect, daemon=True).start()

    def ask(self, *idents: int) -> list[dict[str, object]]:
        """Send requests and return their answers."""
        for ident in idents:
            self.relay._say(request(ident))
        return [json.loads(self._lines.readline()) for _ in idents]


def test_a_request_whose_server_is_killed_is_asked_of_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(monkeypatch, answered, answered)
    assert host.ask(1) == [{"jsonrpc": "2.0", "id": 1, "result": {}}]
    host = Host(monkeypatch, lambda line: None, answered)
    began = time.monotonic()
    assert host.ask(2) == [{"jsonrpc": "2.0", "id": 2, "result": {}}]
    assert host.servers.heard == [[request(2)], [request(2)]]
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("line", [b"{not json\n", b"[" * 100_000 + b"\n"], ids=["broken", "nested"])
def test_a_line_that_is_not_json_is_an_error_and_the_session_goes_on(
    monkeypatch: pytest.MonkeyPatch, line: bytes
) -> None:
    host = Host(monkeypatch, answered)
    host.relay._say(line)
    refused = json.loads(host._lines.readline())
    assert refused["id"] is None and refused["error"] == {
        "code": -32700,
        "message": "Parse error: this line is not JSON",
    }
    assert [answer["id"] for answer in host.ask(1)] == [1]
    assert host.servers.heard == [[request(1)]]


def test_a_request_that_no_answer_can_name_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(monkeypatch, answered)
    host.relay._say(b'{"jsonrpc": "2.0", "id": [1], "method": "ping"}\n')
    assert json.loads(host._lines.readline())["id"] == [1]
    assert not host.relay._waiting


def test_a_notification_that_a_dying_server_does_not_take_is_kept_for_the_next() -> None:
    ours, theirs = socket.socketpair()
    theirs.sendall(b'{"curator": "1", "protocol": 1, "store": "", "pid": 1}\n')
    connection = client.Connection(ours)
    theirs.close()
    told = relay._Relay(io.BytesIO(), io.BytesIO())
    told._connection = connection
    line = b'{"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}\n'
    told._say(line)
    assert [*told._unsent] == [line]
    ours.close()


def test_half_an_answer_never_reaches_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(monkeypatch, lambda line: answered(line)[:20], answered)
    assert host.ask(1) == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


def test_a_request_that_ends_every_server_is_an_error_and_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(monkeypatch, lambda line: None, lambda line: None, answered)
    (failed,) = host.ask(7)
    assert failed["id"] == 7 and "ended while it answered" in str(failed["error"])
    assert host.ask(8) == [{"jsonrpc": "2.0", "id": 8, "result": {}}]
    assert [len(heard) for heard in host.servers.heard] == [1, 1, 1]


def test_a_server_that_cannot_be_reached_again_is_an_error_for_all_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(monkeypatch, lambda line: None)
    found = host.ask(1, 2)
    assert {one["id"] for one in found} == {1, 2}
    assert all("cannot be reached (the disk is gone)" in str(one["error"]) for one in found)


def test_the_session_is_begun_again_without_a_second_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(monkeypatch, lambda line: None if b"tools" in line else answered(line), answered)
    host.relay._say(request(1, "initialize"))
    assert json.loads(host._lines.readline())["id"] == 1
    assert [one["id"] for one in host.ask(2)] == [2]
    assert host.servers.heard[1] == [request(1, "initialize"), request(2)]


@exhaustive
def test_a_server_that_hangs_is_an_error_in_a_bound_and_goes_on_when_it_wakes(
    shared: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "LOOK", 0.1)
    monkeypatch.setattr(client, "STARTED", 0.3)
    monkeypatch.setattr(client, "start", lambda: None)
    pid = client.connect(10).pid
    host = Host(monkeypatch)
    host.ask(1)
    os.kill(pid, signal.SIGSTOP)
    try:
        began = time.monotonic()
        (failed,) = host.ask(2)
        assert failed["id"] == 2 and f"`kill -9 {pid}` ends it" in str(failed["error"])
        assert time.monotonic() - began < 10
    finally:
        os.kill(pid, signal.SIGCONT)
    assert [one["id"] for one in host.ask(3)] == [3]
