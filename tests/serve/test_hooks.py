"""Hooks of hosts: their answers, and that no failure of Curator's breaks a prompt."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

from curator import __version__
from curator.paths import store_folder
from effort import thorough
from serve.conftest import ask, wait_for_greeting
from serve.fake_server import listener
from store import Store

Server = subprocess.Popen[bytes]
PROMPT = {"session_id": "s1", "cwd": "/home/nora/site", "hook_event_name": "UserPromptSubmit", "prompt": "hazelnuts?"}


PATIENT = (
    "import sys; from curator.serve import hook_client as one; one.HOOK = one.START = 20.0;"
    "sys.exit(one.hook(*sys.argv[1:]))"
)
"""A hook that waits longer than it would for a host, since a test's machine may be busy."""


def run(environment: dict[str, str], event: str, row: object, host: str = "claude") -> subprocess.CompletedProcess[str]:
    """Call a hook as a host would."""
    text = row if isinstance(row, str) else json.dumps(row)
    return subprocess.run(
        [sys.executable, "-c", PATIENT, host, event],
        env=environment,
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
    )


def added(done: subprocess.CompletedProcess[str]) -> str:
    """Return the text that a hook adds to the conversation."""
    assert (done.returncode, done.stderr) == (0, "")
    return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout else ""


def test_a_prompt_is_given_its_memories(shared: dict[str, str]) -> None:
    for host, name in (("claude", "UserPromptSubmit"), ("codex", "UserPromptSubmit"), ("gemini", "BeforeAgent")):
        done = run(shared, "prompt", {**PROMPT, "session_id": host}, host)
        assert "I am allergic to hazelnuts." in added(done)
        assert json.loads(done.stdout)["hookSpecificOutput"]["hookEventName"] == name


@thorough
def test_a_session_is_given_a_memory_once_until_it_is_compacted(shared: dict[str, str]) -> None:
    assert "hazelnuts" in added(run(shared, "prompt", PROMPT))
    assert "allergic" not in added(run(shared, "prompt", PROMPT))
    assert "allergic" in added(run(shared, "prompt", {**PROMPT, "session_id": "s2"}))
    run(shared, "session-start", {**PROMPT, "source": "compact"})
    assert "allergic" in added(run(shared, "prompt", PROMPT))


@thorough
def test_without_a_server_words_answer_and_one_is_started(memories: Store, environment: dict[str, str]) -> None:
    assert "I am allergic to hazelnuts." in added(run(environment, "prompt", PROMPT))
    wait_for_greeting()
    assert ask(do="stop") == {"stopping": True}


@thorough
def test_the_end_of_a_session_is_imported_without_a_server(
    memories: Store, environment: dict[str, str], tmp_path: Path
) -> None:
    log = tmp_path / "s9.jsonl"
    line = {
        "type": "user",
        "sessionId": "s9",
        "uuid": "1",
        "message": {"role": "user", "content": "I bake on Sundays."},
    }
    log.write_text(json.dumps(line) + "\n")
    assert added(run(environment, "end", {"session_id": "s9", "transcript_path": str(log)})) == ""
    until = time.monotonic() + 60
    while memories.raw.agent_session("s9") is None and time.monotonic() < until:
        time.sleep(0.05)
    assert memories.raw.agent_session("s9") is not None


def test_without_a_store_nothing_is_said_or_made(environment: dict[str, str]) -> None:
    assert run(environment, "prompt", PROMPT).stdout == ""
    assert not store_folder().exists()


@thorough
def test_whatever_a_host_sends_is_answered_by_silence(shared: dict[str, str]) -> None:
    broken = ("", "{", "[]", "null", '{"prompt": 7}', '{"prompt": ""}', "\0")
    asked = [("claude", "prompt", text) for text in broken]
    text = json.dumps(PROMPT)
    for host, event, sent in (*asked, ("claude", "nothing", text), ("nobody", "prompt", text), ("claude", "end", text)):
        done = run(shared, event, sent, host)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), (host, event, sent)


@thorough
def test_a_server_that_hangs_costs_a_moment(memories: Store, environment: dict[str, str], tmp_path: Path) -> None:
    listening = listener()
    greeting = {"curator": __version__, "protocol": 1, "store": str(store_folder().resolve()), "pid": 1}

    def greet() -> None:
        connection, _ = listening.accept()
        connection.sendall(json.dumps(greeting).encode() + b"\n")
        time.sleep(20)

    threading.Thread(target=greet, daemon=True).start()
    began = time.monotonic()
    command = [sys.executable, "-m", "curator", "hook", "claude", "prompt"]
    done = subprocess.run(command, env=environment, input=json.dumps(PROMPT), capture_output=True, text=True)
    assert "I am allergic to hazelnuts." in added(done)
    assert time.monotonic() - began < 10
    listening.close()


@thorough
def test_a_broken_record_is_answered_by_silence(environment: dict[str, str]) -> None:
    store_folder().mkdir(parents=True)
    (store_folder() / "record.sqlite").write_bytes(b"not a record" * 1000)
    done = run(environment, "prompt", PROMPT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
