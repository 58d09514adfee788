"""Kinds of path: supported, known but not supported, or nothing; and mixed folders."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from curator.importers import Format, Unreadable, Unrecognised, Unsupported, detect, read
from importers.sample_logs import (
    claude_chat,
    code_line,
    conversations,
    gpt_chat,
    items,
    problems,
    skipped,
    write_json,
    write_lines,
    write_zip,
)

UNSUPPORTED: list[tuple[str, Any, str]] = [
    ("libre.jsonl", [{"messageId": "m", "conversationId": "c", "text": "x"}], "LibreChat"),
    ("codex.jsonl", [{"session_id": "s", "ts": 1, "text": "fix it"}], "Codex prompt history"),
    ("history.jsonl", [{"display": "fix it", "pastedContents": {}, "timestamp": 1}], "prompt history"),
]


@pytest.mark.parametrize(("name", "value", "called"), UNSUPPORTED, ids=[case[0] for case in UNSUPPORTED])
def test_unsupported_formats_are_named(tmp_path: Path, name: str, value: object, called: str) -> None:
    path = tmp_path / name
    write_lines(path, value) if name.endswith(".jsonl") and isinstance(value, list) else write_json(path, value)
    with pytest.raises(Unsupported, match=called):
        detect(path)
    with pytest.raises(Unsupported, match=r"; export|, without answers"):
        read(path)
    with pytest.raises(Unsupported, match=called):
        detect(write_zip(tmp_path / "all.zip", {f"inner/{name}": path.read_text()}))


def test_databases_and_other_encodings_are_named(tmp_path: Path) -> None:
    database = tmp_path / "bookmarks.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE bookmarks (key, value)")
    connection.close()
    with pytest.raises(Unsupported, match="SQLite"):
        detect(database)
    wide = tmp_path / "wide.json"
    wide.write_text("[]", encoding="utf-16")
    with pytest.raises(Unsupported, match="UTF-16"):
        detect(wide)


@pytest.mark.parametrize("text", ["[]", "{}", "null", "[1, 2]", '{"a": 1}', "just words", "[{", '"', "\0\0", "[[[]]]"])
def test_what_is_nothing_known_says_where_the_known_are_listed(tmp_path: Path, text: str) -> None:
    path = tmp_path / "something.json"
    path.write_text(text)
    for attempt in (detect, read):
        with pytest.raises(Unrecognised, match=r"no known log format.*docs/formats\.md"):
            attempt(path)


def test_a_missing_path_and_an_empty_folder_are_errors(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="no such file"):
        detect(tmp_path / "nowhere")
    with pytest.raises(Unrecognised):
        detect(tmp_path)


@pytest.mark.parametrize("form", list(Format))
@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_a_wrong_format_is_never_an_empty_success(tmp_path: Path, form: Format, name: str) -> None:
    path = write_json(tmp_path / name, {"a": 1})
    with pytest.raises(Unrecognised):
        list(read(path, form))


def test_a_folder_may_hold_several_formats(tmp_path: Path) -> None:
    write_json(tmp_path / "gpt" / "conversations.json", [gpt_chat("c", "I own a boat.", "Nice")])
    write_zip(tmp_path / "claude.zip", {"conversations.json": [claude_chat("k", "I own a car.", "Nice")]})
    write_lines(tmp_path / "code" / "s.jsonl", [code_line(1, "user", "I own a bike.")])
    write_json(tmp_path / "prompts.json", {"display": "fix it", "pastedContents": {}})
    (tmp_path / "notes.md").write_text("Buy milk")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    found = items(tmp_path)
    assert sorted(chat.source for chat in conversations(tmp_path)) == ["chatgpt", "claude", "claude-code"]
    assert [problem.place.rpartition("/")[2] for problem in problems(found)] == ["prompts.json"]
    assert skipped(found) == {"other_file": 1}
    assert [chat.source for chat in conversations(tmp_path, format=Format.CLAUDE)] == ["claude"]


def test_a_first_record_longer_than_the_look_is_recognised(tmp_path: Path) -> None:
    long = "ä word " * 20_000
    cases = {
        Format.CHATGPT: [gpt_chat("c", long, "ok")],
        Format.CLAUDE: [claude_chat("c", long, "ok")],
        Format.OPENAI: {"messages": [{"role": "user", "content": long}]},
        Format.MEMORIES: {"id": "1", "text": long},
    }
    for form, value in cases.items():
        for ascii_ in (True, False):
            path = tmp_path / f"{form}.json"
            path.write_text(json.dumps(value, ensure_ascii=ascii_), encoding="utf-8")
            assert detect(path) is form
