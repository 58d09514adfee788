"""Grok exports: dates, senders, branches, tools, and forms of the export."""

from pathlib import Path

from curator.importers import Format, detect
from importers.sample_logs import (
    conversations,
    grok_chat,
    grok_response,
    items,
    problems,
    said,
    skipped,
    turns,
    write_json,
    write_zip,
)

ASK = grok_response("u1", None, "I keep bees.", 1)
OLD = grok_response("a1", "u1", "Where?", 2, sender="grok-3")
NEW = grok_response("a2", "u1", 'How many hives?<grok:render type="x"><argument>1</argument></grok:render>', 3)
MORE = grok_response("u2", "a2", "Four.", 4)


def test_a_conversation_comes_with_its_branches_and_dates(tmp_path: Path) -> None:
    export = {
        "projects": [{"id": "p"}],
        "conversations": [grok_chat(ASK, OLD, NEW, MORE)],
        "tasks": [],
        "media_posts": [],
    }
    path = write_json(tmp_path / "in" / "prod-grok-backend.json", export)
    assert detect(path) is Format.GROK
    (chat,) = conversations(path)
    assert turns(chat.messages) == [
        ("user", "spoken", "I keep bees."),
        ("assistant", "spoken", "Where?"),
        ("assistant", "spoken", "How many hives?"),
        ("user", "spoken", "Four."),
    ]
    assert [m.active for m in chat.messages] == [True, False, True, True]
    assert (chat.source, chat.external_id, chat.title) == ("grok", "grok-1", "Bees")
    assert chat.created_at == 1_750_000_000_000_000
    assert chat.messages[0].created_at == 1_750_000_001_000_000
    zipped = write_zip(tmp_path / "all.zip", {"ttl/30d/export_data/x/prod-grok-backend.json": export, "other.json": {}})
    assert conversations(zipped) == conversations(path.parent) == [chat]


def test_the_web_page_names_the_same_otherwise(tmp_path: Path) -> None:
    chat = {
        "conversation": {
            "conversationId": "grok-1",
            "title": "Bees",
            "createTime": "2025-06-15T15:06:40Z",
            "leafResponseId": "a1",
        },
        "responses": [
            {"responseId": "u1", "sender": "human", "message": "I keep bees.", "createTime": "2025-06-15T15:06:41Z"},
            {"responseId": "a1", "sender": "assistant", "message": "Where?", "parentResponseId": "u1"},
            {"responseId": "a2", "sender": "assistant", "message": "Why?", "parentResponseId": "u1"},
        ],
    }
    (read,) = conversations(write_json(tmp_path / "web.json", chat))
    (export,) = conversations(write_json(tmp_path / "export.json", {"conversations": [grok_chat(ASK)]}))
    assert (read.identity, read.title) == (export.identity, export.title)
    assert read.messages[0] == export.messages[0]
    assert [(m.text, m.active) for m in read.messages[1:]] == [("Where?", True), ("Why?", False)]


def test_reasoning_tools_and_files_have_their_channels(tmp_path: Path) -> None:
    card = (
        "<xai:tool_usage_card><xai:tool_usage_card_id>1</xai:tool_usage_card_id><xai:tool_name>web_search</xai:tool_name>"
        '<xai:tool_args><![CDATA[{"query":"hives"}]]></xai:tool_args></xai:tool_usage_card>'
    )
    answer = grok_response(
        "a1",
        "u1",
        "Here.",
        thinking_trace=f"Hm.{card}",
        steps=[{"tagged_text": {"summary": "Searching", "tool_usage_card": card}}],
        web_search_results=[{"title": "Hives", "url": "https://example.org", "preview": "Wooden boxes"}],
        generated_image_urls=["x.png"],
    )
    ask = grok_response("u1", None, "Look", file_attachments=["asset-1"])
    (chat,) = conversations(write_json(tmp_path / "a.json", {"conversations": [grok_chat(ask, answer)]}))
    assert turns(chat.messages) == [
        ("user", "spoken", "Look\n[attachment: asset-1]"),
        ("assistant", "thinking", "Hm.\n\nSearching"),
        ("assistant", "tool", 'web_search {"query":"hives"}'),
        ("tool", "tool", "Hives\nhttps://example.org\nWooden boxes"),
        ("assistant", "spoken", "Here.\n[image]"),
    ]


def test_a_parent_outside_of_the_file_does_not_hide_what_was_said_before(tmp_path: Path) -> None:
    lost = grok_response("u2", "control-7", "Four.", 4)
    for chat in (grok_chat(ASK, NEW, lost), grok_chat(*(grok_response(i, None, i, n) for n, i in enumerate("uvw")))):
        (read,) = conversations(write_json(tmp_path / "a.json", {"conversations": [chat]}))
        assert [m.active for m in read.messages] == [True] * 3


def test_a_grown_conversation_keeps_its_identities(tmp_path: Path) -> None:
    (before,) = conversations(write_json(tmp_path / "a.json", {"conversations": [grok_chat(ASK, NEW)]}))
    (after,) = conversations(write_json(tmp_path / "b.json", {"conversations": [grok_chat(ASK, NEW, MORE)]}))
    assert after.identity == before.identity
    assert after.messages[:2] == before.messages


def test_private_chats_and_damaged_records_are_counted(tmp_path: Path) -> None:
    log = {"conversations": [grok_chat(ASK, temporary=True), {"broken": 1}, grok_chat(), grok_chat(ASK)]}
    path = write_json(tmp_path / "a.json", log)
    assert [said(chat.messages) for chat in conversations(path)] == [["I keep bees."]]
    assert skipped(items(path)) == {"do_not_remember": 1, "no_messages": 1}
    assert len(problems(items(path))) == 1
