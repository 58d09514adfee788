"""Logs in their known places."""

from pathlib import Path

import pytest

from curator.importers import Format, find_logs
from importers.sample_logs import claude_chat, code_line, gpt_chat, write_json, write_lines, write_zip


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "person"
    folder.mkdir()
    monkeypatch.setattr(Path, "home", lambda: folder)
    for name in ("CLAUDE_CONFIG_DIR", "XDG_DOWNLOAD_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    return folder


def test_an_empty_home_has_none(home: Path) -> None:
    assert find_logs() == []


def test_sessions_and_exports_are_found(home: Path) -> None:
    write_lines(home / ".claude" / "projects" / "-home-ann" / "s.jsonl", [code_line(1, "user", "Hello")])
    downloads = home / "Downloads"
    downloads.mkdir()
    gpt = write_zip(downloads / "abc-2026-01-01.zip", {"conversations.json": [gpt_chat("c", "Hello", "Hi")]})
    claude = write_zip(downloads / "data-1.zip", {"x/conversations.json": [claude_chat("c", "Hello", "Hi")]})
    write_zip(downloads / "photos.zip", {"a.json": "{}"})
    write_zip(downloads / "other.zip", {"conversations.json": "[1]"})
    (downloads / "half.zip").write_bytes(b"PK\x03\x04")
    single = write_json(downloads / "conversations (1).json", [gpt_chat("c", "Hello", "Hi")])
    assert sorted(find_logs(), key=str) == sorted(
        [
            (Format.CLAUDE_CODE, home / ".claude" / "projects"),
            (Format.CHATGPT, gpt),
            (Format.CLAUDE, claude),
            (Format.CHATGPT, single),
        ],
        key=str,
    )


def test_the_configured_folder_is_honoured(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_lines(home / ".claude" / "projects" / "p" / "s.jsonl", [code_line(1, "user", "Hello")])
    elsewhere = tmp_path / "elsewhere"
    write_lines(elsewhere / "projects" / "p" / "s.jsonl", [code_line(1, "user", "Hello")])
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(elsewhere))
    assert find_logs() == [(Format.CLAUDE_CODE, elsewhere / "projects")]
