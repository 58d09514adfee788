"""DeepSeek exports and web chats: fragments, branches, and exports without roles."""

from pathlib import Path

from curator.importers import Format, detect
from importers.sample_logs import (
    Json,
    conversations,
    deepseek_chat,
    deepseek_node,
    items,
    problems,
    said,
    skipped,
    turns,
    write_json,
    write_zip,
)

ASK = deepseek_node("1", "root", 1, ("REQUEST", "I drink oolong."))
OLD = deepseek_node("2", "1", 2, ("THINK", "Tea."), ("RESPONSE", "Nice!"))
NEW = deepseek_node("3", "1", 3, ("RESPONSE", "Which one?"))
MORE = deepseek_node("4", "3", 4, ("REQUEST", "Dong Ding."))


def web_message(id_: int, parent: int | None, role: str, content: str) -> Json:
    return {
        "message_id": id_,
        "parent_id": parent,
        "role": role,
        "content": content,
        "inserted_at": 1_746_000_000.5 + id_,
    }


def web_chat(current: int) -> Json:
    """Return a chat as the web page gets it, whose first prompt was edited: it has two first messages."""
    messages = [
        web_message(1, None, "USER", "I drink te."),
        web_message(2, 1, "ASSISTANT", "Te?"),
        {**web_message(3, None, "USER", "I drink tea."), "files": [{"file_name": "tea.pdf"}]},
        {**web_message(4, 3, "ASSISTANT", "Good."), "thinking_content": "Tea."},
    ]
    session = {"id": "deep-2", "title": "Tea", "inserted_at": 1_746_000_000.0, "current_message_id": current}
    return {"chat_session": session, "chat_messages": messages}


def test_an_export_comes_with_its_branches_and_dates(tmp_path: Path) -> None:
    export = [deepseek_chat(ASK, OLD, NEW, MORE)]
    path = write_json(tmp_path / "in" / "conversations.json", export)
    assert detect(path) is Format.DEEPSEEK
    (chat,) = conversations(path)
    assert turns(chat.messages) == [
        ("user", "spoken", "I drink oolong."),
        ("assistant", "thinking", "Tea."),
        ("assistant", "spoken", "Nice!"),
        ("assistant", "spoken", "Which one?"),
        ("user", "spoken", "Dong Ding."),
    ]
    assert [m.active for m in chat.messages] == [True, False, False, True, True]
    assert (chat.source, chat.external_id, chat.title) == ("deepseek", "deep-1", "Tea")
    assert chat.created_at == 1_745_899_151_635_000
    assert chat.messages[0].created_at == 1_745_899_141_635_000
    zipped = write_zip(tmp_path / "all.zip", {"data/conversations.json": export, "data/user.json": {"mobile": 1}})
    assert conversations(zipped) == conversations(path.parent) == [chat]


def test_a_web_chat_has_the_thread_that_was_shown(tmp_path: Path) -> None:
    path = write_json(tmp_path / "chat.json", web_chat(4))
    assert detect(path) is Format.DEEPSEEK
    (chat,) = conversations(path)
    assert [(*turn, m.active) for turn, m in zip(turns(chat.messages), chat.messages, strict=True)] == [
        ("user", "spoken", "I drink te.", False),
        ("assistant", "spoken", "Te?", False),
        ("user", "spoken", "I drink tea.\n[attachment: tea.pdf]", True),
        ("assistant", "thinking", "Tea.", True),
        ("assistant", "spoken", "Good.", True),
    ]
    (former,) = conversations(write_json(tmp_path / "b.json", {"code": 0, "data": {"biz_data": web_chat(2)}}))
    assert former.identity == chat.identity
    assert [m.active for m in former.messages] == [True, True, False, False, False]


def test_searches_and_tips_are_not_said(tmp_path: Path) -> None:
    page = {"title": "Oolong", "url": "https://example.org", "snippet": "Half oxidised"}
    answer = deepseek_node("2", "1", 2, ("RESPONSE", "Here."), ("TIP", "AI-generated"))
    answer["message"]["fragments"].insert(0, {"type": "SEARCH", "content": None, "results": [page]})
    ask = deepseek_node("1", "root", 1, ("REQUEST", "Look"), files=[{"file_name": "a.txt"}])
    (chat,) = conversations(write_json(tmp_path / "a.json", [deepseek_chat(ask, answer)]))
    assert turns(chat.messages) == [
        ("user", "spoken", "Look\n[attachment: a.txt]"),
        ("tool", "tool", "Oolong\nhttps://example.org\nHalf oxidised"),
        ("assistant", "spoken", "Here."),
        ("system", "injected", "AI-generated"),
    ]


def test_without_roles_and_fragments_messages_alternate(tmp_path: Path) -> None:
    def node(id_: str, parent: str, content: str, reasoning: str | None = None) -> Json:
        message: Json = {
            "content": content,
            "reasoning_content": reasoning,
            "files": [],
            "inserted_at": "2025-02-01T10:00:00Z",
        }
        return {"id": id_, "parent": parent, "children": [], "message": message}

    nodes = [node("3", "2", "Green too."), node("2", "1", "Nice.", "Hm."), node("1", "root", "I drink tea.")]
    (chat,) = conversations(write_json(tmp_path / "a.json", [deepseek_chat(*nodes)]))
    assert turns(chat.messages) == [
        ("user", "spoken", "I drink tea."),
        ("assistant", "thinking", "Hm."),
        ("assistant", "spoken", "Nice."),
        ("user", "spoken", "Green too."),
    ]


def test_a_grown_conversation_keeps_its_identities(tmp_path: Path) -> None:
    (before,) = conversations(write_json(tmp_path / "a.json", [deepseek_chat(ASK, NEW)]))
    (after,) = conversations(write_json(tmp_path / "b.json", [deepseek_chat(ASK, NEW, MORE)]))
    assert after.identity == before.identity
    assert after.messages[:2] == before.messages


def test_damaged_records_do_not_stop_the_rest(tmp_path: Path) -> None:
    path = write_json(tmp_path / "a.json", [deepseek_chat(mapping={}), 7, deepseek_chat(ASK, id="deep-3")])
    assert [said(chat.messages) for chat in conversations(path)] == [["I drink oolong."]]
    assert skipped(items(path)) == {"no_mapping": 1, "not_a_message": 1}
    assert len(problems(items(path))) == 1
