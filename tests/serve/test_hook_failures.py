"""Log of failed hooks: holds none of the person's words, and stays small."""

import json
import os
from pathlib import Path

import pytest

from cli.runner import Curator
from curator.errors import ModelError
from curator.main import served
from curator.paths import hook_failures_file, own_files, store_folder
from curator.serve import client
from curator.serve.hook_failures import note, repeated
from curator.serve.hook_given import _LARGEST
from effort import thorough
from store import Store
from tui.driver import opened
from tui.fake_sweeper import posed

SECRET = "the safe is behind the painting"


def fail(*sorts: tuple[str, str]) -> None:
    for host, event in sorts:
        try:
            raise ModelError(SECRET)
        except ModelError as error:
            note(host, event, error)


def test_failures_are_counted_by_sort(memories: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    assert repeated() == []
    fail(("claude", "prompt"), ("codex", "end"), ("claude", "prompt"))
    first, second = repeated()
    assert (first.host, first.event, first.times) == ("claude", "prompt", 2)
    assert first.why.startswith("ModelError at test_hook_failures.py:")
    assert (second.host, second.event, second.times) == ("codex", "end", 1)
    assert SECRET not in hook_failures_file().read_text()
    assert hook_failures_file() in own_files()
    assert hook_failures_file().stat().st_mode & 0o77 == 0
    hook_failures_file().write_bytes(
        b'[1, "claude", "prompt", "long ago"]\n\xff\n{}\n[1]\n' + hook_failures_file().read_bytes()
    )
    assert len(repeated()) == 2


def test_the_file_stays_small_and_is_made_beside_a_store_only(memories: Store) -> None:
    file = hook_failures_file()
    file.write_text(json.dumps([1, "claude", "prompt", "x" * 60]) + "\n")
    file.write_text(file.read_text() * (_LARGEST // len(file.read_text()) + 2))
    fail(("claude", "prompt"))
    assert file.stat().st_size < _LARGEST
    assert [one.times for one in repeated()] == [1]


def test_what_others_read_and_append_is_whole_while_the_file_gets_smaller(memories: Store) -> None:
    file, lock = hook_failures_file(), hook_failures_file().with_name(f"{hook_failures_file().name}.lock")
    row = json.dumps([1, "claude", "prompt", "x" * 60]) + "\n"
    whole = row * (_LARGEST // len(row) + 2)
    file.write_text(whole)
    lock.touch()  # another process is shortening the file
    fail(("claude", "prompt"))
    assert file.read_text().startswith(whole) and len(repeated()) == 1
    os.utime(lock, (0, 0))  # that process was killed long ago
    with file.open() as reader:
        fail(("claude", "prompt"), ("claude", "prompt"))
        assert reader.read().startswith(whole)
    assert [one.times for one in repeated()] == [3] and file.stat().st_size < _LARGEST
    assert not lock.exists() and file.stat().st_mode & 0o77 == 0


def test_without_a_home_nothing_is_made(environment: dict[str, str]) -> None:
    fail(("claude", "prompt"))
    assert not hook_failures_file().exists()


@pytest.mark.parametrize(
    ("reply", "cause", "why"),
    [
        ({}, TimeoutError(SECRET), "no answer in time"),
        ({}, ValueError(SECRET), "the server ended while it answered"),
        ({"error": SECRET, "kind": "ModelError", "place": "x.py:3"}, None, "ModelError at x.py:3"),
        ({"error": SECRET}, None, "an error of the server"),
    ],
)
def test_a_hook_that_fails_is_silent_and_noted(
    memories: Store,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    reply: dict[str, object],
    cause: Exception | None,
    why: str,
) -> None:
    class Failing:
        ready = True

        def send(self, request: object) -> None:
            pass

        def receive(self, wait: float) -> dict[str, object]:
            if cause is not None:
                kind = client.Late if isinstance(cause, TimeoutError) else client.Unreachable
                raise kind(f"no reply: {SECRET}") from cause
            return reply

    (tmp_path / "in").write_text(json.dumps({"prompt": SECRET}))
    monkeypatch.setattr("sys.stdin", (tmp_path / "in").open())
    monkeypatch.setattr(client, "connect_current", lambda wait: Failing())
    assert served(["hook", "claude", "prompt"]) == 0
    assert capfd.readouterr() == ("", "")
    (failure,) = repeated()
    assert failure.why == why
    assert SECRET not in hook_failures_file().read_text()


def test_the_status_and_the_app_tell_of_them(memories: Store, curator: Curator) -> None:
    assert "failed" not in curator("connect").out
    fail(("claude", "prompt"), ("claude", "prompt"))
    out = curator("connect", "--status").out
    assert "hooks that failed in the last 7 days" in out and "ModelError" in out
    (row,) = json.loads(curator("connect", "--json").out)["failed_hooks"]
    assert (row["host"], row["event"], row["times"]) == ("claude", "prompt", 2)
    assert store_folder().exists()


@thorough
async def test_the_view_of_the_work_tells_of_them(memories: Store) -> None:
    fail(("claude", "prompt"), ("claude", "prompt"))
    async with opened(memories, sweeper=posed().made) as app:
        await app.press("w")
        assert "claude prompt: 2 times" in app.seen(), app.seen()
        await app.press("y")
        assert "claude prompt: 2 times" in app.app.clipboard
