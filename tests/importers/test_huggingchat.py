"""HuggingChat exports: trees by ancestors, older lists, reasoning and prompts."""

from pathlib import Path
from typing import Any

from curator.importers import Format, detect
from importers.sample_logs import (
    Json,
    conversations,
    items,
    problems,
    said,
    turns,
    write_json,
    write_zip,
)


def message(id_: str, above: list[str] | None, text: str, second: int = 0, **fields: Any) -> Json:
    """Return a message: the person's if its id begins with "u"."""
    sender = {"u": "user", "a": "assistant", "s": "system"}[id_[0]]
    at = f"2024-05-06T10:00:{second:02}.500Z"
    plain = {"id": id_, "from": sender, "content": text, "ancestors": above, "createdAt": at, "files": ["file-x.png"]}
    return {**plain, **fields}


def chat_of(*messages: Json, **fields: Any) -> Json:
    plain = {"_id": "hugging-1", "title": "Chess", "model": "m", "preprompt": "Be brief.", "messages": list(messages)}
    return {**plain, "createdAt": "2024-05-06T10:00:00.000Z", **fields}


SYSTEM = message("s1", [], "")
ASK = message("u1", ["s1"], "I play chess.", 1)
OLD = message("a1", ["s1", "u1"], "Since when?", 2)
NEW = message("a2", ["s1", "u1"], "<think>Hm.</think>\n\nWhich opening?", 3, reasoning="Chess.")
MORE = message("u2", ["s1", "u1", "a2"], "The French.", 4)


def test_a_conversation_comes_with_its_branches_and_dates(tmp_path: Path) -> None:
    export = [chat_of(SYSTEM, ASK, OLD, NEW, MORE)]
    path = write_json(tmp_path / "in" / "conversations.json", export)
    assert detect(path) is Format.HUGGINGCHAT
    (chat,) = conversations(path)
    assert turns(chat.messages) == [
        ("system", "injected", "Be brief."),
        ("user", "spoken", "I play chess."),
        ("assistant", "spoken", "Since when?"),
        ("assistant", "thinking", "Chess."),
        ("assistant", "thinking", "Hm."),
        ("assistant", "spoken", "Which opening?"),
        ("user", "spoken", "The French."),
    ]
    assert [m.text for m in chat.messages if not m.active] == ["Since when?"]
    assert (chat.source, chat.external_id, chat.title) == ("huggingchat", "hugging-1", "Chess")
    assert (chat.created_at, chat.messages[1].created_at) == (1_714_989_600_000_000, 1_714_989_601_500_000)
    zipped = write_zip(tmp_path / "export.zip", {"conversations.json": export, "assistants.json": []})
    assert conversations(zipped) == conversations(path.parent) == [chat]


def test_older_conversations_are_lists(tmp_path: Path) -> None:
    log = chat_of(message("u1", None, "I play.", files=[{"name": "a.pgn"}]), message("a1", None, "Nice."))
    (chat,) = conversations(write_json(tmp_path / "a.json", log))
    assert said(chat.messages) == ["I play.\n[attachment: a.pgn]", "Nice."]
    assert all(m.active for m in chat.messages)


def test_a_grown_conversation_keeps_its_identities(tmp_path: Path) -> None:
    (before,) = conversations(write_json(tmp_path / "a.json", [chat_of(SYSTEM, ASK, OLD)]))
    (after,) = conversations(write_json(tmp_path / "b.json", [chat_of(SYSTEM, ASK, OLD, NEW, MORE)]))
    assert after.identity == before.identity
    assert {m.identity for m in before.messages} < {m.identity for m in after.messages}


def test_a_damaged_record_does_not_stop_the_rest(tmp_path: Path) -> None:
    path = write_json(tmp_path / "a.json", [chat_of(ASK), {"broken": 1}, chat_of(MORE, _id="hugging-2")])
    assert [said(chat.messages) for chat in conversations(path)] == [["I play chess."], ["The French."]]
    assert len(problems(items(path))) == 1
