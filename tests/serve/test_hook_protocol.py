"""Hooks as each host calls them, with a server that runs, is missing, slow, older or out of disk space."""

import contextlib
import io
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from curator import __version__
from curator.curation import set_given
from curator.main import served
from curator.paths import store_folder
from curator.serve import client
from curator.serve.hook_failures import repeated
from curator.serve.hook_fallback import answer
from effort import thorough
from serve.fake_server import listener
from store import Store
from store.model import Given

COMMON = {"session_id": "7b1d", "transcript_path": "/nowhere/7b1d.jsonl", "cwd": "/home/nora/site"}
SAID = "are hazelnuts fine?"
AT = "2026-11-22T10:00:00Z"
SCRIPTS: dict[str, list[tuple[str, dict[str, str | None]]]] = {
    "claude": [
        ("session-start", {"hook_event_name": "SessionStart", "source": "startup", "model": "m"}),
        ("prompt", {"hook_event_name": "UserPromptSubmit", "permission_mode": "default", "prompt": SAID}),
        ("compact", {"hook_event_name": "PreCompact", "trigger": "auto", "custom_instructions": ""}),
        ("session-start", {"hook_event_name": "SessionStart", "source": "compact"}),
        ("end", {"hook_event_name": "SessionEnd", "reason": "prompt_input_exit"}),
    ],
    "codex": [
        ("session-start", {"hook_event_name": "SessionStart", "source": "startup", "permission_mode": "default"}),
        ("prompt", {"hook_event_name": "UserPromptSubmit", "turn_id": "t", "model": "m", "prompt": SAID}),
        ("compact", {"hook_event_name": "PreCompact", "turn_id": "t", "trigger": "manual"}),
        ("session-start", {"hook_event_name": "SessionStart", "source": "compact", "transcript_path": None}),
        ("end", {"hook_event_name": "SessionEnd", "reason": "other"}),
    ],
    "gemini": [
        (
            "session-start",
            {"hook_event_name": "SessionStart", "source": "startup", "timestamp": "2026-11-22T10:00:00Z"},
        ),
        ("prompt", {"hook_event_name": "BeforeAgent", "timestamp": AT, "prompt": SAID}),
        ("compact", {"hook_event_name": "PreCompress", "trigger": "auto"}),
        ("session-start", {"hook_event_name": "SessionStart", "source": "resume"}),
        ("end", {"hook_event_name": "SessionEnd", "reason": "exit"}),
    ],
}
FULL = (
    "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0));"
    "from curator.serve import client; client.start = lambda *module: None;"
    "from curator.main import served; sys.exit(served(['hook', *sys.argv[1:]]))"
)
"""A hook in a process that cannot write a byte to any file."""


@pytest.fixture
def call(
    memories: Store, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[[str, str, object], str]:
    """Return a function that calls a hook in this process and returns what it adds; it never starts a server."""
    monkeypatch.setattr(client, "start", lambda *module: None)

    def called(host: str, event: str, row: object) -> str:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(row).encode())))
        assert served(["hook", host, event]) == 0
        out, err = capfd.readouterr()
        assert err == ""
        return str(json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out else ""

    return called


class Fake:
    """A server that greets with `greeting` and answers requests with `reply` after `seconds`."""

    def __init__(self, greeting: bytes, reply: bytes = b"", seconds: float = 0.0) -> None:
        self._listener = listener()
        self.asked: list[str] = []
        self._said = greeting, reply, seconds
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        greeting, reply, seconds = self._said
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                connection.sendall(greeting)
                if request := connection.makefile("rb").readline():
                    self.asked.append(json.loads(request)["do"])
                    time.sleep(seconds)
                    connection.sendall(reply)

    def close(self) -> None:
        self._listener.close()


def greeting(version: str = __version__, protocol: int = client.PROTOCOL, store: str = "") -> bytes:
    row = {"curator": version, "protocol": protocol, "store": store or str(store_folder().resolve()), "pid": 1}
    return json.dumps(row).encode() + b"\n"


@pytest.fixture
def fake(memories: Store) -> Iterator[Callable[..., Fake]]:
    """Return a function that starts such a server."""
    made: list[Fake] = []

    def make(*said: object) -> Fake:
        made.append(Fake(*said))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in made:
        one.close()


@thorough
@pytest.mark.parametrize("host", SCRIPTS)
def test_a_whole_session_of_each_host(shared: dict[str, str], host: str) -> None:
    for event, fields in SCRIPTS[host]:
        text = json.dumps({**COMMON, "session_id": host, **fields})
        program = [sys.executable, "-m", "curator", "hook", host, event]
        done = subprocess.run(program, env=shared, input=text, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        if done.stdout:  # empty on a slow machine
            (name, said), *rest = json.loads(done.stdout).items()
            assert (name, rest, set(said)) == ("hookSpecificOutput", [], {"hookEventName", "additionalContext"})
            assert said["hookEventName"] == fields["hook_event_name"]
            assert event in ("session-start", "prompt")


@pytest.mark.parametrize("host", SCRIPTS)
def test_without_a_server_prompts_are_answered_by_words(call: Callable[[str, str, object], str], host: str) -> None:
    said = [call(host, event, {**COMMON, **fields}) for event, fields in SCRIPTS[host]]
    assert "allergic to hazelnuts" in said[1]
    assert [bool(text) for text in said] == [False, True, False, False, False]
    assert repeated() == []


@thorough
@pytest.mark.parametrize("busy", [False, True])
def test_a_session_begins_with_what_is_always_given_without_a_server_or_with_a_busy_one(
    call: Callable[[str, str, object], str], fake: Callable[..., Fake], memories: Store, busy: bool
) -> None:
    set_given(memories, [1], Given.ALWAYS)
    if busy:
        fake(greeting(), b'{"out": "late"}\n', 5.0)
    for source in ("startup", "clear", "compact"):
        said = call("claude", "session-start", {**COMMON, "source": source})
        assert said.splitlines()[2:-1] == ["always:", "- Keep answers short."] and "by words" not in said
    assert call("claude", "session-start", {**COMMON, "source": "resume"}) == ""  # the log holds them already
    assert call("claude", "end", COMMON) == ""


def test_without_a_store_nothing_is_started(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, ...]] = []
    monkeypatch.setattr(client, "start", lambda *module: started.append(module))
    for event, fields in SCRIPTS["claude"]:
        assert answer("claude", event, json.dumps({**COMMON, **fields})).text == ""
    assert started == []


def test_an_older_server_is_asked_to_leave_and_words_answer(
    call: Callable[[str, str, object], str], fake: Callable[..., Fake]
) -> None:
    older = fake(greeting("0.0.1", 0), b'{"stopping": true}\n')
    assert "allergic to hazelnuts" in call("claude", "prompt", {**COMMON, "prompt": SAID})
    assert older.asked == ["stop"]


@pytest.mark.parametrize(
    "said", [b"", b"\n", b"\xff\n", b"[]\n", b'{"curator": 1}\n', greeting("9", 99, "x"), b"x" * 9999]
)
def test_whoever_greets_otherwise_is_no_server(
    call: Callable[[str, str, object], str], fake: Callable[..., Fake], said: bytes
) -> None:
    fake(said)
    assert "allergic to hazelnuts" in call("claude", "prompt", {**COMMON, "prompt": SAID})


@pytest.mark.parametrize("reply", [b"", b"\n", b"[]\n", b'{"error": "no"}\n', b'{"out": '])
def test_an_answer_that_is_none_is_silence(
    call: Callable[[str, str, object], str], fake: Callable[..., Fake], reply: bytes
) -> None:
    fake(greeting(), reply)
    assert call("claude", "prompt", {**COMMON, "prompt": SAID}) == ""
    assert [one.times for one in repeated()] == [1]


def test_a_slow_server_is_waited_for_once_and_words_answer(
    call: Callable[[str, str, object], str], fake: Callable[..., Fake]
) -> None:
    fake(greeting(), b'{"out": "late"}\n', 5.0)
    began = time.monotonic()
    assert "allergic to hazelnuts" in call("claude", "prompt", {**COMMON, "prompt": SAID})
    assert time.monotonic() - began < 4.0  # 0.25 s on an idle machine
    assert [one.why for one in repeated()] == ["no answer in time"]


@thorough
def test_a_full_disk_costs_nothing_of_the_answer(memories: Store, environment: dict[str, str]) -> None:
    for event, row in (("prompt", {**COMMON, "prompt": SAID}), ("end", COMMON)):
        program = [sys.executable, "-c", FULL, "claude", event]
        done = subprocess.run(program, env=environment, input=json.dumps(row), capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        assert ("allergic to hazelnuts" in done.stdout) == (event == "prompt")
