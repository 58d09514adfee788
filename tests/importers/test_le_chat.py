"""Mistral Le Chat exports: one file per conversation, unordered messages, content in chunks."""

from pathlib import Path

from curator.importers import Format, detect
from importers.sample_logs import (
    conversations,
    items,
    le_chat_message,
    problems,
    said,
    turns,
    write_json,
    write_zip,
)

ASK = le_chat_message("u1", "I bake bread.", 1)
ANSWER = le_chat_message("a1", "With sourdough?", 2)
MORE = le_chat_message("u2", "Yes, rye.", 3)


def test_a_conversation_is_sorted_by_date(tmp_path: Path) -> None:
    path = write_json(tmp_path / "in" / "chat-lechat-1.json", [MORE, ANSWER, ASK])
    assert detect(path) is Format.LE_CHAT
    (chat,) = conversations(path)
    assert turns(chat.messages) == [
        ("user", "spoken", "I bake bread."),
        ("assistant", "spoken", "With sourdough?"),
        ("user", "spoken", "Yes, rye."),
    ]
    assert (chat.source, chat.external_id, chat.title) == ("le-chat", "lechat-1", "I bake bread.")
    assert chat.created_at == chat.messages[0].created_at == 1_756_720_801_500_000
    other = [le_chat_message("u1", "I paint.", chatId="lechat-2")]
    files = {
        "chat-lechat-1.json": [ASK, MORE, ANSWER],
        "chat-lechat-2.json": other,
        "chat-lechat-1-files/a.json": {"a": 1},
    }
    first, second = conversations(write_zip(tmp_path / "export.zip", files))
    assert (first, said(second.messages)) == (chat, ["I paint."])


def test_chunks_have_their_channels(tmp_path: Path) -> None:
    chunks = [
        {"type": "tool_call", "name": "web_search", "publicArguments": '{"query": "rye"}', "publicResult": {"hits": 2}},
        {"type": "thinking", "thinking": [{"type": "text", "text": "Rye."}]},
        {"type": "text", "text": "Rye is "},
        {"type": "reference", "referenceIds": [1]},
        {"type": "text", "text": "a grain."},
    ]
    answer = le_chat_message(
        "a1", "Rye is a grain.", 2, contentChunks=chunks, canvas=[{"title": "Loaf", "content": "Mix"}]
    )
    ask = le_chat_message("u1", "Look", 1, files=[{"type": "image", "name": "loaf.png"}])
    (chat,) = conversations(write_json(tmp_path / "chat-lechat-1.json", [ask, answer]))
    assert turns(chat.messages) == [
        ("user", "spoken", "Look\n[attachment: loaf.png]"),
        ("assistant", "tool", 'web_search {"query": "rye"}'),
        ("tool", "tool", '{"hits":2}'),
        ("assistant", "thinking", "Rye."),
        ("assistant", "tool", "Loaf\nMix"),
        ("assistant", "spoken", "Rye is a grain."),
    ]


def test_a_grown_conversation_keeps_its_identities(tmp_path: Path) -> None:
    (before,) = conversations(write_json(tmp_path / "a.json", [ASK, ANSWER]))
    (after,) = conversations(write_json(tmp_path / "b.json", [MORE, ANSWER, ASK]))
    assert after.identity == before.identity
    assert after.messages[:2] == before.messages


def test_a_damaged_record_does_not_stop_the_rest(tmp_path: Path) -> None:
    path = write_json(tmp_path / "a.json", [ASK, {"broken": 1}, MORE])
    assert [said(chat.messages) for chat in conversations(path)] == [["I bake bread.", "Yes, rye."]]
    assert len(problems(items(path))) == 1
