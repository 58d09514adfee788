"""Attacks on the HTTP server: foreign hosts and origins, huge and slow requests, floods; and its start and stop."""

import contextlib
import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from cli.conftest import curator as curator
from cli.runner import Curator
from curator.config import settings
from curator.errors import ConfigError
from curator.paths import api_keys_file, own_files
from curator.serve.http import webhook
from curator.serve.http.guard import BODY, BURST, Guard, Message, Receive, Scope, Send
from curator.serve.http.keys import KeyRing, Role, find, make, stored
from effort import exhaustive, thorough
from serve.conftest import ask
from serve.http_server import Http

EVERY = ("/api/health", "/api/memories", "/mcp", "/metrics", "/api/events", "/openapi.json", "/docs", "/nowhere", "/")
"""Routes of every sort, and unknown ones."""


def _raw(http: Http, head: str, body: bytes = b"", wait: float = 10.0) -> bytes:
    """Send raw bytes and return the answer, until the server closes or is silent for `wait` seconds."""
    place = urlsplit(http.url)
    with socket.create_connection((place.hostname or "", place.port or 0), wait) as raw:
        raw.sendall(head.replace("\n", "\r\n").encode() + b"\r\n" + body)
        return raw.recv(65_536)


def test_a_page_that_resolves_its_name_to_this_machine_gets_nothing(http: Http) -> None:
    port = urlsplit(http.url).port
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "", "localhost:x", "127.0.0.2"):
        for path in EVERY:
            answer = http.get(path, headers={"Host": host})
            assert answer.status_code in ((400, 421) if not host else (421,)), (host, path)
            assert "serve.hosts" in answer.text or not host
    for host in ("localhost", f"localhost:{port}", "127.0.0.1", f"[::1]:{port}", "LOCALHOST:1"):
        assert http.get("/api/stats", headers={"Host": host}).status_code == 200
    two = "GET /api/health HTTP/1.1\nHost: localhost\nHost: evil.example\n"
    assert b"200" not in _raw(http, two).split(b"\r\n")[0]


def test_pages_of_other_origins_are_refused(http: Http) -> None:
    for origin in ("https://evil.example", "null", "http://localhost:3001", http.url, "http://localhost:3000.evil.x"):
        for path in EVERY:
            answer = http.get(path, headers={"Origin": origin})
            assert answer.status_code == 403, (origin, path)
            assert "access-control-allow-origin" not in answer.headers
        assert http.request("OPTIONS", "/api/memories", headers={"Origin": origin}).status_code == 403


def test_a_listed_origin_may_read(http: Http) -> None:
    origin = {"Origin": "http://localhost:3000"}
    asked = http.request("OPTIONS", "/api/memories", key=None, headers=origin)
    assert (asked.status_code, asked.content) == (204, b"")
    assert "X-API-Key" in asked.headers["access-control-allow-headers"]
    answer = http.get("/api/memories", headers=origin)
    assert answer.headers["access-control-allow-origin"] == "http://localhost:3000"
    assert answer.headers["vary"] == "Origin"
    assert http.get("/api/memories", key=None, headers=origin).status_code == 401
    assert "access-control-allow-origin" not in http.get("/api/memories").headers


def test_answers_are_not_stored_by_anybody(http: Http) -> None:
    for path in ("/api/memories", "/api/health", "/nowhere"):
        headers = http.get(path).headers
        assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")
        assert "server" not in headers


def test_huge_bodies_and_addresses_are_refused(http: Http) -> None:
    big = json.dumps({"query": "x" * BODY}).encode()
    kind = {"Content-Type": "application/json"}
    assert http.request("POST", "/api/search", content=big, headers=kind).status_code == 413
    chunks = (b"x" * 100_000 for _ in range(20))  # sent without a Content-Length
    with contextlib.suppress(httpx.TransportError):  # the server closes while the client is still writing
        assert http.request("POST", "/mcp", content=chunks, headers=kind).status_code == 413
    head = f"POST /api/search HTTP/1.1\nHost: localhost\nX-API-Key: {http.agent}\nContent-Length: 99999999999\n"
    assert b" 413 " in _raw(http, head)
    assert http.get(f"/api/memories?filter={'a' * 9_000}").status_code == 413
    assert http.get("/api/health").status_code == 200


def test_long_queries_and_broken_bodies_are_refused_with_the_reason(http: Http) -> None:
    assert "query" in http.post("/api/search", {"query": "x" * 1_001}, 422)["error"]
    assert "limit" in http.post("/api/search", {"query": "x", "limit": 0}, 422)["error"]
    assert "nonsense" in http.post("/api/search", {"query": "x", "nonsense": 1}, 422)["error"]
    for body in (b"{", b"[]", b"\xff", b"null", b'{"query": "\\ud800"}', b'{"query": 7}', b"[" * 50_000):
        kind = {"Content-Type": "application/json"}
        answer = http.request("POST", "/api/search", content=body, headers=kind)
        assert answer.status_code in (400, 422) and answer.json()["error"], body[:20]
        assert "Traceback" not in answer.text
    assert http.request("POST", "/api/search", content=b'{"query": "x"}').status_code == 422  # without a Content-Type


def test_an_unknown_name_is_refused_and_the_right_ones_are_named(http: Http) -> None:
    wrong = http.post("/api/recall", {"prmpt": "kiln"}, 422)["error"]
    assert "there is no `prmpt`" in wrong and "takes user_id, prompt or query, project, budget" in wrong
    assert "text or content" in http.post("/api/memories", {"words": "Glaze is celadon."}, 422)["error"]
    for path, takes in (("memories", "filter, sort, limit, offset, user_id"), ("stats", "user_id")):
        answer = http.get(f"/api/{path}?project=site")
        assert answer.status_code == 422
        assert answer.json()["error"] == f"there is no `project` in the address: /api/{path} takes {takes}"
    answer = http.request("POST", "/api/recall?prompt=kiln", json={})
    assert (answer.status_code, "takes no names in the address" in answer.json()["error"]) == (422, True)
    assert http.get("/api/health?t=1").status_code == 200


@thorough
def test_slow_clients_keep_nobody_waiting(http: Http) -> None:
    place = urlsplit(http.url)
    slow = [socket.create_connection((place.hostname or "", place.port or 0), 30) for _ in range(20)]
    for n, one in enumerate(slow):
        one.sendall(
            b"GET /api/hea"
            if n % 2
            else f"POST /api/search HTTP/1.1\r\nHost: localhost\r\n"
            f"X-API-Key: {http.agent}\r\nContent-Length: 500\r\n\r\n{{".encode()
        )
    began = time.monotonic()
    assert http.get("/api/health").status_code == 200
    assert http.get("/api/stats").status_code == 200
    assert time.monotonic() - began < 5
    heads = [one.recv(100) for one in slow[:2]]
    assert (b" 408 " in heads[0], heads[1]) == (True, b"")
    for one in slow:
        one.close()


async def test_a_flood_of_one_key_stops_that_key_only(own_folder: Path) -> None:
    own_folder.joinpath("home").mkdir(parents=True)
    busy, other = make("busy", Role.AGENT), make("other", Role.AGENT)
    guard, statuses = Guard(_empty, [], []), []

    async def ask(key: str) -> Message:
        sent: list[Message] = []
        await guard(_scope(key), _nothing, _into(sent))
        return sent[0]

    for _ in range(int(BURST) * 2):
        statuses.append((await ask(busy))["status"])
    assert statuses[:100] == [200] * 100 and statuses[-1] == 429
    assert (b"retry-after", b"1") in (await ask(busy))["headers"]
    assert (await ask(other))["status"] == 200
    for _ in range(int(BURST) * 2):
        last = await ask("ck-wrong")
    assert last["status"] == 429
    assert (await ask(other))["status"] == 200


async def _empty(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def _broken(scope: Scope, receive: Receive, send: Send) -> None:
    raise KeyError("the words of a memory")


async def _nothing() -> Message:
    return {"type": "http.request", "body": b""}


def _into(sent: list[Message]) -> Send:
    async def send(message: Message) -> None:
        sent.append(message)

    return send


def _scope(key: str) -> Scope:
    headers = [(b"host", b"localhost"), (b"x-api-key", key.encode())]
    return {"type": "http", "method": "GET", "path": "/api/stats", "headers": headers}


@thorough
def test_ten_clients_at_once(http: Http) -> None:
    def ask_twice(n: int) -> list[int]:
        body = {"prompt": "kiln"}
        return [http.request("POST", "/api/recall", json=body).status_code for _ in range(2)]

    with ThreadPoolExecutor(10) as clients:
        statuses = [status for found in clients.map(ask_twice, range(10)) for status in found]
    assert statuses == [200] * 20


def test_words_reach_neither_log_nor_metrics(http: Http, http_home: tuple[dict[str, str], str]) -> None:
    secret = "xylophone-in-the-attic"
    http.post("/api/propose", {"text": f"The {secret} is blue.", "because": secret}, key=http.agent)
    http.get(f"/api/memories?filter={secret}")
    http.get(f"/api/{secret}")
    http.request("POST", "/mcp", json={"jsonrpc": "2.0", "id": 1, "method": secret})
    assert secret not in http.get("/metrics").text
    for log in Path(http_home[0]["XDG_RUNTIME_DIR"]).rglob("*.log"):
        assert secret not in log.read_text()


async def test_an_unexpected_error_is_500_and_reported_by_kind(
    own_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own_folder.joinpath("home").mkdir(parents=True)
    reports: list[tuple[str, str]] = []
    sent: list[Message] = []
    guard = Guard(_broken, [], [], failed=lambda kind, place: reports.append((kind, place)))
    await guard(_scope(make("bot", Role.AGENT)), _nothing, _into(sent))
    assert sent[0]["status"] == 500
    assert reports == [("KeyError", "GET no route")]
    assert "words" not in caplog.text + str(sent)
    await guard({"type": "websocket", "path": "/"}, _nothing, _into(sent))
    assert sent[-1]["type"] == "websocket.close"


def test_keys_are_private_and_hashed(own_folder: Path, curator: Curator) -> None:
    assert "--new-key" in curator("serve", "--keys").out
    made = curator("serve", "--new-key", "bot")
    assert made.code == 0
    text = made.out.strip()
    file = api_keys_file()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and text not in file.read_text()
    assert file in own_files()
    assert curator("serve", "--keys").out.split()[:2] == ["bot", "agent"]
    assert curator("serve", "--new-key", "bot").code != 0
    assert curator("serve", "--new-key", "a b").code != 0
    person = curator("serve", "--new-key", "me", "--person")
    assert (person.code, person.out) == (2, "") and "terminal" in person.err
    assert curator("serve", "--person").code == 2
    assert curator("serve", "--keys", "--status").code == 2
    found = find(stored(), text)
    assert found is not None and found.role is Role.AGENT
    assert find(stored(), text + "x") is None and find((), text) is None and find(stored(), "\ud800") is None
    assert curator("serve", "--revoke", "bot").out == "revoked bot\n"
    assert curator("serve", "--revoke", "bot").code != 0
    file.write_text("{")
    with pytest.raises(ConfigError, match="create the keys again"):
        KeyRing().keys()


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"CURATOR_SERVE__HOST": "0.0.0.0"}, "serve.hosts"),
        ({"CURATOR_SERVE__HOST": "0.0.0.0", "CURATOR_SERVE__HOSTS": "memory.example"}, "--new-key"),
        ({"CURATOR_SERVE__ORIGINS": "*"}, "not an origin"),
        ({"CURATOR_SERVE__PORT": "TAKEN"}, "serve.port"),
    ],
)
def test_it_refuses_to_listen_unguarded(
    variables: dict[str, str], reason: str, own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from curator.serve.http.listener import _bound

    with socket.create_server(("127.0.0.1", 0)) as taken:
        for name, value in variables.items():
            monkeypatch.setenv(name, str(taken.getsockname()[1]) if value == "TAKEN" else value)
        settings.cache_clear()
        with pytest.raises(ConfigError, match=reason):
            _bound(settings().serve.host, settings().serve.port)


@exhaustive
def test_http_that_cannot_start_ends_the_command_but_not_a_server_by_the_setting(environment: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        wrong = {**environment, "CURATOR_SERVE__PORT": str(taken.getsockname()[1])}
        command = [sys.executable, "-m", "curator", "serve"]
        done = subprocess.run([*command, "--http"], env=wrong, capture_output=True, text=True, timeout=60)
        assert done.returncode not in (0, None) and "serve.port" in done.stderr and "Traceback" not in done.stderr
        other = subprocess.Popen(
            command, env={**wrong, "CURATOR_SERVE__HTTP": "true"}, stderr=subprocess.PIPE, text=True
        )
        assert other.stderr and other.stderr.readline() == "ready; ctrl+c stops it\n"
    assert ask(do="status")["http"] == ""
    (log,) = Path(environment["XDG_RUNTIME_DIR"]).rglob("*.log")
    assert "no HTTP: cannot listen" in log.read_text()
    assert ask(do="stop") == {"stopping": True}
    other.communicate(timeout=20)


@thorough
def test_a_key_of_a_person_is_made_on_a_terminal(environment: dict[str, str]) -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "curator", "serve", "--new-key", "me", "--person"]
    process = subprocess.Popen(command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.write(ours, b"y\n")
    assert process.wait(30) == 0
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    os.close(theirs)
    text = next(line for line in shown.splitlines() if "ck-" in line).partition("ck-")[2]
    found = find(stored(), f"ck-{text.strip()}")
    assert found is not None and found.role is Role.PERSON


def test_an_error_is_sent_once_in_five_minutes_to_the_address_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    received: list[bytes] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    webhook.Webhook().report("Damaged", "GET /api/stats")  # without an address it does nothing
    with HTTPServer(("127.0.0.1", 0), Receiver) as receiver:
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        monkeypatch.setenv(webhook.VARIABLE, f"http://127.0.0.1:{receiver.server_port}/hook")
        monkeypatch.setenv("NO_PROXY", "*")
        hook = webhook.Webhook()
        for kind in ("Damaged", "Damaged", "Unwritable"):
            hook.report(kind, "GET /api/stats")
        until = time.monotonic() + 10
        while len(received) < 2 and time.monotonic() < until:
            time.sleep(0.02)
        hook._sent["Damaged"] -= webhook.WINDOW
        hook.report("Damaged", "GET /api/stats")
        while len(received) < 3 and time.monotonic() < until:
            time.sleep(0.02)
        receiver.shutdown()
    assert webhook.WINDOW == 300
    assert sorted("Damaged" in str(one) for one in received) == [False, True, True]
    assert os.environ[webhook.VARIABLE]


def test_an_address_that_cannot_be_called_is_a_warning_without_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    unhandled: list[object] = []
    monkeypatch.setattr(threading, "excepthook", unhandled.append)
    monkeypatch.setenv(webhook.VARIABLE, "http://127.0.0.1:9/a secret")
    before = set(threading.enumerate())
    webhook.Webhook().report("Damaged", "GET /api/stats")
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
    assert not unhandled and "secret" not in caplog.text
    assert "InvalidURL" in caplog.text
