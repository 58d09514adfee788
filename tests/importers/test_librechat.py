"""LibreChat exports: flat and nested conversations, branches and kinds of content."""

from pathlib import Path

import pytest

from curator.importers import Format, Unsupported, detect
from importers.sample_logs import (
    Json,
    conversations,
    items,
    libre_chat,
    libre_message,
    problems,
    said,
    turns,
    write_json,
    write_lines,
    write_zip,
)

ROOT = "00000000-0000-0000-0000-000000000000"
ASK = libre_message("u1", ROOT, "I own a boat.", 1)
OLD = libre_message("a1", "u1", "Which one?", 2)
NEW = libre_message("a2", "u1", "Nice! What kind?", 3)
MORE = libre_message("u2", "a2", "A folkboat.", 4)


def nested() -> Json:
    """Return the same conversation with its branches nested."""
    chat = libre_chat(recursive=True)
    del chat["messages"]
    below = {**NEW, "children": [{**MORE, "children": []}]}
    return {**chat, "messagesTree": [{**ASK, "children": [{**OLD, "children": []}, below]}]}


def test_a_conversation_comes_with_its_branches_and_dates(tmp_path: Path) -> None:
    path = write_json(tmp_path / "boats.json", libre_chat(ASK, OLD, NEW, MORE))
    assert detect(path) is Format.LIBRECHAT
    (chat,) = conversations(path)
    assert turns(chat.messages) == [
        ("user", "spoken", "I own a boat."),
        ("assistant", "spoken", "Which one?"),
        ("assistant", "spoken", "Nice! What kind?"),
        ("user", "spoken", "A folkboat."),
    ]
    assert [m.active for m in chat.messages] == [True, False, True, True]
    assert (chat.source, chat.external_id, chat.title) == ("librechat", "libre-1", "Boats")
    assert chat.messages[0].created_at == chat.created_at == 1_738_576_801_500_000


def test_nested_and_flat_exports_give_the_same(tmp_path: Path) -> None:
    flat = conversations(write_json(tmp_path / "flat.json", libre_chat(ASK, OLD, NEW, MORE)))
    path = write_json(tmp_path / "in" / "nested.json", nested())
    zipped = write_zip(tmp_path / "all.zip", {"deep/nested.json": nested()})
    assert conversations(path) == conversations(path.parent) == conversations(zipped) == flat


def test_a_deep_nest_is_recognised(tmp_path: Path) -> None:
    inner: list[Json] = []
    for number in range(250, 0, -1):
        id_ = f"{'au'[number % 2]}{number}"
        inner = [libre_message(id_, None, "word " * 60, children=inner)]
    log = {**nested(), "messagesTree": inner}
    (chat,) = conversations(write_json(tmp_path / "deep.json", log))
    assert len(chat.messages) == 250


def test_a_grown_conversation_keeps_its_identities(tmp_path: Path) -> None:
    (before,) = conversations(write_json(tmp_path / "a.json", libre_chat(ASK, NEW)))
    (after,) = conversations(write_json(tmp_path / "b.json", libre_chat(ASK, NEW, MORE)))
    assert after.identity == before.identity
    assert after.messages[:2] == before.messages
    assert len({m.identity for m in after.messages}) == 3


def test_kinds_of_content_have_their_channels(tmp_path: Path) -> None:
    call = {"name": "search", "args": '{"q": "boats"}', "type": "tool_call", "output": "42 boats"}
    code = {"type": "code_interpreter", "code_interpreter": {"input": "1 + 1", "outputs": [{"logs": "2"}]}}
    content = [
        {"type": "think", "think": "A boat."},
        {"type": "tool_call", "tool_call": call},
        {"type": "tool_call", "tool_call": code},
        {"type": "text", "text": {"value": "Found some."}},
        {"type": "summary", "content": [{"type": "text", "text": "Boats so far"}]},
    ]
    log = libre_chat(
        libre_message("u1", None, "Look", files=[{"filename": "boat.png"}]),
        libre_message("a1", "u1", "", 1, content=content),
        libre_message("a2", "a1", ":::thinking\nHm.\n:::\nYes.", 2),
        libre_message("a3", "a2", '{"type": "no_key"}', 3, error=True),
        options={"promptPrefix": "You are a sailor."},
    )
    (chat,) = conversations(write_json(tmp_path / "a.json", log))
    assert turns(chat.messages) == [
        ("system", "injected", "You are a sailor."),
        ("user", "spoken", "Look\n[attachment: boat.png]"),
        ("assistant", "thinking", "A boat."),
        ("assistant", "tool", 'search {"q": "boats"}'),
        ("tool", "tool", "42 boats"),
        ("assistant", "tool", "code_interpreter 1 + 1"),
        ("tool", "tool", "2"),
        ("assistant", "summary", "Boats so far"),
        ("assistant", "spoken", "Found some."),
        ("assistant", "thinking", "Hm."),
        ("assistant", "spoken", "Yes."),
        ("system", "injected", '{"type": "no_key"}'),
    ]


def test_messages_without_ids_follow_each_other(tmp_path: Path) -> None:
    bare = [{"sender": "User", "text": "I sail."}, {"sender": "GPT-4", "text": "Good."}]
    (chat,) = conversations(write_json(tmp_path / "a.json", libre_chat(*bare)))
    assert turns(chat.messages) == [("user", "spoken", "I sail."), ("assistant", "spoken", "Good.")]
    assert all(m.active and m.created_at is None for m in chat.messages)


def test_a_damaged_record_does_not_stop_the_rest(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "a.jsonl", [libre_chat(ASK), {"broken": 1}, libre_chat(MORE, conversationId="libre-2")]
    )
    assert [said(chat.messages) for chat in conversations(path)] == [["I own a boat."], ["A folkboat."]]
    assert [problem.place for problem in problems(items(path))] == ["a.jsonl: line 2"]


@pytest.mark.parametrize(
    "text",
    [
        "# Conversation\n- conversationId: c\n- endpoint: openAI\n\n## History\n**User**\nHi\n\n**GPT-4**\nHello\n",
        "Conversation\n########################\nconversationId: c\n\nHistory\n####\n>> User:\nHi\n\n>> AI:\nHello\n",
    ],
)
def test_other_kinds_of_export_are_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "chat.md"
    path.write_text(text)
    with pytest.raises(Unsupported, match="LibreChat export as text; export it as JSON"):
        detect(path)
