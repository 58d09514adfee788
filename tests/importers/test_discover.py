"""Discovery of logs in their known places."""

import sys
from pathlib import Path

import pytest

from curator.importers import Format, find_logs
from importers.sample_logs import claude_chat, code_line, gpt_chat, write_json, write_lines, write_zip

VARIABLES = """
    APPDATA CLAUDE_CONFIG_DIR CONTINUE_GLOBAL_DIR CURSOR_DATA_DIR DATA_DIR GOOSE_PATH_ROOT
    LOCALAPPDATA XDG_CONFIG_HOME XDG_DATA_HOME XDG_DOWNLOAD_DIR
""".split()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "person"
    folder.mkdir()
    monkeypatch.setattr(Path, "home", lambda: folder)
    for name in VARIABLES:
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


def test_databases_and_folders_of_programs_are_found(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    config, data = home / ".config", home / ".local" / "share"
    found = {
        Format.CURSOR: config / "Cursor" / "User" / "globalStorage" / "state.vscdb",
        Format.OPENCODE: data / "opencode" / "opencode.db",
        Format.ZED: data / "zed" / "threads" / "threads.db",
        Format.OLLAMA: home / ".ollama" / "db.sqlite",
        Format.OPEN_WEBUI: home / ".open-webui" / "webui.db",
        Format.GOOSE: data / "goose" / "sessions" / "sessions.db",
        Format.CONTINUE: home / ".continue" / "sessions" / "s.json",
        Format.LM_STUDIO: home / ".lmstudio" / "conversations" / "1.conversation.json",
        Format.JAN: data / "Jan" / "data" / "threads" / "t" / "messages.jsonl",
    }
    for path in found.values():
        path.parent.mkdir(parents=True)
        path.touch()
    folders = {Format.GOOSE: 1, Format.CONTINUE: 1, Format.LM_STUDIO: 1, Format.JAN: 2}  # folders above the file
    expected = {(form, path.parents[folders[form] - 1] if form in folders else path) for form, path in found.items()}
    assert set(find_logs()) == expected
    chats = home / ".cursor" / "chats" / "h" / "s"
    chats.mkdir(parents=True)
    (chats / "store.db").touch()
    assert set(find_logs()) == {*expected, (Format.CURSOR, home / ".cursor" / "chats")}
