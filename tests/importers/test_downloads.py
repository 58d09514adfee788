"""Exports in the downloads folder: those of every product, and nothing else."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from curator.importers import Format, Problem, downloads, find_logs, known_places
from importers import (
    test_discord,
    test_huggingchat,
    test_letta,
    test_more_agents,
    test_open_webui,
    test_perplexity,
    test_slack,
    test_telegram,
    test_whatsapp,
)
from importers.sample_logs import (
    claude_chat,
    deepseek_chat,
    deepseek_node,
    gemini_activity,
    gemini_page,
    gpt_chat,
    grok_chat,
    grok_response,
    le_chat_message,
    libre_chat,
    libre_message,
    studio_chat,
    studio_chunk,
    vscode_chat,
    vscode_request,
    write_json,
    write_zip,
)
from store import Store

GROK = {"conversations": [grok_chat(grok_response("u1", None, "Hello"))]}
DEEPSEEK = [deepseek_chat(deepseek_node("1", "root", 0, ("REQUEST", "Hello")))]
LE_CHAT = [le_chat_message("u1", "Hello"), le_chat_message("a1", "Hi", 1)]
SLACK = [test_slack.said("U1", "Hello", "1706600000.000100")]
PAGE = gemini_page(("Prompted Hello", "1 Aug 2025, 10:00:00 UTC", "<p>Hi</p>"))
ACTIVITY = [gemini_activity("Prompted Hello", "<p>Hi</p>", "2025-08-01T10:00:00Z")]
COPILOT = '\ufeffConversation,Time,Author,Message\r\n"Boats","2025-11-26T16:47:58","Human","Hello"\r\n'
STUDIO = studio_chat(studio_chunk("user", "Hello", 1), studio_chunk("model", "Hi"))
PAGES = {f"Google Photos/{number}.jpg.json": "{}" for number in range(40)}
TURN = test_open_webui.turn("m1", None, "user", "Hello")

ZIPS: dict[str, tuple[Format, dict[str, object]]] = {
    "abc-2026.zip": (Format.CHATGPT, {"chat.html": "<html>", "conversations-000.json": [gpt_chat("c", "Hello", "Hi")]}),
    "data-2026.zip": (Format.CLAUDE, {"users.json": "[]", "conversations.json": [claude_chat("c", "Hello", "Hi")]}),
    "ttl.zip": (Format.GROK, {"ttl/30d/export_data/u/prod-grok-backend.json": GROK}),
    "deepseek_data.zip": (Format.DEEPSEEK, {"user.json": "{}", "conversations.json": DEEPSEEK}),
    "takeout-1.zip": (Format.GEMINI, {**PAGES, "Takeout/My Activity/Gemini Apps/MyActivity.html": PAGE}),
    "chat-export.zip": (Format.LE_CHAT, {"chat-1.json": LE_CHAT}),
    "Acme Slack export.zip": (Format.SLACK, {"channels.json": "[]", "general/2024-01-30.json": SLACK}),
    "WhatsApp Chat with Bob.zip": (Format.WHATSAPP, {"a.jpg": "x", "_chat.txt": test_whatsapp.ANDROID}),
    "package.zip": (
        Format.DISCORD,
        {"README.txt": "x", "Messages/c1/messages.json": test_discord.PACKAGE["Messages/c502/messages.json"]},
    ),
    "chats-export.zip": (
        Format.HUGGINGCHAT,
        {"conversations.json": [test_huggingchat.chat_of(test_huggingchat.SYSTEM, test_huggingchat.ASK)]},
    ),
    "drive-download.zip": (Format.AI_STUDIO, {"Google AI Studio/Untitled": STUDIO}),
}
FILES: dict[str, tuple[Format, object]] = {
    "conversations (1).json": (Format.CHATGPT, [gpt_chat("c", "Hello", "Hi")]),
    "prod-grok-backend.json": (Format.GROK, GROK),
    "MyActivity.json": (Format.GEMINI, ACTIVITY),
    "chat-1.json": (Format.LE_CHAT, LE_CHAT),
    "result.json": (Format.TELEGRAM, test_telegram.GROUP),
    "WhatsApp Chat with Bob.txt": (Format.WHATSAPP, test_whatsapp.ANDROID),
    "_chat.txt": (Format.WHATSAPP, test_whatsapp.IOS),
    "chat-export-1740.json": (Format.OPEN_WEBUI, [test_open_webui.chat("c1", TURN)]),
    "Boats.json": (Format.LIBRECHAT, libre_chat(libre_message("u1", None, "Hello"))),
    "copilot-activity-history.csv": (Format.COPILOT, COPILOT),
    "Club - general.json": (Format.DISCORD, test_discord.channel(test_discord.post("1", "ann_s", "Hello"))),
    "history.json": (Format.DTI, test_more_agents.dti(("ann@example.org", "Hello"), ("AI", "Hi"))),
    "OpenRouter Chat.json": (Format.OPENROUTER, test_more_agents.openrouter(("USER", "", "Hello"), ("c", "", "Hi"))),
    "Untitled prompt": (Format.AI_STUDIO, STUDIO),
    "How to row.md": (Format.PERPLEXITY, test_perplexity.LOGO + test_perplexity.FIRST),
    "sam.af": (Format.LETTA, test_letta.FILE),
    "chat.json": (Format.COPILOT_CHAT, vscode_chat(vscode_request("r", "Hello", {"value": "Hi"}))),
}
FOLDERS: dict[str, tuple[Format, str, object]] = {  # a file in the folder, and what is found
    "ChatExport_2024-01-30/result.json": (Format.TELEGRAM, "ChatExport_2024-01-30", test_telegram.GROUP),
    "Telegram Desktop/ChatExport_2/result.json": (Format.TELEGRAM, "Telegram Desktop/ChatExport_2", test_telegram.PAIR),
    "Takeout/My Activity/Gemini Apps/MyActivity.html": (Format.GEMINI, "Takeout", PAGE),
    "Google AI Studio/Untitled": (Format.AI_STUDIO, "Google AI Studio", STUDIO),
    "Acme/general/2024-01-30.json": (Format.SLACK, "Acme", SLACK),
    "package/Messages/c1/messages.json": (
        Format.DISCORD,
        "package",
        test_discord.PACKAGE["Messages/c502/messages.json"],
    ),
    "chatgpt/conversations.json": (Format.CHATGPT, "chatgpt", [gpt_chat("c", "Hello", "Hi")]),
}
OTHERS: dict[str, object] = {  # common downloads that look like logs, and files that are no logs
    "README.md": "User: hello\n\nAssistant: hi\n\nUser: more\n",
    "train.jsonl": {"messages": [{"role": "user", "content": "Hello"}]},
    "set.json": [{"conversations": [{"from": "human", "value": "Hello"}, {"from": "gpt", "value": "Hi"}]}],
    "rows.json": [{"id": "1", "text": "a row"}],
    "other.json": "[1]",
    "project/package.json": {"name": "x"},
    ".hidden.json": [gpt_chat("c", "Hello", "Hi")],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("XDG_") or name.endswith(("_HOME", "_DIR", "_PATH"))]:
        monkeypatch.delenv(name)
    (tmp_path / "Downloads").mkdir()
    return tmp_path / "Downloads"


def put(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(value, str):
        path.write_text(value, encoding="utf-8")
        return path
    return write_json(path, value)


def test_every_export_is_found_and_nothing_else(folder: Path) -> None:
    expected = {write_zip(folder / name, files): form for name, (form, files) in ZIPS.items()}
    expected |= {put(folder / name, value): form for name, (form, value) in FILES.items()}
    for name, (form, place, value) in FOLDERS.items():
        put(folder / name, value)
        expected[folder / place] = form
    for name, value in OTHERS.items():
        put(folder / name, value)
    found = list(known_places())
    assert {path: form for form, path in (one for one in found if not isinstance(one, Problem))} == expected
    assert [one for one in found if isinstance(one, Problem)] == []


def test_cloud_tasks_of_codex_are_found(folder: Path) -> None:
    turn = {"role": "user", "input_items": [{"content": [{"text": "Hello"}]}]}
    path = write_json(folder / "codex.json", [{"id": "task_1", "title": "x", "turns": [turn]}])
    assert find_logs() == [(Format.CODEX_CLOUD, path)]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_links_stores_and_damaged_archives_are_left_alone(folder: Path, tmp_path: Path) -> None:
    elsewhere = write_json(tmp_path / "elsewhere" / "result.json", test_telegram.GROUP)
    (folder / "result.json").symlink_to(elsewhere)
    (folder / "ChatExport_1").symlink_to(elsewhere.parent)
    (folder / "Telegram Desktop").mkdir()
    (folder / "Telegram Desktop" / "ChatExport_2").symlink_to(elsewhere.parent)
    Store.open(folder / "store").close()
    (folder / "half.zip").write_bytes(b"PK\x03\x04")
    (problem,) = known_places()
    assert isinstance(problem, Problem)
    assert problem.place == str(folder / "half.zip")


def test_a_folder_that_may_not_be_read_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed, gone = folder / "closed", folder / "gone"
    closed.mkdir()
    gone.mkdir()
    export = write_json(folder / "open" / "conversations.json", [gpt_chat("c", "Hello", "Hi")]).parent
    scandir = os.scandir

    def refuse(path: Path) -> object:
        if path == closed:
            raise PermissionError(13, "Permission denied", str(path))
        if path == gone:
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)  # root may read everything
    found = list(known_places())
    problem = Problem(str(closed), "Permission denied; see that you may read it")
    assert problem in found and (Format.CHATGPT, export) in found and len(found) == 2


def test_the_search_is_bounded_and_says_what_it_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "_FILES", 2)
    for number in range(4):
        path = write_json(folder / f"{number}" / "conversations.json", [gpt_chat("c", "Hello", "Hi")])
        os.utime(path.parent, (number, number))
    *found, problem = known_places()
    assert found == [(Format.CHATGPT, folder / "3"), (Format.CHATGPT, folder / "2")]
    assert isinstance(problem, Problem)
    assert "newest 2 of 4" in problem.reason
    monkeypatch.setattr(downloads, "_SECONDS", -1)
    first, _ = known_places()
    assert isinstance(first, Problem)
    assert "2 files not searched; import them by path" in first.reason
    monkeypatch.setattr(downloads, "_SECONDS", 60)
    monkeypatch.setattr(downloads, "_BYTES", 0)
    spent, _ = known_places()
    assert isinstance(spent, Problem) and spent.reason.startswith("stopped after 0 MB, 2 files")


def test_the_folder_is_that_of_the_desktop(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    put(tmp_path / ".config" / "user-dirs.dirs", 'XDG_DOWNLOAD_DIR="$HOME/Téléchargements"\n')
    path = write_json(tmp_path / "Téléchargements" / "result.json", test_telegram.GROUP)
    assert find_logs() == [(Format.TELEGRAM, path)]
    monkeypatch.setattr(sys, "platform", "darwin")
    assert downloads.downloads_folder() == folder


@pytest.mark.parametrize("told", ["$HOME/", "$HOME", "/"])
def test_the_home_folder_is_no_folder_of_downloads(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    put(tmp_path / ".config" / "user-dirs.dirs", f'XDG_DOWNLOAD_DIR="{told}"\n')
    write_json(tmp_path / "result.json", test_telegram.GROUP)
    assert downloads.downloads_folder() == folder and find_logs() == []


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_no_link_is_entered_on_the_way_to_a_log(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "elsewhere" / "My Activity" / "Gemini Apps" / "MyActivity.html", PAGE)
    (folder / "Takeout").mkdir()
    for name in ("one", "two"):
        (folder / "Takeout" / name).symlink_to(tmp_path / "elsewhere")
    read, scan = [], os.scandir

    def noted(path: Path) -> Any:
        read.append(str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", noted)
    assert find_logs() == []
    assert [one for one in read if "elsewhere" in str(Path(one).resolve())] == []


def test_few_folders_of_a_folder_are_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        put(folder / "project" / f"{number:02}" / "src" / "a.py", "x")
    put(folder / "project" / "99" / "Gemini Apps" / "MyActivity.html", PAGE)
    assert find_logs() == [(Format.GEMINI, folder / "project")]
    monkeypatch.setattr(downloads, "_ENTERED", 20)
    assert find_logs() == []


def test_histories_of_aider_are_found_in_known_projects(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, text = ".aider.chat.history.md", "# aider chat started at 2025-01-01 10:00:00\n\n#### Hello\n"
    here, other = tmp_path / "here", tmp_path / "other"
    (here / ".git").mkdir(parents=True)
    (here / "src").mkdir()
    monkeypatch.chdir(here / "src")
    write_json(tmp_path / ".claude.json", {"projects": {str(other): {}, "relative": {}}})
    expected = [put(place / name, text) for place in (tmp_path, here, other)]
    put(tmp_path / "unknown" / name, text)
    assert sorted(find_logs()) == sorted((Format.AIDER, path) for path in expected)


def test_chats_of_sillytavern_are_found_where_an_assistant_answers(folder: Path, tmp_path: Path) -> None:
    chats = tmp_path / "SillyTavern" / "data" / "default-user" / "chats"
    put(chats / "Assistant" / "a.jsonl", "{}")
    put(chats / "Elara" / "a.jsonl", "{}")
    assert find_logs() == [(Format.SILLYTAVERN, chats / "Assistant")]


def test_graphs_of_the_memory_server_are_found(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    graph = {"type": "entity", "name": "Ann", "entityType": "person", "observations": ["rows"]}
    named, told = write_json(tmp_path / "a.jsonl", graph), write_json(tmp_path / "b.jsonl", graph)
    package = tmp_path / ".npm" / "_npx" / "1f" / "node_modules" / "@modelcontextprotocol" / "server-memory"
    cached = write_json(package / "dist" / "memory.jsonl", graph)
    monkeypatch.setenv("MEMORY_FILE_PATH", str(named))
    server = {"command": "npx", "env": {"MEMORY_FILE_PATH": str(told)}}
    write_json(tmp_path / ".config" / "Claude" / "claude_desktop_config.json", {"mcpServers": {"memory": server}})
    assert sorted(find_logs()) == sorted((Format.MEMORY_SERVER, path) for path in (named, told, cached))
