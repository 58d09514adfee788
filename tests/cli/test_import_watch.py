"""`curator import --watch`: imports additions to logs until ctrl+c; cache folders are skipped."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.runner import Curator
from curator.importers import read
from effort import thorough
from importers.sample_logs import code_line, write_json, write_lines
from store.model import NewConversation


@thorough
def test_it_imports_and_goes_on_until_ctrl_c(curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = write_lines(tmp_path / "projects" / "s1.jsonl", [code_line(1, "user", "I decided to use Redis 7.")])
    steps: list[Callable[[], None]] = [
        lambda: None,
        lambda: write_more(log),
        lambda: write_other(log.with_name("s2.jsonl")),
    ]
    looks = iter(steps)

    def sleep(seconds: float) -> None:
        if (step := next(looks, None)) is None:
            raise KeyboardInterrupt
        step()

    monkeypatch.setattr("curator.services.follow_logs.time.sleep", sleep)
    ran = curator("import", log.parent, "--watch")
    assert ran.code == 0 and ran.err.splitlines()[-1] == "curator: stopped watching; what was imported is kept"
    *_, grown, other = ran.out.splitlines()
    assert grown == f"{log}: 1 new message, found 1 memory"
    assert other == f"{log.with_name('s2.jsonl')}: 1 new message, found 1 memory"
    assert len(curator("list", "--json").rows) == 3


@thorough
def test_a_log_that_cannot_be_read_is_told_once(
    curator: Curator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    log = write_lines(tmp_path / "logs" / "s1.jsonl", [code_line(1, "user", "I decided to use Redis 7.")])
    damaged = log.with_name("old.db")
    steps: list[Callable[[], object]] = [
        lambda: None,
        lambda: damaged.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000),
        lambda: damaged.write_bytes(b"SQLite format 3\0" + b"\xff" * 6000),
        lambda: log.with_name("s2.jsonl").touch(),
    ]
    looks = iter(steps)

    def sleep(seconds: float) -> None:
        if (step := next(looks, None)) is None:
            raise KeyboardInterrupt
        step()

    monkeypatch.setattr("curator.services.follow_logs.time.sleep", sleep)
    ran = curator("import", log, damaged.parent, "--watch")
    assert ran.code == 0
    (told,) = caplog.messages
    assert told.startswith(f"curator: {damaged}: damaged")


def write_more(log: Path) -> None:
    with log.open("a") as out:
        out.write(json.dumps(code_line(2, "user", "I never use tabs in Python files.")) + "\n")


def write_other(log: Path) -> None:
    write_lines(log, [code_line(3, "user", "I work as a nurse in Braga.", sessionId="session-2")])


def test_a_preview_is_not_watched(curator: Curator, tmp_path: Path) -> None:
    assert "not both" in curator("import", tmp_path, "--watch", "--dry-run").err


def test_code_of_others_and_caches_are_not_entered(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "I live in Porto."}, {"role": "assistant", "content": "Lovely."}]
    for name in ("node_modules/a", ".git", ".cache/x", "own", ".cache/lm-studio"):
        write_json(tmp_path / "home" / name / "chat.json", chat)
    write_json(tmp_path / "home" / "tagged" / "chat.json", chat)
    (tmp_path / "home" / "tagged" / "CACHEDIR.TAG").touch()
    (tmp_path / "home" / "own" / "loop").symlink_to(tmp_path / "home")
    assert sum(isinstance(one, NewConversation) for one in read(tmp_path / "home")) == 2
