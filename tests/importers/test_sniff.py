"""Recognition of formats: supported, known but not supported, unknown; and mixed folders."""

import json
import re
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

PAGE = '<html><head><title>ChatGPT Data Export</title><script>var jsonData = [{"title": "x"}];</script></head></html>'
CHAT = {"id": "1", "messages": [{"role": "user", "content": "hi"}]}
REFUSED: list[tuple[str, Any, str]] = [
    ("chatbox.json", {"__exported_items": ["conversations"], "session:1": CHAT}, "a Chatbox backup"),
    ("chatbox-old.json", {"settings": {}, "chat-sessions-list": [{"id": "1", "name": "x"}]}, "a Chatbox backup"),
    ("data.json", {"time": 1, "version": 5, "localStorage": {}, "indexedDB": {"topics": [CHAT]}}, "a Cherry Studio"),
    ("lobe.json", {"exportType": "sessions", "state": {"messages": CHAT["messages"]}, "version": 7}, "topics as JSON"),
    ("lobe-pg.json", {"data": {"messages": [], "agents": []}, "mode": "pglite", "schemaHash": "f"}, "a LobeChat"),
    ("lobe-long.json", {"data": {"agents": [], "agentsToSessions": [], "messages": []}}, "a LobeChat backup"),
    ("next.json", {"chat-next-web-store": {"sessions": [CHAT]}, "access-control": {}}, "single chats as JSON"),
    ("typing.json", {"data": {"chats": [{**CHAT, "chatID": "c", "chatTitle": "x"}]}}, "a TypingMind export"),
    ("ui.json", {"version": 4, "history": [CHAT], "folders": [], "prompts": []}, "a Chatbot UI export"),
    ("anything.json", [{"id": 1, "prompt": "hi", "response": "ho", "workspace": "w"}], "export it as JSONL"),
    ("anything.csv", "id,workspace,prompt,response,sent_at,username\n1,w,hi,ho,1,ann\n", "an AnythingLLM export"),
    ("kagi.json", {"threads": [{"threadDetail": {"id": "t"}, "markdownExport": "hi"}]}, "a Kagi Assistant export"),
    (
        "message_1.json",
        {"participants": [{"name": "Bob"}], "messages": [{"sender_name": "Bob", "timestamp_ms": 1, "content": "hi"}]},
        "a chat of Facebook or Instagram",
    ),
    (
        "messages.json",
        {"userId": "8:ann", "exportDate": "x", "conversations": [{"id": "8:bob", "MessageList": []}]},
        "an export of Skype or Teams",
    ),
    (
        "teams.json",
        {"value": [{"messageType": "message", "from": {"user": {}}, "body": {"contentType": "text", "content": "hi"}}]},
        "chats of Microsoft Teams",
    ),
    ("sigtop.json", [{"conversationId": "c", "type": "incoming", "sent_at": 1, "body": "hi"}], "a chat of Signal"),
    ("data.jsonl", [{"sender": "Bob", "body": "hi", "quote": "", "reactions": []}], "a chat of Signal"),
    ("GLOBAL_MEMORY.json", {"active_topics": [], "as_of": None, "do_not_forget": []}, "a layer of Curator's own"),
    ("summary.json", {"entry": {}, "facts": [], "schema": "entry_summary.v1"}, "nothing to import"),
    ("LAYERS.json", {"files": {"GLOBAL_MEMORY.json": ["f"]}}, "a layer of Curator's own"),
    ("topic_memory.md", "---\nschema: topic_memory.v1\n---\n\n# kiln\n", "a layer of Curator's own"),
    ("chat.html", PAGE, "ChatGPT's page of all chats; import `conversations.json`"),
    ("messages.html", '<html><body><div class="page_wrap"><div class="page_body chat_page">', "as JSON"),
]
UNSUPPORTED: list[tuple[str, Any, str]] = [
    ("libre.jsonl", [{"messageId": "m", "conversationId": "c", "text": "x"}], "LibreChat"),
    ("codex.jsonl", [{"session_id": "s", "ts": 1, "text": "fix it"}], "Codex prompt history"),
    ("history.jsonl", [{"display": "fix it", "pastedContents": {}, "timestamp": 1}], "prompt history"),
]


@pytest.mark.parametrize(("name", "value", "called"), UNSUPPORTED, ids=[case[0] for case in UNSUPPORTED])
def test_unsupported_formats_are_named(tmp_path: Path, name: str, value: object, called: str) -> None:
    path = put(tmp_path / name, value)
    with pytest.raises(Unsupported, match=called):
        detect(path)
    with pytest.raises(Unsupported, match=r"; export|, without answers"):
        read(path)
    with pytest.raises(Unsupported, match=called):
        detect(write_zip(tmp_path / "all.zip", {f"inner/{name}": path.read_text()}))


def put(path: Path, value: object) -> Path:
    if isinstance(value, str):
        path.write_text(value)
        return path
    return write_lines(path, value) if path.suffix == ".jsonl" and isinstance(value, list) else write_json(path, value)


@pytest.mark.parametrize(("name", "value", "said"), REFUSED, ids=[case[0] for case in REFUSED])
def test_what_is_known_and_not_read_says_so(tmp_path: Path, name: str, value: object, said: str) -> None:
    path = put(tmp_path / name, value)
    for attempt in (detect, read):
        with pytest.raises(Unsupported, match=re.escape(said)):
            attempt(path)


def test_copies_beside_a_log_are_passed_over(tmp_path: Path) -> None:
    put(tmp_path / "chat.html", PAGE)
    put(tmp_path / "summary.md", "---\nschema: entry_summary.v1\n---\n")
    put(tmp_path / "conversations.json", [gpt_chat("c", "I own a boat.", "Nice")])
    found = items(tmp_path)
    assert len(conversations(tmp_path)) == 1
    assert (problems(found), skipped(found)) == ([], {"other_file": 2})


@pytest.mark.parametrize(
    "message",
    [
        {"role": "member", "content": "hi", "sender": "Bob"},
        {"role": "user", "body": "hi", "type": "incoming"},
        {"role": "admin", "text": "hi"},
    ],
)
def test_messages_of_people_are_not_those_of_a_model(tmp_path: Path, message: object) -> None:
    for value in ({"messages": [message]}, [message]):
        with pytest.raises(Unrecognised):
            detect(write_json(tmp_path / "chat.json", value))


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


@pytest.mark.parametrize("text", ["null", "[1, 2]", '{"a": 1}', "just words", "[{", '"', "\0\0", "[[[]]]"])
def test_what_is_nothing_known_says_where_the_known_are_listed(tmp_path: Path, text: str) -> None:
    path = tmp_path / "something.json"
    path.write_text(text)
    for attempt in (detect, read):
        with pytest.raises(Unrecognised, match=r"no known log format.*docs/formats\.md"):
            attempt(path)


def test_a_damaged_export_of_one_conversation_says_what_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text('[{"title": "Tea", "mapping": {"a": {"message":\n {"content"; {"parts": ["hi"]}}}}}]')
    with pytest.raises(
        Unrecognised, match=r"no known log format \(conversations\.json: record 1.*not valid JSON.*line 2"
    ):
        read(path)


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
