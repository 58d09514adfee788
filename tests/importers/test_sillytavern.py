"""SillyTavern chats with an assistant; roleplays are refused with the reason."""

from pathlib import Path
from typing import Any

import pytest

from curator.importers import Format, Unrecognised, Unsupported, detect, read
from importers.sample_logs import Json, conversations, items, problems, turns, write_json, write_lines


def header(name: str = "unused", **metadata: Any) -> Json:
    return {"user_name": name, "character_name": name, "chat_metadata": metadata}


def message(name: str, text: str, date: object = "2025-06-01T10:00:00.000Z", **fields: Any) -> Json:
    person = name == "Ann"
    return {"name": name, "is_user": person, "is_system": False, "send_date": date, "mes": text, "extra": {}, **fields}


TALK = (message("Ann", "I collect stamps."), message("Assistant", "Old ones?", extra={"reasoning": "Stamps."}))
MORE = message("Ann", "Only of birds.", 1_748_772_060_000)


def test_a_chat_with_an_assistant_is_read(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "Assistant - 2025-06-01@10h00m00s.jsonl", [header(integrity="tavern-1"), *TALK, MORE])
    assert detect(path) is Format.SILLYTAVERN
    (chat,) = conversations(path)
    assert turns(chat.messages) == [
        ("user", "spoken", "I collect stamps."),
        ("assistant", "thinking", "Stamps."),
        ("assistant", "spoken", "Old ones?"),
        ("user", "spoken", "Only of birds."),
    ]
    assert (chat.source, chat.external_id, chat.title) == ("sillytavern", "tavern-1", "I collect stamps.")
    assert [m.created_at for m in chat.messages[1:]] == [1_748_772_000_000_000] * 2 + [1_748_772_060_000_000]
    (before,) = conversations(write_lines(tmp_path / "b.jsonl", [header("Assistant", integrity="tavern-1"), *TALK]))
    assert (before.identity, before.messages) == (chat.identity, chat.messages[:3])


@pytest.mark.parametrize("date", ["June 1, 2025 10:00am", "2025-6-1 @10h 00m 00s 123ms", "2025-06-01@10h00m00s"])
def test_older_dates_are_understood(tmp_path: Path, date: str) -> None:
    path = write_lines(tmp_path / "a.jsonl", [header("Assistant"), message("Ann", "Hello", date)])
    assert conversations(path)[0].created_at == 1_748_772_000_000_000


def test_a_damaged_line_does_not_stop_the_rest(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [header("Assistant"), *TALK, {"broken": 1}, MORE])
    assert [len(chat.messages) for chat in conversations(path)] == [4]
    assert [problem.place for problem in problems(items(path))] == ["a.jsonl: line 4"]


ROLEPLAYS: dict[str, list[Any]] = {
    "named.jsonl": [header("Seraphina"), message("Seraphina", "Welcome, traveller.")],
    "unused.jsonl": [header(), message("Ann", "I draw my sword."), message("Seraphina", "Stay!")],
    "group.jsonl": [message("Seraphina", "Welcome."), message("Assistant", "Hello.")],
}
CHARACTERS: dict[str, Any] = {
    "histories.json": {"histories": {"histories": [{"msgs": [{"text": "Hi", "src": {"is_human": True}}]}]}},
    "turns.json": {"chat": {}, "turns": [{"author": {"is_human": True}, "candidates": [{"raw_content": "Hi"}]}]},
    "list.json": [{"turn_key": {"chat_id": "c"}, "candidates": [{"raw_content": "Hi"}]}],
    "messages.json": [{"id": 1, "text": "I live in a castle.", "src": {"name": "Ann", "is_human": True}}],
}


@pytest.mark.parametrize("name", ROLEPLAYS)
def test_roleplays_are_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    path = write_lines(tmp_path / name, ROLEPLAYS[name])
    for attempt in (detect, read):
        with pytest.raises(Unsupported, match="a SillyTavern roleplay, which is fiction"):
            attempt(path)


@pytest.mark.parametrize("name", CHARACTERS)
def test_chats_with_characters_are_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    path = write_json(tmp_path / name, CHARACTERS[name])
    for attempt in (detect, read):
        with pytest.raises(Unsupported, match=r"a Character\.AI chat, which is fiction"):
            attempt(path)


def test_a_roleplay_that_begins_with_an_assistant_is_no_chat(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "group.jsonl", [header(), *TALK, message("Captain Ash", "Ahoy!"), MORE])
    assert detect(path) is Format.SILLYTAVERN
    with pytest.raises(Unrecognised, match="fiction"):
        items(path)
    with pytest.raises(Unrecognised, match="fiction"):
        items(write_lines(tmp_path / "ash.jsonl", [message("Captain Ash", "Ahoy!"), MORE]), format=Format.SILLYTAVERN)
